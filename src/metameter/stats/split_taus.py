"""Taus of random halves of the topics, as many splits as precise means need."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from metameter.errors import MetameterError
from metameter.parallel import Progress, Workers
from metameter.stats.monte_carlo import mean_error
from metameter.stats.replicates import BLOCK, map_blocks
from metameter.stats.resampling import topic_splits
from metameter.stats.split_half import taus_of_halves

if TYPE_CHECKING:
    from metameter.stats.checks import Floats

__all__ = ["more_split_taus", "split_taus"]

MOST_SPLITS = 1_000_000


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
    return np.concatenate([taus[: whole * BLOCK], *_told(parts, whole, splits, progress)])


def _told(parts: Iterable[Floats], first: int, total: int, progress: Progress | None) -> Iterator[Floats]:
    # In splits, not in blocks of them: that is what was asked for.
    for number, part in enumerate(parts, start=first + 1):
        if progress is not None:
            progress(min(number * BLOCK, total), total, "splits")
        yield part
