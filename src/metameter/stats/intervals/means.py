"""Intervals of the systems' means and of the differences between systems, for other topics."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from metameter.parallel import Workers
from metameter.stats.checks import Floats, SystemPairs, check_level, score_matrix, tolerance
from metameter.stats.deterministic_sums import sparse_weights
from metameter.stats.resampling.monte_carlo_error import attainable, quantile_ranks
from metameter.stats.resampling.samples import bootstrap_indices, multiplicities
from metameter.stats.resampling.studentised import Resampled, observed_t, resampled_pairs, resampled_t
from metameter.stats.significance.pairs import FAMILYWISE, PairTests
from metameter.stats.significance.pairwise import critical_t, standard_errors

_CELLS = 1 << 18  # resamples x systems at a time: bounds the memory


@dataclass(frozen=True, eq=False)
class MeanIntervals:
    """Result of `mean_intervals`; (..., systems) each.

    Attributes
    ----------
    mean, width : ndarray
        The interval is the mean plus or minus the width.
    width_error : ndarray
        Monte-Carlo standard error of the width.
    """

    mean: Floats
    width: Floats
    width_error: Floats


def mean_intervals(
    scores: ArrayLike,
    *,
    trials: int = 1000,
    level: float = 0.95,
    seed: int = 0,
    jobs: int | Workers | None = 1,
) -> MeanIntervals:
    """Return symmetric studentised bootstrap intervals of the means, at least as wide as Student's t intervals.

    For each resample of the topics, t is the difference of its mean from the observed mean in standard errors of the
    resample. The width is the ``level`` quantile of abs(t) times the observed standard error. Effectiveness scores are
    skewed and accumulate at 0 and 1: t intervals ignore that, percentile intervals cover even less.

    A resample of a single distinct topic has no spread, and its t would be infinite. So the standard error of a
    resample is taken as at least 1/n of the observed one, for n topics.

    Parameters
    ----------
    scores : array-like, (..., topics, systems)
        At least two topics.
    trials, level, seed
        Number of resamples, the same for all systems and metrics; confidence; seed of the resamples.
    jobs : int or Workers, optional
        How many threads; the result does not depend on it.

    Examples
    --------
    >>> result = mean_intervals([[0.1, 0.5], [0.2, 0.5], [0.1, 0.5], [0.8, 0.5], [0.3, 0.5]])
    >>> result.mean.round(2), result.width.round(2)  # Student's t gives 0.36 for the first; the second has no spread
    (array([0.3, 0.5]), array([0.8, 0. ]))
    """
    matrix = score_matrix(scores, systems=1, topics=2)
    topics, systems = matrix.shape[-2:]
    flat = matrix.reshape(-1, topics, systems)
    columns = np.moveaxis(flat, 1, 0).reshape(topics, -1)
    zeros = np.repeat(tolerance(flat, axes=2)[:, 0, 0], systems)
    weights = sparse_weights(
        np.concatenate([multiplicities(each, topics) for each in bootstrap_indices(topics, trials, seed)])
    )
    step = max(1, _CELLS // weights.shape[0])
    units = [(columns[:, i : i + step], zeros[i : i + step]) for i in range(0, columns.shape[1], step)]
    parts = Workers.of(jobs).map(_widths, units, weights=weights, alpha=1.0 - check_level(level, "level"))
    width, error = np.concatenate(list(parts), axis=1).reshape(2, *matrix.shape[:-2], systems)
    return MeanIntervals(matrix.mean(axis=-2), width, error)


def _widths(unit: tuple[Floats, Floats], *, weights: Any, alpha: float) -> Floats:
    """Half-width of the interval of each column, and its Monte-Carlo error, (2, columns)."""
    columns, zeros = unit
    topics = len(columns)
    t, means = resampled_t(observed_t(columns, zeros)[1], weights, zeros)
    error = np.where(np.ptp(columns, axis=0) > zeros, columns.std(axis=0, ddof=1) / np.sqrt(topics), 0.0)
    least = np.where(error > 0.0, error / topics, np.inf)
    falling = -np.sort(-np.minimum(t, np.abs(means) / least), axis=0)
    middle, above, below = falling[np.array(quantile_ranks(alpha, len(falling))) - 1]
    student = critical_t(alpha, topics)
    return np.stack([np.maximum(middle, student) * error, (above - below) / 2.0 * (middle > student) * error])


def pair_widths(
    matrix: Floats,
    test: str,
    tested: PairTests,
    *,
    alpha: float,
    correction: str,
    seed: int,
    pairs: SystemPairs | None = None,
    jobs: int | Workers | None = 1,
) -> tuple[Floats, Floats]:
    """Return the half-width of the interval of every difference, and its Monte-Carlo error, (metrics, pairs) each.

    The interval is the difference plus or minus the half-width. It excludes 0 exactly where the test rejects: for the
    tests with one error rate for all pairs (the intervals are then simultaneous), and for the t test and the bootstrap
    test, uncorrected or with a correction that uses one level for all pairs (bonferroni, sidak). The Wilcoxon and sign
    tests are not about means; for them these are t intervals of the mean difference. NaN where no
    difference, however large, would be significant: too few resamples, or too many of them without spread.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    test : str
    tested : PairTests
        The result of the test on these pairs. A correction uses their number as the size of the family.
    alpha : float
    correction : str
    seed : int
    pairs : pair of ndarray of int, optional
        Indices of the first and second systems; by default all pairs.
    jobs : int or Workers, optional

    Examples
    --------
    >>> from metameter.stats.significance.pair_tests import run_test
    >>> x = np.array([[[2.0, 1.0], [4.0, 1.0], [3.0, 1.0]]])
    >>> pairs = run_test(x, "t", trials=1, alpha=0.05, seed=0)
    >>> width, _ = pair_widths(x, "t", pairs, alpha=0.05, correction="none", seed=0)
    >>> width.round(3)  # 4.303 standard errors of 1 / sqrt(3)
    array([[2.484]])
    """
    if test in FAMILYWISE:
        # A difference within the tolerance of the required one is not significant.
        required, error = (part[:, None] * tested.scale for part in (tested.required, tested.required_error))
        shape = tested.difference.shape
        return np.broadcast_to(required + tested.zero, shape), np.broadcast_to(error, shape)
    level = _per_pair(alpha, correction, tested.difference.shape[1])
    errors = standard_errors(matrix, pairs)
    if test == "bootstrap":
        trials = tested.trials or 1
        if not attainable(level, trials):
            return np.full_like(errors, np.nan), np.full_like(errors, np.nan)
        needed, above, below = _studentised(matrix, level, trials, seed, pairs, jobs)
        # If more than a share alpha of the resamples have no spread, no t suffices.
        needed, above = (np.where(np.isfinite(part), part, np.nan) for part in (needed, above))
        return needed * errors, (above - below) / 2.0 * errors
    return critical_t(level, matrix.shape[1]) * errors, np.full_like(errors, np.nan)


def width_is_required_difference(test: str, correction: str) -> bool:
    """Whether the half-width of an interval is the smallest difference that the test calls significant.

    Examples
    --------
    >>> width_is_required_difference("tukey", "none"), width_is_required_difference("sign", "none")
    (True, False)
    """
    return test not in ("wilcoxon", "sign") and correction in ("none", "bonferroni", "sidak")


def _per_pair(alpha: float, correction: str, family: int) -> float:
    if correction == "bonferroni":
        return alpha / family
    return -float(np.expm1(np.log1p(-alpha) / family)) if correction == "sidak" else alpha


def _studentised(
    matrix: Floats, alpha: float, trials: int, seed: int, pairs: SystemPairs | None, jobs: int | Workers | None
) -> Floats:
    """The abs(t) that the bootstrap test requires of each pair, and those one Monte-Carlo error above and below."""
    indices = bootstrap_indices(matrix.shape[1], trials, seed)
    summary = partial(_required_t, ranks=quantile_ranks(alpha, trials))
    return resampled_pairs(matrix, indices, summary, pairs=pairs, jobs=jobs)


def _required_t(some: Resampled, *, ranks: tuple[int, int, int]) -> Floats:
    positions = [-rank for rank in ranks]
    return np.asarray(np.partition(some.extreme, sorted(set(positions)), axis=0)[positions])
