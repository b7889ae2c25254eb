"""How often the sign of a difference of scores is that of a preference, in resamples of counts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metameter.parallel import Progress, Workers
from metameter.stats.checks import Floats
from metameter.stats.rank_correlation.kendall import tied_pairs_of
from metameter.stats.resampling.replicates import Replicates, map_blocks

if TYPE_CHECKING:
    from metameter.stats.labels.counted_taus import CountedTaus
    from metameter.stats.labels.counts import LabelCounts


def resampled_agreements(
    signs: NDArray[np.int64],
    preferred: NDArray[np.int64],
    counts: LabelCounts,
    resamples: Iterable[NDArray[Any]],
    jobs: int | Workers | None = None,
    progress: Progress | None = None,
) -> Floats:
    """Of the pairs with a preference, the share whose difference of scores has its sign, differences of 0 half.

    It is the same whichever page of a pair is called the first: both signs change.

    Parameters
    ----------
    signs : ndarray of int, (metrics, items)
        Whether the difference of scores is below, at or above zero: -1, 0, 1.
    preferred : ndarray of int, (levels,)
        The same of the labels.
    counts : LabelCounts
    resamples : Replicates or iterable of ndarray, (some, cells)
        As `label_resamples` draws them, or any other counts of the cells.
    jobs : int or Workers, optional
    progress : callable, optional
        Told how many resamples are done, where it is known how many there are.

    Returns
    -------
    ndarray, (resamples, metrics)
        NaN where nobody has a preference.

    Examples
    --------
    >>> from metameter.stats.labels.counts import LabelCounts
    >>> counts = LabelCounts(np.array([0, 1, 2, 3]), np.array([0, 2, 2, 1]), np.array([4, 3, 1, 9]))
    >>> once = [counts.by_cell[None]]
    >>> resampled_agreements(np.array([[-1, 1, 0, 1]]), np.array([-1, 0, 1]), counts, once)  # 4 + 3 + 1/2 of 8
    array([[0.9375]])
    """
    item, level = counts.cells.T
    distinct, which = np.unique(signs[:, item] * preferred[level], axis=0, return_inverse=True)
    # Sums of whole numbers below 2 ** 53: exact, in whatever order they are added.
    shared = {"likewise": distinct.T.astype(np.float64), "decided": (preferred[level] != 0).astype(np.float64)}
    if not isinstance(resamples, Replicates):
        return _together([_shares(block, **shared) for block in resamples], which)
    parts = list[Any]()
    for shares in map_blocks(_of_block, resamples, jobs, **shared):
        parts.append(shares)
        if progress is not None:
            progress(sum(map(len, parts)), resamples.trials, "resample")
    return _together(parts, which)


def _together(parts: list[Floats], which: NDArray[np.int64]) -> Floats:
    return np.concatenate(parts)[:, which.reshape(-1)] if parts else np.empty((0, which.size))


def _of_block(number: int, *, replicates: Replicates, likewise: Floats, decided: Floats) -> Floats:
    return _shares(replicates.block(number), likewise, decided)


def _shares(block: NDArray[Any], likewise: Floats, decided: Floats) -> Floats:
    counts = block.astype(np.float64)
    lead, rows = counts @ likewise, (counts @ decided)[:, None]
    return np.asarray(0.5 + np.divide(lead, 2.0 * rows, out=np.full(lead.shape, np.nan), where=rows > 0))


class OrderedPairs(NamedTuple):
    """Shares of the pairs with different labels, (metrics,): ordered likewise, and tied; the others are wrong."""

    agreement: Floats
    ties: Floats


def ordered_pairs(codes: NDArray[np.int64], counts: LabelCounts, found: CountedTaus) -> OrderedPairs:
    """What tau_b is made of: it makes up for ties only in part, so both shares are told beside it.

    Parameters
    ----------
    codes : ndarray of int, (metrics, items)
        The place of each item's score among those of its metric.
    counts : LabelCounts
    found : CountedTaus
        Of these codes.

    Examples
    --------
    >>> from metameter.stats.labels.counted_taus import counted_taus
    >>> from metameter.stats.labels.counts import LabelCounts
    >>> counts = LabelCounts(np.array([0, 1, 2]), np.array([0, 1, 2]), np.array([1, 1, 1]))
    >>> codes = np.array([[0, 1, 1], [1, 0, 2]])
    >>> [each.round(2).tolist() for each in ordered_pairs(codes, counts, counted_taus(codes, counts))]
    [[0.67, 0.67], [0.33, 0.0]]
    """
    pairs = counts.total * (counts.total - 1) // 2
    same_label = tied_pairs_of(counts.level, counts.count)
    shares = []
    for own, difference in zip(codes[:, counts.item], found.difference, strict=True):
        joint = np.unique(own * counts.levels + counts.level, return_inverse=True)[1].reshape(-1)
        same_score, same_both = (tied_pairs_of(each, counts.count) for each in (own, joint))
        apart = pairs - same_score - same_label + same_both
        shares.append(((apart + difference) / 2, same_score - same_both))
    agreement, ties = np.array(shares, dtype=np.float64).reshape(-1, 2).T / max(pairs - same_label, 1)
    return OrderedPairs(agreement, ties)
