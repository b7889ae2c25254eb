"""One test of every two systems, for all metrics on the same replicates, whatever the test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.parallel import Workers
from metameter.stats.critical_t import critical_t, standard_errors
from metameter.stats.pairs import Pairs
from metameter.stats.precision import required_ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.stats.anova import TwoWayAnova
    from metameter.stats.checks import Floats
    from metameter.stats.replicates import Drawn

__all__ = ["run_test"]

_BATCHES = 10


def run_test(
    matrix: Floats,
    test: str,
    *,
    trials: int,
    alpha: float,
    seed: int,
    jobs: int | Workers | None = None,
    progress: Callable[..., None] | None = None,
) -> Pairs:
    """Test every two systems of ``matrix[metric, topic, system]``.

    Examples
    --------
    >>> result = run_test(np.array([[[0.0, 1.0], [0.0, 1.0], [0.1, 1.0]]]), "t", trials=1, alpha=0.05, seed=0)
    >>> result.difference.round(3), result.pvalue.round(4), result.required.round(3)
    (array([[-0.967]]), array([[0.0012]]), array([0.143]))
    """
    from metameter.stats.checks import tolerance

    zero = tolerance(matrix, axes=2)[:, 0]
    options: dict[str, Any] = {"trials": trials, "seed": seed, "jobs": Workers.of(jobs)}
    if test == "tukey-randomised":
        found = _tukey_randomised(matrix, alpha, progress, options)
    elif test == "tukey":
        found = _tukey(matrix, alpha)
    elif test == "bootstrap":
        found = _bootstrap(matrix, alpha, progress, options)
    else:
        found = _closed(matrix, test, alpha)
    tied = np.abs(found.difference) <= zero
    # Of scores on a coarse grid the ranges next to the required one are equal, up to rounding.
    error = np.where(found.required_error <= zero[:, 0], 0.0, found.required_error)
    return replace(found, difference=np.where(tied, 0.0, found.difference), required_error=error, zero=zero)


def _tukey_randomised(
    matrix: Floats, alpha: float, progress: Callable[..., None] | None, options: dict[str, Any]
) -> Pairs:
    from metameter.stats.anova import two_way_anova
    from metameter.stats.resampling import row_permutations
    from metameter.stats.tukey import randomised_tukey

    if progress is not None:
        drawn = row_permutations(matrix.shape[1], matrix.shape[2], options["trials"], options["seed"])
        options = {**options, "permutations": _told(drawn, progress)}
    result = randomised_tukey(matrix, **options)
    required, above, below = required_ranges(result.ranges, alpha).T
    effect = _hsd(two_way_anova(matrix))
    error = (above - below) / 2.0
    return Pairs(result.statistic, effect, result.pvalue, required, error, result.trials, result.ranges)


def _told(drawn: Drawn, progress: Callable[..., None]) -> Drawn:
    done, of = count(1), len(drawn)

    def draw(rng: np.random.Generator, size: int) -> NDArray[Any]:
        progress(min(next(done), of), of, "shuffling")
        return drawn.draw(rng, size)

    return replace(drawn, draw=draw)


def _tukey(matrix: Floats, alpha: float) -> Pairs:
    from metameter.stats.anova import two_way_anova

    result = two_way_anova(matrix)
    required = np.maximum(result.required_difference(alpha), result.zero)
    return Pairs(result.mean_difference, _hsd(result), result.tukey_pvalue, required, np.full(len(matrix), np.nan))


def _hsd(anova: TwoWayAnova) -> Floats:
    return np.asarray(np.copysign(anova.tukey_statistic, anova.mean_difference) / np.sqrt(anova.topics))


def _bootstrap(matrix: Floats, alpha: float, progress: Callable[..., None] | None, options: dict[str, Any]) -> Pairs:
    from metameter.stats.paired_bootstrap import paired_bootstrap

    result = paired_bootstrap(matrix, alpha=alpha, progress=progress, **options)
    neediest = result.differences_required.argmax(axis=-1)
    error = np.array([_batch_error(one, pair, alpha, options) for one, pair in zip(matrix, neediest, strict=True)])
    effect = result.statistic / np.sqrt(matrix.shape[1])
    return Pairs(
        result.mean_difference, effect, result.pvalue, result.required_difference(), error, trials=result.trials
    )


def _batch_error(matrix: Floats, pair: np.intp, alpha: float, options: dict[str, Any]) -> float:
    """How far the required difference of the pair that needs most moves between batches of resamples."""
    from metameter.stats.checks import system_pairs
    from metameter.stats.paired_bootstrap import paired_bootstrap
    from metameter.stats.resampling import bootstrap_indices

    first, second = system_pairs(matrix.shape[1])
    two = matrix[:, [first[pair], second[pair]]]
    drawn = np.concatenate(list(bootstrap_indices(len(matrix), options["trials"], options["seed"])))
    size = len(drawn) // _BATCHES
    if size < 1:
        return float("nan")
    batches = [drawn[i * size : (i + 1) * size] for i in range(_BATCHES)]
    needed = [float(paired_bootstrap(two, indices=batch, alpha=alpha).required_difference()) for batch in batches]
    return float(np.std(needed, ddof=1) / np.sqrt(_BATCHES))


def _closed(matrix: Floats, test: str, alpha: float) -> Pairs:
    from metameter.stats import pairwise
    from metameter.stats.effects import effect_sizes

    tests: dict[str, Callable[[Floats], pairwise.PairedTest]] = {
        "t": pairwise.paired_t,
        "wilcoxon": partial(pairwise.wilcoxon, tolerant=True),
        "sign": pairwise.sign,
    }
    result = tests[test](matrix)
    none = np.full(len(matrix), np.nan)
    if test != "t":
        return Pairs(result.mean_difference, effect_sizes(matrix).cohen_dz, result.pvalue, none, none)
    effect = result.statistic / np.sqrt(matrix.shape[1])
    needed = critical_t(alpha, matrix.shape[1]) * standard_errors(matrix)
    return Pairs(result.mean_difference, effect, result.pvalue, needed.max(axis=-1), none)
