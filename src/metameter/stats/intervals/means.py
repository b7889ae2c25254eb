"""Intervals of the systems' means: how far each may be off, had other topics been drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from metameter.parallel import Workers
from metameter.stats.checks import Floats, check_level, score_matrix, tolerance
from metameter.stats.deterministic_sums import sparse
from metameter.stats.resampling.monte_carlo_error import quantile_ranks
from metameter.stats.resampling.samples import bootstrap_indices, multiplicities
from metameter.stats.resampling.studentised import observed_t, resampled_t
from metameter.stats.tests.pairwise import critical_t

_CELLS = 1 << 18  # resamples x systems held at a time: bounds the memory


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
    """Studentised bootstrap intervals of the means, symmetric, and at least as wide as Student's t intervals.

    In each resample of the topics every mean is compared with the observed one, in standard errors of the resample.
    The width is the ``level`` quantile of these abs(t), times the observed standard error. Effectiveness scores are
    skewed and pile up at 0 and 1, which t intervals ignore and percentiles make worse.

    A resample that drew one of n topics n times has no spread, and its t would be infinite. So the standard error of a
    resample is taken as at least 1/n of the observed one.

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
    weights = sparse(np.concatenate([multiplicities(each, topics) for each in bootstrap_indices(topics, trials, seed)]))
    step = max(1, _CELLS // weights.shape[0])
    units = [(columns[:, i : i + step], zeros[i : i + step]) for i in range(0, columns.shape[1], step)]
    parts = Workers.of(jobs).map(_widths, units, weights=weights, alpha=1.0 - check_level(level, "level"))
    width, error = np.concatenate(list(parts), axis=1).reshape(2, *matrix.shape[:-2], systems)
    return MeanIntervals(matrix.mean(axis=-2), width, error)


def _widths(unit: tuple[Floats, Floats], *, weights: Any, alpha: float) -> Floats:
    """Half the width of the interval of each column, and its Monte-Carlo error, (2, columns)."""
    columns, zeros = unit
    topics = len(columns)
    t, means = resampled_t(observed_t(columns, zeros)[1], weights, zeros)
    error = np.where(np.ptp(columns, axis=0) > zeros, columns.std(axis=0, ddof=1) / np.sqrt(topics), 0.0)
    least = np.where(error > 0.0, error / topics, np.inf)
    falling = -np.sort(-np.minimum(t, np.abs(means) / least), axis=0)
    middle, above, below = falling[np.array(quantile_ranks(alpha, len(falling))) - 1]
    student = critical_t(alpha, topics)
    return np.stack([np.maximum(middle, student) * error, (above - below) / 2.0 * (middle > student) * error])
