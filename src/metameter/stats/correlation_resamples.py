"""Statistics of the systems' means on resampled topics, at two levels of noise: resamples of one length and of four."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.stats.replicates import Drawn, Stream
from metameter.stats.resampling import multiplicities
from metameter.stats.sums import weighted_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats
    from metameter.stats.replicates import Replicates

__all__ = ["LONGER", "at_two_noises", "long_bootstrap_indices"]

LONGER = 4  # how many times longer a long resample is


def long_bootstrap_indices(topics: int, trials: int = 1000, seed: int = 0) -> Drawn:
    """Draw four times as many topics as there are, less four, with replacement: replicates (4 (topics - 1),).

    Scores of n topics that are drawn n times vary by (n - 1) / n of what they vary in the population; drawn n - 1
    times, their mean varies as the mean of n topics of the population does.

    Examples
    --------
    >>> long_bootstrap_indices(5).block(0).shape
    (64, 16)
    """
    draw = partial(_draw, topics=topics, length=LONGER * (topics - 1))
    return Drawn(trials, draw, Stream.LONG_BOOTSTRAP, seed)


def _draw(rng: np.random.Generator, count: int, *, topics: int, length: int) -> NDArray[Any]:
    return rng.integers(0, topics, size=(count, length), dtype=np.int64)


def at_two_noises(
    number: int,
    *,
    replicates: Replicates,
    matrix: Floats,
    statistic: Callable[[Floats], Floats],
) -> Floats:
    """Compute a statistic of the systems' means on a block of long resamples, and on the first quarter of each.

    Means over n topics carry the noise of n topics. Means over a quarter carry it twice, in variance: that of the
    topics, and as much again of the resample. Those over a long resample carry it 1.25 times.

    Parameters
    ----------
    number : int
        Of the block.
    replicates : Replicates
        As from `long_bootstrap_indices`.
    matrix : ndarray, (metrics, topics, systems)
    statistic : callable
        From means (resamples, metrics, systems) to values (resamples, ...).

    Returns
    -------
    ndarray, (resamples, 2, ...)
        Of the long resamples, and of the short ones.

    Examples
    --------
    >>> scores = np.random.default_rng(0).normal(size=(1, 40, 1))
    >>> resamples = long_bootstrap_indices(40, 4000)
    >>> drawn = [at_two_noises(b, replicates=resamples, matrix=scores, statistic=np.ravel) for b in range(63)]
    >>> (np.concatenate(drawn).std(axis=0) / (scores.std(ddof=1) / 40**0.5)).round(1)
    array([0.5, 1. ])
    """
    metrics, topics, systems = matrix.shape
    columns = np.moveaxis(matrix, 1, 0).reshape(topics, -1)
    indices = replicates.block(number)

    def of(drawn: NDArray[Any]) -> Floats:
        means = weighted_sums(multiplicities(drawn, topics), columns) / drawn.shape[1]
        return np.asarray(statistic(means.reshape(-1, metrics, systems)))

    return np.stack([of(indices), of(indices[:, : indices.shape[1] // LONGER])], axis=1)
