"""Pairs in the wrong order and pairs that are tied, in many sequences at once: whole rows of small integers."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MOST_ITEMS", "inversions", "place_type", "summed", "tied_pairs"]

#: With more items, comparing all pairs is slower than O(n log n).
MOST_ITEMS = 512


def place_type(n: int) -> Any:
    """The smallest integers that hold the places 0 to n - 1 and every count of items.

    Examples
    --------
    >>> place_type(129), place_type(257)
    (<class 'numpy.uint8'>, <class 'numpy.uint16'>)
    """
    return np.uint8 if n <= 256 else np.uint16


def inversions(columns: NDArray[Any]) -> NDArray[np.int64]:
    """Count in each sequence, (items, sequences), the pairs of which the earlier item has the higher place.

    Examples
    --------
    >>> inversions(np.array([[0, 2], [1, 1], [1, 0]], dtype=np.uint8))
    array([0, 3])
    """
    n, count = columns.shape
    flat = np.ascontiguousarray(columns).reshape(-1)
    higher = np.empty(flat.size, dtype=np.bool_)
    later_are_lower = np.zeros(flat.size, dtype=flat.dtype)
    # Memory that is used again: fresh arrays for each distance would cost more than the comparisons.
    for distance in range(1, n):
        end = (n - distance) * count
        np.greater(flat[:end], flat[distance * count :], out=higher[:end])
        np.add(later_are_lower[:end], higher[:end].view(np.uint8), out=later_are_lower[:end])
    return summed(later_are_lower.reshape(n, count))


def tied_pairs(tied: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Count the pairs that are tied in each sequence, given which items are tied with the one before.

    Parameters
    ----------
    tied : ndarray of bool, (items, sequences)
        False for the first item.

    Examples
    --------
    >>> tied_pairs(np.array([[False, False], [True, False], [True, True]]))  # three items tied; two
    array([3, 1])
    """
    n = len(tied)
    # The place of the first item of each group; all places add up to the number of pairs, less one for each tied pair.
    place = np.arange(n, dtype=place_type(n))[:, None] * ~tied
    for previous, here in pairwise(place):
        np.maximum(previous, here, out=here)
    return n * (n - 1) // 2 - summed(place)


def summed(columns: NDArray[Any]) -> NDArray[np.int64]:
    """Add up the places, or the counts, of each sequence.

    Examples
    --------
    >>> summed(np.array([[255, 0], [254, 1]], dtype=np.uint8))
    array([509,   1])
    """
    # 256 items have 32,640 pairs.
    width: Any = np.uint16 if columns.dtype == np.uint8 else np.uint32
    return np.asarray(np.add.reduce(columns, axis=0, dtype=width), dtype=np.int64)
