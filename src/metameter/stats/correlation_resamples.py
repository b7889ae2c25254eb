"""Statistics of the systems' means on resampled topics, at two levels of noise: resamples of one length and of four."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.parallel import Workers
from metameter.stats.replicates import Drawn, Stream, map_blocks
from metameter.stats.resampling import multiplicities
from metameter.stats.sums import weighted_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats
    from metameter.stats.replicates import Replicates

__all__ = ["LONGER", "long_bootstrap_indices", "resampled_at_two_noises"]

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


def resampled_at_two_noises(
    matrix: Floats,
    statistic: Callable[[Floats], Floats],
    trials: int,
    seed: int,
    jobs: int | Workers | None,
) -> tuple[Floats, Floats]:
    """Compute a statistic of the systems' means on long resamples, and on the first quarter of each.

    Means over n topics carry the noise of n topics. Means over a quarter carry it twice, in variance: that of the
    topics, and as much again of the resample. Those over a long resample carry it 1.25 times.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
        Two topics or more.
    statistic : callable
        From means (resamples, metrics, systems) to values (resamples, ...).
    trials, seed : int
    jobs : int or Workers, optional

    Returns
    -------
    long, short : ndarray, (trials, ...)

    Examples
    --------
    >>> scores = np.random.default_rng(0).normal(size=(1, 40, 1))
    >>> long, short = resampled_at_two_noises(scores, lambda means: means[:, 0, 0], 4000, 0, 1)
    >>> float((short.std() / long.std()).round(1)), float((short.std() / (scores.std(ddof=1) / 40**0.5)).round(1))
    (2.0, 1.0)
    """
    metrics, topics, systems = matrix.shape
    replicates = long_bootstrap_indices(topics, trials, seed)
    columns = np.moveaxis(matrix, 1, 0).reshape(topics, -1)
    shared: dict[str, Any] = {"columns": columns, "shape": (metrics, systems), "statistic": statistic}
    blocks = list(map_blocks(_of_block, replicates, jobs, **shared))
    long, short = (np.concatenate([block[side] for block in blocks]) for side in (0, 1))
    return long, short


def _of_block(
    number: int,
    *,
    replicates: Replicates,
    columns: Floats,
    shape: tuple[int, ...],
    statistic: Callable[[Floats], Floats],
) -> tuple[Floats, Floats]:
    indices = replicates.block(number)
    topics, length = len(columns), indices.shape[1]

    def of(drawn: NDArray[Any]) -> Floats:
        means = weighted_sums(multiplicities(drawn, topics), columns) / drawn.shape[1]
        return np.asarray(statistic(means.reshape(-1, *shape)))

    return of(indices), of(indices[:, : length // LONGER])
