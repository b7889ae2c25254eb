"""Taus of random halves of the topics, as many splits as precise means need; and of halves of resampled topics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from metameter.errors import MetameterError
from metameter.notices import notice
from metameter.parallel import Progress, Workers
from metameter.stats.monte_carlo import mean_error
from metameter.stats.replicates import BLOCK, map_blocks
from metameter.stats.resampling import topic_splits
from metameter.stats.split_half import bootstrap_split_half_tau, taus_of_halves
from metameter.stats.subsets import bootstrap_splits

if TYPE_CHECKING:
    from metameter.stats.checks import Floats
    from metameter.stats.replicates import Replicates

__all__ = ["SPLITS_OF_A_RESAMPLE", "more_split_taus", "resampled_taus", "split_taus"]

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
    """Tau of every split and metric, (splits, metrics); NaN where it is undefined.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    splits : int
        How many at least.
    until : float, optional
        Go on until the Monte-Carlo error of every mean is at most this. Only the error decides when to stop, no
        comparison between metrics: so stopping favours no verdict.
    seed : int
        The same seed gives the same splits, whatever the number of jobs.
    jobs : int or Workers, optional
    progress : callable, optional
        Told how many of how many splits are done.

    Examples
    --------
    >>> matrix = np.random.default_rng(0).random((2, 9, 4))
    >>> few, more = (split_taus(matrix, 100, until, seed=0, jobs=1) for until in (None, 0.02))
    >>> len(more) > 100, bool((more[:100] == few).all()), bool((mean_error(more) <= 0.02).all())
    (True, True, True)
    """
    taus = more_split_taus(matrix, np.empty((0, len(matrix))), splits, seed, jobs, progress)
    while until is not None and (error := float(mean_error(np.nan_to_num(taus)).max())) > until:
        # A tenth more than the error asks for, since the error is itself an estimate.
        needed = math.ceil(1.1 * len(taus) * (error / until) ** 2)
        if needed > MOST_SPLITS:
            least = error * math.sqrt(1.1 * len(taus) / MOST_SPLITS)
            raise MetameterError(
                f"the precision asked takes more than {MOST_SPLITS:,} splits",
                given=until,
                allowed=f"about {1.1 * least:.1g} or more",
                fix="Ask for less precision.",
            )
        taus = more_split_taus(matrix, taus, needed, seed, jobs, progress)
    return taus


def more_split_taus(
    matrix: Floats, taus: Floats, splits: int, seed: int, jobs: int | Workers | None, progress: Progress | None
) -> Floats:
    """The taus so far, and those of further splits: whole blocks are kept, the others computed.

    Examples
    --------
    >>> matrix = np.random.default_rng(0).random((2, 9, 4))
    >>> few = split_taus(matrix, 100, None, seed=0, jobs=1)
    >>> bool((more_split_taus(matrix, few, 200, 0, 1, None) == split_taus(matrix, 200, None, seed=0, jobs=1)).all())
    True
    """
    drawn = topic_splits(matrix.shape[1], splits, seed)
    whole = len(taus) // BLOCK
    parts = map_blocks(taus_of_halves, drawn, jobs, first=whole, matrix=matrix)
    return np.concatenate([taus[: whole * BLOCK], *_told(parts, whole, splits, "splits", progress)])


def _told(parts: Iterable[Floats], first: int, total: int, what: str, progress: Progress | None) -> Iterator[Floats]:
    # In replicates, not in blocks of them: that is what was asked for.
    for number, part in enumerate(parts, start=first + 1):
        if progress is not None:
            progress(min(number * BLOCK, total), total, what)
        yield part


def resampled_taus(
    matrix: Floats, resamples: int, seed: int, jobs: int | Workers | None, progress: Progress | None = None
) -> Floats:
    """Mean tau of every resample of the topics and every metric, (resamples, metrics); no rows for too few topics.

    Copies of a topic fall on the same side of a split.

    Examples
    --------
    >>> resampled_taus(np.random.default_rng(0).random((2, 9, 4)), 100, seed=0, jobs=1).shape
    (100, 2)
    """
    topics = matrix.shape[1]
    if resamples and topics < FEWEST_TOPICS:
        notice(f"intervals for other topics are left empty: they need {FEWEST_TOPICS} topics or more, not {topics}")
    if not resamples or topics < FEWEST_TOPICS:
        return np.empty((0, len(matrix)))
    drawn = bootstrap_splits(topics, resamples, SPLITS_OF_A_RESAMPLE, seed)
    parts = map_blocks(_mean_taus, drawn, jobs, matrix=matrix)
    return np.concatenate(list(_told(parts, 0, resamples, "resamples", progress)))


def _mean_taus(number: int, *, replicates: Replicates, matrix: Floats) -> Floats:
    block = replicates.block(number)
    # A sample that holds one topic only, possible with few topics, has no halves.
    block = block[(block.sum(axis=-1) > 0).all(axis=(1, 2))]
    if not len(block):
        return np.empty((0, len(matrix)))
    # One split of every resample at a time needs a tenth of the memory.
    splits = range(block.shape[1])
    return np.asarray(sum(bootstrap_split_half_tau(matrix, block[:, [split]]) for split in splits) / len(splits))
