"""One test of every two systems, for all metrics on the same replicates, whatever the test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from metameter.errors import MetameterError
from metameter.meta._precision import quantile_ranks
from metameter.scoring.executor import workers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats
    from metameter.stats.replicates import Drawn

__all__ = ["MONTE_CARLO", "NAMES", "TUKEY", "Correction", "Pairs", "Test", "check", "corrected", "run_test"]

Test: TypeAlias = Literal["tukey-randomised", "bootstrap", "tukey", "t", "wilcoxon", "sign"]
Correction: TypeAlias = Literal["none", "bonferroni", "holm", "sidak", "hommel", "fdr_bh", "fdr_by"]

NAMES = {
    "tukey-randomised": "randomised Tukey HSD",
    "bootstrap": "paired bootstrap",
    "tukey": "Tukey HSD with two-way analysis of variance",
    "t": "paired t test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "sign": "sign test",
}
TUKEY = ("tukey-randomised", "tukey")
MONTE_CARLO = ("tukey-randomised", "bootstrap")
_BATCHES = 10


@dataclass(frozen=True, eq=False)
class Pairs:
    """What a test says of every two systems; metrics x pairs, pairs in the order (0,1), (0,2), ..., (1,2), ...

    Attributes
    ----------
    difference : ndarray
        Mean of the first system minus mean of the second; exactly 0 when they are tied.
    effect : ndarray
        The difference in standard deviations: residual ones (Sakai's HSD effect size) for the Tukey tests, those of
        the differences over topics (Cohen's d_z) for the others.
    pvalue : ndarray
        Of each pair, uncorrected.
    required, required_error : ndarray, (metrics,)
        The difference that the test requires, and its Monte-Carlo error; NaN where there is no such thing.
    trials : int or None
        None if the test draws nothing at random.
    ranges : ndarray, (metrics, trials), optional
        What randomised Tukey HSD compares the differences with.
    zero : ndarray, (metrics, 1)
        The tolerance up to which a difference counts as zero.
    """

    difference: Floats
    effect: Floats
    pvalue: Floats
    required: Floats
    required_error: Floats
    trials: int | None = None
    ranges: Floats | None = None
    zero: Floats | float = 0.0

    @property
    def pvalue_error(self) -> Floats:
        """Monte-Carlo standard error of each uncorrected p-value; NaN if nothing was drawn."""
        if self.trials is None:
            return np.full_like(self.pvalue, np.nan)
        return np.sqrt(self.pvalue * (1.0 - self.pvalue) / self.trials)


def check(test: str, correction: str, alpha: float) -> None:
    """Refuse what makes no sense, before anything is computed.

    Examples
    --------
    >>> check("tukey", "holm", 0.05)
    Traceback (most recent call last):
    metameter.errors.MetameterError: tukey controls the family-wise error already (given 'holm', allowed: none). \
Leave --correction out, or choose another --test.
    """
    from metameter.stats.adjust import ADJUSTMENTS
    from metameter.stats.checks import check_level

    for what, given, allowed in (("test", test, NAMES), ("correction", correction, ("none", *ADJUSTMENTS))):
        if given not in allowed:
            raise MetameterError(f"unknown {what}", given=given, allowed=", ".join(allowed))
    check_level(alpha)
    if test in TUKEY and correction != "none":
        raise MetameterError(
            f"{test} controls the family-wise error already",
            given=correction,
            allowed="none",
            fix="Leave --correction out, or choose another --test.",
        )


def corrected(pvalue: Floats, correction: str) -> Floats:
    """The p-values of each metric, corrected for the number of pairs.

    Examples
    --------
    >>> corrected(np.array([[0.01, 0.5]]), "bonferroni")
    array([[0.02, 1.  ]])
    """
    from metameter.stats.adjust import adjust_pvalues

    return pvalue if correction == "none" else np.stack([adjust_pvalues(row, correction) for row in pvalue])


def run_test(
    matrix: Floats,
    test: str,
    *,
    trials: int,
    alpha: float,
    seed: int,
    jobs: int | None = None,
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
    options: dict[str, Any] = {"trials": trials, "seed": seed, "jobs": workers(jobs)}
    if test == "tukey-randomised":
        found = _tukey_randomised(matrix, alpha, progress, options)
    elif test == "tukey":
        found = _tukey(matrix, alpha)
    elif test == "bootstrap":
        found = _bootstrap(matrix, alpha, options)
    else:
        found = _closed(matrix, test, alpha)
    tied = np.abs(found.difference) <= zero
    # Of scores on a coarse grid the ranges next to the required one are equal, up to rounding.
    error = np.where(found.required_error <= zero[:, 0], 0.0, found.required_error)
    return replace(found, difference=np.where(tied, 0.0, found.difference), required_error=error, zero=zero)


def _tukey_randomised(
    matrix: Floats, alpha: float, progress: Callable[..., None] | None, options: dict[str, Any]
) -> Pairs:
    from metameter.stats.resampling import row_permutations
    from metameter.stats.tukey import randomised_tukey

    if progress is not None:
        drawn = row_permutations(matrix.shape[1], matrix.shape[2], options["trials"], options["seed"])
        options = {**options, "permutations": _told(drawn, progress)}
    result = randomised_tukey(matrix, **options)
    middle, fewer, more = quantile_ranks(alpha, result.trials)
    falling = np.sort(result.ranges, axis=-1)[:, ::-1]
    error = (falling[:, fewer - 1] - falling[:, more - 1]) / 2.0
    effect = _hsd(matrix)
    return Pairs(result.statistic, effect, result.pvalue, falling[:, middle - 1], error, result.trials, result.ranges)


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
    return Pairs(result.mean_difference, _hsd(matrix), result.tukey_pvalue, required, np.full(len(matrix), np.nan))


def _hsd(matrix: Floats) -> Floats:
    from metameter.stats.anova import two_way_anova

    result = two_way_anova(matrix)
    return np.asarray(np.copysign(result.tukey_statistic, result.mean_difference) / np.sqrt(result.topics))


def _bootstrap(matrix: Floats, alpha: float, options: dict[str, Any]) -> Pairs:
    from metameter.stats.paired_bootstrap import paired_bootstrap

    result = paired_bootstrap(matrix, alpha=alpha, **options)
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

    result = {"t": pairwise.paired_t, "wilcoxon": pairwise.wilcoxon, "sign": pairwise.sign}[test](matrix)
    none = np.full(len(matrix), np.nan)
    if test != "t":
        return Pairs(result.mean_difference, effect_sizes(matrix).cohen_dz, result.pvalue, none, none)
    effect = result.statistic / np.sqrt(matrix.shape[1])
    needed = critical_t(alpha, matrix.shape[1]) * standard_errors(matrix)
    return Pairs(result.mean_difference, effect, result.pvalue, needed.max(axis=-1), none)


def critical_t(alpha: float, topics: int) -> float:
    """The t beyond which a two-sided paired test is significant.

    Examples
    --------
    >>> round(critical_t(0.05, 50), 3)
    2.01
    """
    from scipy.special import stdtrit

    return float(-stdtrit(topics - 1, alpha / 2.0))


def standard_errors(matrix: Floats) -> Floats:
    """The standard error of the mean difference of every pair, metrics x pairs.

    Examples
    --------
    >>> standard_errors(np.array([[[2.0, 1.0], [4.0, 1.0], [3.0, 1.0]]])).round(4)
    array([[0.5774]])
    """
    from metameter.stats.checks import system_pairs

    first, second = system_pairs(matrix.shape[-1])
    spread = [(one[:, first] - one[:, second]).std(axis=0, ddof=1) for one in matrix]
    return np.asarray(np.stack(spread) / np.sqrt(matrix.shape[1]))
