"""Taus of random halves of the topics, as many splits as precise means need."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from metameter.errors import MetameterError
from metameter.parallel import Progress, Workers
from metameter.stats.checks import Floats
from metameter.stats.consistency.split_half import taus_of_halves
from metameter.stats.resampling.monte_carlo_error import mean_error
from metameter.stats.resampling.replicates import BLOCK, map_blocks
from metameter.stats.resampling.samples import topic_splits
from metameter.stats.tests.tukey import randomised_tukey

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


def tukey_over_splits(
    taus: Floats, groups: Mapping[str, Sequence[int]], trials: int, seed: int, jobs: int | Workers | None
) -> dict[str, Floats]:
    """P-values of the pairs of metrics within each group, with splits for topics and metrics for systems.

    They are (b + 1) / (trials + 1), never 0.

    Groups of one size share the shuffles, and the work of drawing them. Groups of one metric have no pairs and are
    left out.

    Parameters
    ----------
    taus : ndarray, (splits, metrics)
    groups : mapping
        Name of a group -> positions of its metrics.
    trials, seed : int
    jobs : int or Workers, optional

    References
    ----------
    chen2023

    Examples
    --------
    >>> taus = np.random.default_rng(0).random((50, 3)) + [0.0, 0.0, 1.0]
    >>> tukey_over_splits(taus, {"a": [0, 2], "b": [1]}, trials=100, seed=0, jobs=1)
    {'a': array([0.00990099])}
    """
    pvalues: dict[str, Floats] = {}
    for size in {len(members) for members in groups.values()} - {1}:
        names = [name for name, members in groups.items() if len(members) == size]
        stacked = np.stack([taus[:, groups[name]] for name in names])
        result = randomised_tukey(stacked, trials=trials, seed=seed, jobs=jobs)
        pvalues |= dict(zip(names, result.pvalue, strict=True))
    return pvalues
