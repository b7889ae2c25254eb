"""Power by the closed-form Tukey HSD, on resampled topics: how far it could move with other topics."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from metameter.parallel import Workers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats
    from metameter.stats.replicates import Replicates

__all__ = ["resampled_power", "tukey_power"]

# What is left of the squares after subtraction is rounding below this share of them.
_ROUNDING = 1e-13


def resampled_power(
    matrix: Floats,
    resamples: int,
    *,
    alpha: float = 0.05,
    seed: int = 0,
    indices: Replicates | NDArray[np.int64] | None = None,
    jobs: int | Workers | None = 1,
) -> Floats:
    """Share of pairs that differ significantly, in every resample of the topics, the same resamples for all metrics.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    resamples, seed, jobs : int
        How many resamples; their seed; threads (the result does not depend on them).
    alpha : float
    indices : Replicates or array of int, (resamples, topics), optional
        The resamples, where they are given.

    Returns
    -------
    ndarray, (resamples, metrics)

    Examples
    --------
    >>> matrix = np.array([[[1.0, 2, 4], [2, 3, 4], [3, 5, 6], [4, 4, 7]]])
    >>> resampled_power(matrix, 0, indices=np.array([[0, 1, 2, 3], [0, 0, 0, 2]])).round(4).tolist()
    [[0.6667], [1.0]]
    """
    from metameter.stats.replicates import chosen
    from metameter.stats.resampling import bootstrap_indices, multiplicities

    topics = matrix.shape[1]
    if indices is None and not resamples:
        return np.empty((0, len(matrix)))
    drawn = chosen(indices, None if indices is not None else bootstrap_indices(topics, resamples, seed), (topics,), "")
    judge = _Judge(matrix, alpha)
    return np.concatenate(list(Workers.of(jobs).map(lambda block: judge.power(multiplicities(block, topics)), drawn)))


def tukey_power(matrix: Floats, alpha: float = 0.05) -> Floats:
    """Share of pairs that differ significantly by two-way Tukey HSD, for each metric.

    Examples
    --------
    >>> tukey_power(np.array([[[1.0, 2, 4], [2, 3, 4], [3, 5, 6], [4, 4, 7]]])).round(4)
    array([0.6667])
    """
    every = np.ones((1, matrix.shape[1]), dtype=np.int64)
    return np.asarray(_Judge(matrix, alpha).power(every)[0])


@lru_cache(maxsize=16)
def _critical(alpha: float, systems: int, freedom: int) -> float:
    # Kept, because finding it takes as long as judging hundreds of resamples.
    from metameter.stats.studentized_range import studentized_range_quantile

    return studentized_range_quantile(alpha, systems, freedom)


class _Judge:
    """Two-way Tukey HSD on weighted topics; all of a metric's topics are prepared once."""

    def __init__(self, matrix: Floats, alpha: float) -> None:
        from metameter.stats.checks import check_level, tolerance

        metrics, topics, systems = matrix.shape
        self.shape, self.freedom = (metrics, systems), (systems - 1) * (topics - 1)
        self.critical = _critical(check_level(alpha), systems, self.freedom)
        self.zero = tolerance(matrix, axes=2)[:, 0, 0]
        # Without the means of the topics, the analysis needs only sums over topics.
        centred = matrix - matrix.mean(axis=-1, keepdims=True)
        squares = (centred**2).sum(axis=-1)
        self.columns = np.concatenate([np.moveaxis(centred, 1, 0).reshape(topics, -1), squares.T], axis=1)

    def power(self, weights: NDArray[np.int64]) -> Floats:
        """(replicates, topics) weights, each row as many as there are topics, to (replicates, metrics)."""
        from metameter.stats.sums import weighted_sums

        metrics, systems = self.shape
        topics = weights.shape[1]
        sums = weighted_sums(weights, self.columns)
        means = sums[:, :-metrics].reshape(-1, metrics, systems) / topics
        squares = sums[:, -metrics:]
        residual = squares - topics * (means**2).sum(axis=-1)
        residual = np.where(residual <= _ROUNDING * squares, 0.0, residual)
        required = self.critical * np.sqrt(residual / (self.freedom * topics))
        return _shares(means, np.maximum(required, self.zero))


def _shares(means: Floats, required: Floats) -> Floats:
    """Share of the pairs of means (..., systems) that are further apart than what is required (...)."""
    systems = means.shape[-1]
    rows = np.sort(means, axis=-1).reshape(-1, systems)
    limits = rows + required.reshape(-1, 1)
    not_above = [int(row.searchsorted(limit, side="right").sum()) for row, limit in zip(rows, limits, strict=True)]
    found = systems * systems - np.array(not_above)
    return np.asarray(found.reshape(required.shape) / (systems * (systems - 1) // 2))
