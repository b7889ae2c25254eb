"""One test of every two systems, for all metrics on the same replicates, and its convergence with the trials."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metameter.parallel import Progress, Workers
from metameter.stats.checks import Floats, SystemPairs, score_matrix, system_pairs, tolerance
from metameter.stats.resampling.monte_carlo_error import required_ranges, required_with_error
from metameter.stats.resampling.samples import bootstrap_indices
from metameter.stats.significance import pairwise
from metameter.stats.significance.anova import two_way_anova
from metameter.stats.significance.max_t import MaxT, max_t
from metameter.stats.significance.paired_bootstrap import PairedBootstrap, paired_bootstrap
from metameter.stats.significance.pairs import PairTests, corrected_pvalues
from metameter.stats.significance.pairwise import standard_errors
from metameter.stats.significance.tukey import RandomisedTukey, randomised_tukey

if TYPE_CHECKING:
    from metameter.stats.significance.anova import TwoWayAnova


_BATCHES = 10


def run_test(
    matrix: Floats,
    test: str,
    *,
    trials: int,
    alpha: float,
    seed: int,
    pairs: SystemPairs | None = None,
    jobs: int | Workers | None = None,
    progress: Progress | None = None,
) -> PairTests:
    """Return the result of one test for every two systems of ``matrix[metric, topic, system]``.

    Monte-Carlo p-values are (b + 1) / (trials + 1), never 0.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    test : str
        One of `pairs.TESTS`.
    trials, seed : int
        For Monte-Carlo tests.
    alpha : float
        Level of the required difference.
    pairs : pair of ndarray of int, optional
        For tests of each pair alone, the indices of the first and second systems; by default all pairs.
    jobs : int or Workers, optional
        How many threads, by default all cores; the result does not depend on it.
    progress : callable, optional
        Called with the progress of a Monte-Carlo test.

    Examples
    --------
    >>> result = run_test(np.array([[[0.0, 1.0], [0.0, 1.0], [0.1, 1.0]]]), "t", trials=1, alpha=0.05, seed=0)
    >>> result.difference.round(3), result.pvalue.round(4), result.required.round(3)
    (array([[-0.967]]), array([[0.0012]]), array([0.143]))
    """
    workers = Workers.of(jobs)
    if test == "tukey-randomised":
        permuted = randomised_tukey(matrix, trials=trials, seed=seed, jobs=workers, progress=progress)
        tested = _tukey_randomised(matrix, permuted, alpha)
    elif test == "max-t":
        resampled = max_t(matrix, trials=trials, seed=seed, jobs=workers, progress=progress)
        tested = max_t_pair_tests(resampled, cohen_dz(matrix), alpha)
    elif test == "tukey":
        tested = _tukey(matrix, alpha)
    elif test == "bootstrap":
        paired = paired_bootstrap(
            matrix, alpha=alpha, trials=trials, seed=seed, pairs=pairs, jobs=workers, progress=progress
        )
        tested = _bootstrap(matrix, paired, seed, pairs)
    else:
        tested = _closed_form(matrix, test, alpha, pairs)
    return with_tolerance(matrix, tested)


def with_tolerance(matrix: Floats, tested: PairTests) -> PairTests:
    """Return the result with its tolerance: differences within it are 0, and so are errors of required differences.

    Examples
    --------
    >>> one = np.array([[1e-15]])
    >>> with_tolerance(np.array([[[0.5, 0.5]]]), PairTests(one, one, one, one[0], one[0])).difference
    array([[0.]])
    """
    zero = tolerance(matrix, axes=2)[:, 0]
    tied = np.abs(tested.difference) <= zero
    # For scores on a coarse grid the ranges next to the required one are equal up to rounding.
    error = np.where(tested.required_error <= zero[:, 0], 0.0, tested.required_error)
    return replace(tested, difference=np.where(tied, 0.0, tested.difference), required_error=error, zero=zero)


def _tukey_randomised(matrix: Floats, result: RandomisedTukey, alpha: float) -> PairTests:
    required, error = required_with_error(result.ranges, alpha)
    effect = hsd_effect(two_way_anova(matrix))
    return PairTests(result.statistic, effect, result.pvalue, required, error, result.trials, result.ranges)


def max_t_pair_tests(result: MaxT, effect: Floats, alpha: float) -> PairTests:
    """Return the result of max-t in terms of differences of means.

    Parameters
    ----------
    result : MaxT
        With arrays (metrics, pairs).
    effect : ndarray, (metrics, pairs)
    alpha : float

    Examples
    --------
    >>> one, maxima = np.array([[0.5, 0.5]]), np.arange(20.0, 0.0, -1.0)[None]
    >>> pairs = max_t_pair_tests(MaxT(one, one, one, np.array([[0.1, 0.2]]), maxima, 20), one, 0.05)
    >>> pairs.required, (pairs.required[:, None] * pairs.scale).round(2)  # t = 20 is required
    (array([4.]), array([[2., 4.]]))
    """
    widest = result.scale.max(axis=-1, keepdims=True)
    unit = np.where(widest > 0.0, widest, 1.0)
    required, error = (part * unit[:, 0] for part in required_with_error(result.maxima, alpha))
    maxima = result.maxima * unit
    return PairTests(
        result.mean_difference, effect, result.pvalue, required, error, result.trials, maxima, scale=result.scale / unit
    )


def _tukey(matrix: Floats, alpha: float) -> PairTests:
    result = two_way_anova(matrix)
    required = np.maximum(result.required_difference(alpha), result.zero)
    return PairTests(
        result.mean_difference, hsd_effect(result), result.tukey_pvalue, required, np.full(len(matrix), np.nan)
    )


def hsd_effect(anova: TwoWayAnova, pairs: SystemPairs | None = None) -> Floats:
    """Return the differences of all pairs, or of some, in residual standard deviations.

    Examples
    --------
    >>> hsd_effect(two_way_anova([[2, 1], [4, 1], [3, 1]])).round(4)
    array([2.8284])
    """
    difference = anova.mean_difference if pairs is None else anova.differences(pairs)
    return np.asarray(np.copysign(anova.studentised(difference), difference) / np.sqrt(anova.topics))


def _bootstrap(matrix: Floats, result: PairedBootstrap, seed: int, pairs: SystemPairs | None) -> PairTests:
    both = np.stack(system_pairs(matrix.shape[-1]) if pairs is None else pairs)
    neediest = both[:, result.differences_required.argmax(axis=-1)].T
    error = np.array([_batch_error(one[:, two], result, seed) for one, two in zip(matrix, neediest, strict=True)])
    effect = result.statistic / np.sqrt(matrix.shape[1])
    return PairTests(
        result.mean_difference, effect, result.pvalue, result.required_difference(), error, trials=result.trials
    )


def _batch_error(two: Floats, result: PairedBootstrap, seed: int) -> float:
    """The Monte-Carlo error, from batches of trials, of the difference that two systems require."""
    resamples = np.concatenate(list(bootstrap_indices(len(two), result.trials, seed)))
    size = len(resamples) // _BATCHES
    if size < 1:
        return float("nan")
    batches = [resamples[i * size : (i + 1) * size] for i in range(_BATCHES)]
    needed = [
        float(paired_bootstrap(two, indices=batch, alpha=result.alpha).required_difference()) for batch in batches
    ]
    return float(np.std(needed, ddof=1) / np.sqrt(_BATCHES))


def _closed_form(matrix: Floats, test: str, alpha: float, pairs: SystemPairs | None) -> PairTests:
    tests: dict[str, Callable[..., pairwise.PairedTest]] = {
        "t": pairwise.paired_t,
        "wilcoxon": partial(pairwise.wilcoxon, tolerant=True),
        "sign": pairwise.sign,
    }
    result = tests[test](matrix, pairs=pairs)
    none = np.full(len(matrix), np.nan)
    if test != "t":
        return PairTests(result.mean_difference, cohen_dz(matrix, pairs), result.pvalue, none, none)
    effect = result.statistic / np.sqrt(matrix.shape[1])
    needed = pairwise.critical_t(alpha, matrix.shape[1]) * pairwise.standard_errors(matrix, pairs)
    return PairTests(result.mean_difference, effect, result.pvalue, needed.max(axis=-1), none)


@dataclass(frozen=True, eq=False)
class EffectSizes:
    """Effect sizes of all pairs in the order (0,1), (0,2), ..., (1,2), ...; arrays (..., pairs).

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
    """Return the effect sizes of all pairs of systems of ``scores[..., topic, system]``.

    Without spread they are 0 for no difference, otherwise infinite; NaN for one topic.

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


def cohen_dz(matrix: Floats, pairs: SystemPairs | None = None) -> Floats:
    """Return the mean difference of all pairs, or of some, in standard deviations of the differences.

    Examples
    --------
    >>> cohen_dz(np.array([[[2.0, 1.0], [4.0, 1.0], [3.0, 1.0]]]))  # differences 1, 3, 2
    array([[2.]])
    """
    difference = two_way_anova(matrix).differences(system_pairs(matrix.shape[-1]) if pairs is None else pairs)
    return _cohen_dz(matrix, difference, pairs)


def _cohen_dz(matrix: Floats, difference: Floats, pairs: SystemPairs | None = None) -> Floats:
    topics, systems = matrix.shape[-2:]
    if topics < 2:
        return np.full_like(difference, np.nan)
    zero = tolerance(matrix, axes=2)[..., 0]
    errors = standard_errors(matrix.reshape(-1, topics, systems), pairs)
    deviation = np.sqrt(topics) * errors.reshape(difference.shape)
    without = np.where(np.abs(difference) <= zero, 0.0, np.copysign(np.inf, difference))
    return np.asarray(np.divide(difference, deviation, out=without, where=deviation > zero))


_POINTS = 24
_AFFORDABLE = 20_000_000  # bootstrap samples x pairs x metrics: a few seconds


def convergence(
    matrix: Floats, tested: PairTests, correction: str, alpha: float, seed: int, jobs: int | Workers | None
) -> dict[str, NDArray[Any]] | None:
    """Return power and required difference after fewer trials and after all of them.

    None for tests that are not Monte-Carlo tests. The bootstrap test keeps no record of its samples, so it is run again
    with an eighth, a quarter and a half of them; None if that would take long.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    tested : PairTests
        The result of `run_test`.
    correction : str
    alpha : float
    seed : int
        As for `run_test`.
    jobs : int or Workers, optional

    Returns
    -------
    dict or None
        As from `ranges_convergence`.

    Examples
    --------
    >>> matrix = np.array([[[0.0, 1.0], [0.0, 1.0], [0.1, 1.0]]])
    >>> tested = run_test(matrix, "bootstrap", trials=80, alpha=0.05, seed=0)
    >>> convergence(matrix, tested, "none", 0.05, seed=0, jobs=1)["trials"].tolist()
    [10, 20, 40, 80]
    """
    if tested.trials is None:
        return None
    if tested.ranges is not None:
        return ranges_convergence(tested.ranges, tested.statistic, tested.zero, alpha)
    if tested.pvalue.size * tested.trials > _AFFORDABLE:
        return None
    counts = sorted({max(1, tested.trials // part) for part in (8, 4, 2)} - {tested.trials})
    runs = [run_test(matrix, "bootstrap", trials=n, alpha=alpha, seed=seed, jobs=jobs) for n in counts]
    return _by_run([*runs, tested], correction, alpha)


def _by_run(runs: list[PairTests], correction: str, alpha: float) -> dict[str, NDArray[Any]]:
    return {
        "trials": np.array([run.trials for run in runs]),
        "power": np.stack([(corrected_pvalues(run.pvalue, correction) < alpha).mean(axis=-1) for run in runs], axis=-1),
        "power_error": np.stack([power_error(run, correction, alpha) for run in runs], axis=-1),
        "required_difference": np.stack([run.required for run in runs], axis=-1),
        "required_difference_error": np.stack([run.required_error for run in runs], axis=-1),
    }


def ranges_convergence(
    ranges: Floats, difference: Floats, tolerance: Floats | float, alpha: float, points: int = _POINTS
) -> dict[str, NDArray[Any]]:
    """Return power and required difference after the first trials of a randomised test, with Monte-Carlo errors.

    Parameters
    ----------
    ranges : ndarray, (metrics, trials)
    difference : ndarray, (metrics, pairs)
        Statistics compared with the ranges; for max-t the differences divided by their scale.
    tolerance : ndarray, (metrics, 1)
    alpha : float
    points : int
        The number of points; the last one is all trials.

    Returns
    -------
    dict
        ``trials`` (points,), and (metrics, points) each: ``power``, ``power_error``, ``required_difference``,
        ``required_difference_error``.

    Examples
    --------
    >>> result = ranges_convergence(np.array([[0.3, 0.1, 0.2, 0.4]]), np.array([[0.5, 0.1]]), 0.0, 0.25)
    >>> result["trials"], result["required_difference"], result["power"]
    (array([4]), array([[0.4]]), array([[0.5]]))
    """
    total = ranges.shape[-1]
    counts = np.unique(np.geomspace(total, min(64, total), points).round().astype(np.int64))
    distances = np.sort(np.abs(difference) - tolerance, axis=-1)
    needed = np.stack([required_ranges(ranges[:, :count], alpha) for count in counts], axis=1)
    shares = np.stack([_share_above(row, bounds) for row, bounds in zip(distances, needed, strict=True)])
    # With few topics the required t may be infinite.
    needed = np.where(np.isfinite(needed), needed, np.nan)
    error = (needed[..., 1] - needed[..., 2]) / 2.0
    return {
        "trials": counts,
        "power": shares[..., 0],
        "power_error": (shares[..., 2] - shares[..., 1]) / 2.0,
        "required_difference": needed[..., 0],
        "required_difference_error": np.where(error <= tolerance, 0.0, error),
    }


def _share_above(rising: Floats, bounds: Floats) -> Floats:
    return np.asarray((len(rising) - np.searchsorted(rising, bounds, side="right")) / len(rising))


def power_error(tested: PairTests, correction: str, alpha: float) -> Floats:
    """Return the Monte-Carlo error of power: half its change when p-values move one standard error up or down.

    Examples
    --------
    >>> p = np.array([[0.04, 0.06, 0.5, 0.001]])
    >>> pairs = PairTests(p, p, p, p[:, 0], p[:, 0], trials=100)  # sqrt(.05 * .95 / 100) = .022
    >>> power_error(pairs, "none", 0.05)  # between 1 and 3 of the 4
    array([0.25])
    """
    if tested.trials is None:
        return np.full(len(tested.pvalue), np.nan)
    if tested.ranges is not None:
        last = ranges_convergence(tested.ranges, tested.statistic, tested.zero, alpha, points=1)
        return np.asarray(last["power_error"][:, 0])
    error = tested.pvalue_error
    moved = (
        corrected_pvalues(np.clip(tested.pvalue + shift, 0.0, 1.0), correction) < alpha for shift in (-error, error)
    )
    more, fewer = (verdicts.mean(axis=-1) for verdicts in moved)
    return np.asarray((more - fewer) / 2.0)
