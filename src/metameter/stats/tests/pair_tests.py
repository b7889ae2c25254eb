"""One test of every two systems, for all metrics on the same replicates, whatever the test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from metameter.parallel import Progress, Workers
from metameter.stats.checks import Floats, score_matrix, system_pairs, tolerance
from metameter.stats.resampling.monte_carlo_error import required_with_error
from metameter.stats.resampling.samples import bootstrap_indices
from metameter.stats.tests import pairwise
from metameter.stats.tests.anova import two_way_anova
from metameter.stats.tests.max_t import MaxT, max_t
from metameter.stats.tests.paired_bootstrap import paired_bootstrap
from metameter.stats.tests.pairs import Pairs
from metameter.stats.tests.pairwise import standard_errors
from metameter.stats.tests.tukey import randomised_tukey

if TYPE_CHECKING:
    from metameter.stats.tests.anova import TwoWayAnova


_BATCHES = 10


def run_test(
    matrix: Floats,
    test: str,
    *,
    trials: int,
    alpha: float,
    seed: int,
    jobs: int | Workers | None = None,
    progress: Progress | None = None,
) -> Pairs:
    """Test every two systems of ``matrix[metric, topic, system]``.

    A p-value that is drawn at random is (b + 1) / (trials + 1), never 0.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    test : str
        One of `pairs.NAMES`.
    trials, seed : int
        For the tests that draw at random.
    alpha : float
        For the difference required.
    jobs : int or Workers, optional
        How many threads, by default all cores; the result does not depend on it.
    progress : callable, optional
        Told how far a test that draws at random is.

    Examples
    --------
    >>> result = run_test(np.array([[[0.0, 1.0], [0.0, 1.0], [0.1, 1.0]]]), "t", trials=1, alpha=0.05, seed=0)
    >>> result.difference.round(3), result.pvalue.round(4), result.required.round(3)
    (array([[-0.967]]), array([[0.0012]]), array([0.143]))
    """
    zero = tolerance(matrix, axes=2)[:, 0]
    options: dict[str, Any] = {"trials": trials, "seed": seed, "jobs": Workers.of(jobs)}
    if test == "tukey-randomised":
        tested = _tukey_randomised(matrix, alpha, progress, options)
    elif test == "max-t":
        tested = _max_t(matrix, alpha, progress, options)
    elif test == "tukey":
        tested = _tukey(matrix, alpha)
    elif test == "bootstrap":
        tested = _bootstrap(matrix, alpha, progress, options)
    else:
        tested = _closed_form(matrix, test, alpha)
    tied = np.abs(tested.difference) <= zero
    # Of scores on a coarse grid the ranges next to the required one are equal, up to rounding.
    error = np.where(tested.required_error <= zero[:, 0], 0.0, tested.required_error)
    return replace(tested, difference=np.where(tied, 0.0, tested.difference), required_error=error, zero=zero)


def _tukey_randomised(matrix: Floats, alpha: float, progress: Progress | None, options: dict[str, Any]) -> Pairs:
    result = randomised_tukey(matrix, progress=progress, **options)
    required, error = required_with_error(result.ranges, alpha)
    effect = _hsd(two_way_anova(matrix))
    return Pairs(result.statistic, effect, result.pvalue, required, error, result.trials, result.ranges)


def _max_t(matrix: Floats, alpha: float, progress: Progress | None, options: dict[str, Any]) -> Pairs:
    result = max_t(matrix, progress=progress, **options)
    return studentised_pairs(result, effect_sizes(matrix).cohen_dz, alpha)


def studentised_pairs(result: MaxT, effect: Floats, alpha: float) -> Pairs:
    """The result of max-t in terms of differences of means.

    Parameters
    ----------
    result : MaxT
        Of (metrics, pairs).
    effect : ndarray, (metrics, pairs)
    alpha : float

    Examples
    --------
    >>> one, maxima = np.array([[0.5, 0.5]]), np.arange(20.0, 0.0, -1.0)[None]
    >>> pairs = studentised_pairs(MaxT(one, one, one, np.array([[0.1, 0.2]]), maxima, 20), one, 0.05)
    >>> pairs.required, (pairs.required[:, None] * pairs.scale).round(2)  # t = 20 is required
    (array([4.]), array([[2., 4.]]))
    """
    widest = result.scale.max(axis=-1, keepdims=True)
    unit = np.where(widest > 0.0, widest, 1.0)
    required, error = (part * unit[:, 0] for part in required_with_error(result.maxima, alpha))
    drawn = (result.trials, result.maxima * unit)
    return Pairs(result.mean_difference, effect, result.pvalue, required, error, *drawn, scale=result.scale / unit)


def _tukey(matrix: Floats, alpha: float) -> Pairs:
    result = two_way_anova(matrix)
    required = np.maximum(result.required_difference(alpha), result.zero)
    return Pairs(result.mean_difference, _hsd(result), result.tukey_pvalue, required, np.full(len(matrix), np.nan))


def _hsd(anova: TwoWayAnova) -> Floats:
    return np.asarray(np.copysign(anova.tukey_statistic, anova.mean_difference) / np.sqrt(anova.topics))


def _bootstrap(matrix: Floats, alpha: float, progress: Progress | None, options: dict[str, Any]) -> Pairs:
    result = paired_bootstrap(matrix, alpha=alpha, progress=progress, **options)
    neediest = result.differences_required.argmax(axis=-1)
    error = np.array([_batch_error(one, pair, alpha, options) for one, pair in zip(matrix, neediest, strict=True)])
    effect = result.statistic / np.sqrt(matrix.shape[1])
    return Pairs(
        result.mean_difference, effect, result.pvalue, result.required_difference(), error, trials=result.trials
    )


def _batch_error(matrix: Floats, pair: np.intp, alpha: float, options: dict[str, Any]) -> float:
    """Monte-Carlo error, from batches of trials, of the required difference: the largest that any pair requires."""
    first, second = system_pairs(matrix.shape[1])
    two = matrix[:, [first[pair], second[pair]]]
    drawn = np.concatenate(list(bootstrap_indices(len(matrix), options["trials"], options["seed"])))
    size = len(drawn) // _BATCHES
    if size < 1:
        return float("nan")
    batches = [drawn[i * size : (i + 1) * size] for i in range(_BATCHES)]
    needed = [float(paired_bootstrap(two, indices=batch, alpha=alpha).required_difference()) for batch in batches]
    return float(np.std(needed, ddof=1) / np.sqrt(_BATCHES))


def _closed_form(matrix: Floats, test: str, alpha: float) -> Pairs:
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
    needed = pairwise.critical_t(alpha, matrix.shape[1]) * pairwise.standard_errors(matrix)
    return Pairs(result.mean_difference, effect, result.pvalue, needed.max(axis=-1), none)


@dataclass(frozen=True, eq=False)
class EffectSizes:
    """Per pair, in the order (0,1), (0,2), ..., (1,2), ...; (..., pairs) each.

    Attributes
    ----------
    mean_difference : ndarray
    cohen_dz : ndarray
        Mean difference in standard deviations of the differences.
    hsd : ndarray
        abs(mean difference) in residual standard deviations of the two-way ANOVA (Sakai).
    """

    mean_difference: Floats
    cohen_dz: Floats
    hsd: Floats


def effect_sizes(scores: ArrayLike) -> EffectSizes:
    """Measure the differences between all systems of ``scores[..., topic, system]``.

    No spread: 0 for no difference, otherwise infinite. One topic: NaN.

    Examples
    --------
    >>> result = effect_sizes([[2, 1], [4, 1], [3, 1]])  # differences 1, 3, 2
    >>> result.cohen_dz, result.hsd.round(4)  # residual variance is half the variance of the differences
    (array([2.]), array([2.8284]))
    """
    matrix = score_matrix(scores)
    anova = two_way_anova(matrix)
    hsd = anova.tukey_statistic / np.sqrt(anova.topics)
    return EffectSizes(anova.mean_difference, _cohen_dz(matrix, anova.mean_difference), hsd)


def _cohen_dz(matrix: Floats, difference: Floats) -> Floats:
    topics, systems = matrix.shape[-2:]
    if topics < 2:
        return np.full_like(difference, np.nan)
    zero = tolerance(matrix, axes=2)[..., 0]
    deviation = np.sqrt(topics) * standard_errors(matrix.reshape(-1, topics, systems)).reshape(difference.shape)
    without = np.where(np.abs(difference) <= zero, 0.0, np.copysign(np.inf, difference))
    return np.asarray(np.divide(difference, deviation, out=without, where=deviation > zero))
