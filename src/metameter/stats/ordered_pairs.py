"""Of all pairs of rows with different labels: how many a metric orders as the labels do, and how many it ties."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from metameter.stats.weighted_tau import tied_pairs_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats
    from metameter.stats.counted_taus import CountedTaus
    from metameter.stats.label_counts import LabelCounts

__all__ = ["OrderedPairs", "ordered_pairs"]


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
    >>> from metameter.stats.counted_taus import counted_taus
    >>> from metameter.stats.label_counts import LabelCounts
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
