"""Power by the closed-form Tukey HSD, on these topics and on resampled ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from metameter.parallel import Workers
from metameter.stats.checks import check_level
from metameter.stats.explicit import replicates_or_default
from metameter.stats.percentile import centred_interval
from metameter.stats.replicates import map_blocks
from metameter.stats.resampling import bootstrap_indices, multiplicities
from metameter.stats.two_way import TopicSums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats
    from metameter.stats.replicates import Replicates

__all__ = ["power_differences", "resampled_power", "tukey_power"]


def tukey_power(matrix: Floats, alpha: float = 0.05) -> Floats:
    """Share of pairs that differ significantly by two-way Tukey HSD, for each metric.

    Examples
    --------
    >>> tukey_power(np.array([[[1.0, 2, 4], [2, 3, 4], [3, 5, 6], [4, 4, 7]]])).round(4)
    array([0.6667])
    """
    every = np.ones((1, matrix.shape[1]), dtype=np.int64)
    return np.asarray(TopicSums.of(matrix).analysis(every).power(alpha)[0])


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
    resamples, seed : int
        How many resamples; their seed.
    alpha : float
    indices : Replicates or array of int, (resamples, topics), optional
        Explicit resamples.
    jobs : int or Workers, optional
        How many threads; the result does not depend on it.

    Returns
    -------
    ndarray, (resamples, metrics)

    Examples
    --------
    >>> matrix = np.array([[[1.0, 2, 4], [2, 3, 4], [3, 5, 6], [4, 4, 7]]])
    >>> resampled_power(matrix, 0, indices=np.array([[0, 1, 2, 3], [0, 0, 0, 2]])).round(4).tolist()
    [[0.6667], [1.0]]
    """
    topics = matrix.shape[1]
    if indices is None and not resamples:
        return np.empty((0, len(matrix)))
    default = bootstrap_indices(topics, resamples, seed) if indices is None else None
    drawn = replicates_or_default(indices, default, (topics,), "indices")
    blocks = map_blocks(_powers, drawn, jobs, sums=TopicSums.of(matrix), alpha=check_level(alpha))
    return np.concatenate(list(blocks))


def _powers(number: int, *, replicates: Replicates, sums: TopicSums, alpha: float) -> Floats:
    return sums.analysis(multiplicities(replicates.block(number), len(sums.columns))).power(alpha)


def power_differences(
    matrix: Floats,
    observed: Floats,
    pairs: Sequence[tuple[int, int]],
    *,
    resamples: int,
    alpha: float,
    seed: int,
    jobs: int | Workers | None,
) -> dict[str, Floats]:
    """Power of each first metric minus that of the second, with its interval for other topics.

    The difference is the observed one; how far it could move is how far the closed-form difference moves when topics
    are resampled. Resampled means are noisier than those over the topics themselves, so systems look further apart
    and all powers are too high: where that shift differs between metrics, it is subtracted.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    observed : ndarray, (metrics,)
        The power of each metric by the test that was asked for.
    pairs : sequence of (int, int)
        Positions among the metrics.
    resamples, alpha, seed, jobs
        As for `resampled_power`; no resamples, no intervals.

    Returns
    -------
    dict of ndarray, (pairs,)
        ``difference``, ``low``, ``high``, ``low_se``, ``high_se``, and ``difference_closed``, the difference by the
        closed-form test.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> matrix = np.linspace(0, 1, 8) + rng.normal(0, 0.5, (2, 20, 8)) * np.array([1.0, 4.0])[:, None, None]
    >>> result = power_differences(matrix, tukey_power(matrix), [(1, 0)], resamples=100, alpha=0.05, seed=0, jobs=1)
    >>> {key: float(result[key].round(2)[0]) for key in ("difference", "low", "high")}
    {'difference': -0.32, 'low': -0.48, 'high': -0.11}
    """
    first, second = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    closed = tukey_power(matrix, alpha)
    resampled = resampled_power(matrix, resamples, alpha=alpha, seed=seed, jobs=jobs)
    difference = observed[first] - observed[second]
    ends, errors = centred_interval(resampled[:, first] - resampled[:, second], difference)
    return {"difference": difference, **ends, **errors, "difference_closed": closed[first] - closed[second]}
