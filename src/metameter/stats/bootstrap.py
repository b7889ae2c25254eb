"""Percentile intervals over resampled topics: what other topics would have shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from metameter.parallel import Workers
from metameter.stats.checks import Floats, Interval, as_finite, score_matrix
from metameter.stats.deterministic_sums import weighted_sums
from metameter.stats.intervals.rows import as_float, percentile_interval
from metameter.stats.resampling.replicates import map_blocks, replicates_or_default
from metameter.stats.resampling.samples import bootstrap_indices, multiplicities

if TYPE_CHECKING:
    from metameter.stats.resampling.replicates import Replicates


@dataclass(frozen=True, eq=False)
class BootstrapInterval:
    """A statistic and how far it moves when topics are resampled.

    Attributes
    ----------
    statistic : float or ndarray
    confidence_interval : Interval
        Percentiles of the resampled statistics.
    standard_error : float or ndarray
    distribution : ndarray, (trials, ...)
    """

    statistic: Any
    confidence_interval: Interval
    standard_error: Any
    distribution: Floats


def bootstrap_means_interval(
    scores: ArrayLike,
    statistic: Callable[[Floats], Any] | None = None,
    *,
    trials: int = 1000,
    level: float = 0.95,
    seed: int = 0,
    indices: Replicates | ArrayLike | None = None,
    jobs: int | Workers | None = 1,
) -> BootstrapInterval:
    """Bootstrap a statistic of the system means, such as a difference or a rank correlation.

    Parameters
    ----------
    scores : array-like, (..., topics, systems)
    statistic : callable, optional
        Turns means (..., systems) into values; must accept a further leading axis of replicates. By default the
        means themselves. To run elsewhere than in threads it must be a function that can be pickled.
    trials, level, seed
        Number of resamples, confidence, seed of the resamples.
    indices : Replicates or array of int, (trials, topics), optional
        Explicit resamples.
    jobs : int or Workers, optional
        How many threads; the result does not depend on it.

    Examples
    --------
    >>> scores = [[0.2, 0.5], [0.4, 0.5], [0.1, 0.6], [0.3, 0.4]]
    >>> result = bootstrap_means_interval(scores, lambda means: means[..., 1] - means[..., 0])
    >>> round(float(result.statistic), 3), [round(bound, 3) for bound in result.confidence_interval]
    (0.25, [0.1, 0.4])
    """
    matrix = score_matrix(scores, systems=1)
    topics = matrix.shape[-2]
    replicates = replicates_or_default(indices, bootstrap_indices(topics, trials, seed), (topics,), "indices")
    means = matrix.mean(axis=-2)
    columns = np.moveaxis(matrix, -2, 0).reshape(topics, -1)
    shared: dict[str, Any] = {"columns": columns, "shape": means.shape, "statistic": statistic}
    distribution = np.concatenate(list(map_blocks(_of_means, replicates, jobs, **shared)))
    return _summary(means if statistic is None else statistic(means), distribution, level)


def _of_means(
    number: int,
    *,
    replicates: Replicates,
    columns: Floats,
    shape: tuple[int, ...],
    statistic: Callable[[Floats], Any] | None,
) -> Floats:
    topics = len(columns)
    means = weighted_sums(multiplicities(replicates.block(number), topics), columns) / topics
    means = means.reshape(-1, *shape)
    return np.asarray(means if statistic is None else statistic(means))


def bootstrap_interval(
    scores: ArrayLike,
    statistic: Callable[[Floats], Any],
    *,
    trials: int = 1000,
    level: float = 0.95,
    seed: int = 0,
    indices: Replicates | ArrayLike | None = None,
    jobs: int | Workers | None = 1,
) -> BootstrapInterval:
    """Bootstrap any statistic of a matrix whose first axis is resampled (topics, or rows of any other kind).

    ``statistic(scores[resampled])`` is called once per resample; the other arguments are those of
    `bootstrap_means_interval`.

    Examples
    --------
    >>> result = bootstrap_interval([1, 2, 3, 4, 5], np.median)
    >>> float(result.statistic), result.confidence_interval
    (3.0, Interval(low=1.0, high=5.0))
    """
    rows = as_finite(scores)
    drawn = bootstrap_indices(len(rows), trials, seed)
    replicates = replicates_or_default(indices, drawn, (len(rows),), "indices")
    blocks = map_blocks(_of_rows, replicates, jobs, rows=rows, statistic=statistic)
    return _summary(statistic(rows), np.concatenate(list(blocks)), level)


def _of_rows(number: int, *, replicates: Replicates, rows: Floats, statistic: Callable[[Floats], Any]) -> Floats:
    block = replicates.block(number)
    return np.stack([np.asarray(statistic(rows[drawn]), dtype=np.float64) for drawn in block])


def _summary(observed: Any, distribution: Floats, level: float) -> BootstrapInterval:
    spread = as_float(distribution.std(axis=0, ddof=1)) if len(distribution) > 1 else np.nan
    return BootstrapInterval(observed, percentile_interval(distribution, level), spread, distribution)
