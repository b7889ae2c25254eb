"""Taus of random halves of the topics, split on until their means are precise enough; and of resampled topics."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from metameter.errors import MetameterError
from metameter.notices import notice
from metameter.parallel import Workers
from metameter.stats.monte_carlo import mean_error

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.stats.replicates import Replicates

    Floats = NDArray[np.float64]
    Progress = Callable[[int, int, str], None]

__all__ = ["SPLITS_OF_A_RESAMPLE", "resampled_taus", "split_taus"]

SPLITS_OF_A_RESAMPLE = 10
MOST_SPLITS = 1_000_000
FEWEST_TOPICS = 5


def split_taus(
    matrix: Floats,
    splits: int,
    until: float | None,
    seed: int,
    jobs: int | Workers | None,
    progress: Progress | None = None,
) -> Floats:
    """Tau of every split and metric, NaN where undefined; for ``splits``, or more if their means are not yet precise.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    splits : int
    until : float, optional
        Go on until the Monte-Carlo error of every mean is at most this. It depends on nothing else, so that no
        verdict decides when to stop.
    seed, jobs, progress
        The same seed gives the same splits, whatever the number of jobs.

    Examples
    --------
    >>> matrix = np.random.default_rng(0).random((2, 9, 4))
    >>> few, more = (split_taus(matrix, 100, until, seed=0, jobs=1) for until in (None, 0.02))
    >>> len(more) > 100, bool((more[:100] == few).all()), bool((mean_error(more) <= 0.02).all())
    (True, True, True)
    """
    taus = _go_on(matrix, np.empty((0, len(matrix))), splits, seed, jobs, progress)
    while until is not None and (error := float(mean_error(np.nan_to_num(taus)).max())) > until:
        # A tenth more than the error asks for, since the error is itself an estimate.
        needed = math.ceil(1.1 * len(taus) * (error / until) ** 2)
        if needed > MOST_SPLITS:
            least = error * math.sqrt(1.1 * len(taus) / MOST_SPLITS)
            raise MetameterError(
                f"the precision asked takes more than {MOST_SPLITS:,} splits",
                given=until,
                allowed=f"about {1.1 * least:.1g} or more",
            )
        taus = _go_on(matrix, taus, needed, seed, jobs, progress)
    return taus


def _go_on(
    matrix: Floats, taus: Floats, splits: int, seed: int, jobs: int | Workers | None, progress: Progress | None
) -> Floats:
    from metameter.stats import BLOCK, split_half_tau, topic_splits

    drawn = topic_splits(matrix.shape[1], splits, seed)
    whole = len(taus) // BLOCK

    def work(number: int) -> Floats:
        return split_half_tau(matrix, splits=drawn.block(number))

    parts = _block_by_block(work, range(whole, len(drawn)), splits, "splits", jobs, progress)
    return np.concatenate([taus[: whole * BLOCK], *parts])


def _block_by_block(
    work: Callable[[int], Floats],
    blocks: range,
    total: int,
    what: str,
    jobs: int | Workers | None,
    progress: Progress | None,
) -> Iterator[Floats]:
    from metameter.stats import BLOCK

    for number, part in zip(blocks, Workers.of(jobs).map(work, blocks), strict=True):
        if progress:
            progress(min((number + 1) * BLOCK, total), total, what)
        yield part


def resampled_taus(
    matrix: Floats, resamples: int, seed: int, jobs: int | Workers | None, progress: Progress | None = None
) -> Floats:
    """Mean tau of every resample of the topics and every metric; none of either if there are too few topics.

    Copies of a topic fall on the same side of a split.

    Examples
    --------
    >>> resampled_taus(np.random.default_rng(0).random((2, 9, 4)), 100, seed=0, jobs=1).shape
    (100, 2)
    """
    from metameter.stats import bootstrap_splits

    topics = matrix.shape[1]
    if resamples and topics < FEWEST_TOPICS:
        notice(f"intervals for other topics are left empty: they need {FEWEST_TOPICS} topics or more, not {topics}")
    if not resamples or topics < FEWEST_TOPICS:
        return np.empty((0, len(matrix)))
    drawn = bootstrap_splits(topics, resamples, SPLITS_OF_A_RESAMPLE, seed)

    def work(number: int) -> Floats:
        return _mean_taus(matrix, drawn, number)

    return np.concatenate(list(_block_by_block(work, range(len(drawn)), resamples, "resamples", jobs, progress)))


def _mean_taus(matrix: Floats, drawn: Replicates, number: int) -> Floats:
    from metameter.stats import bootstrap_split_half_tau

    block = drawn.block(number)
    # A sample in which one topic is all there is, possible with few topics, has no halves.
    block = block[(block.sum(axis=-1) > 0).all(axis=(1, 2))]
    if not len(block):
        return np.empty((0, len(matrix)))
    # One split of every resample at a time needs a tenth of the memory.
    splits = range(block.shape[1])
    return np.asarray(sum(bootstrap_split_half_tau(matrix, block[:, [split]]) for split in splits) / len(splits))
