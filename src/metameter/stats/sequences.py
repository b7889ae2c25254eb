"""The items in the order of one score vector, written as their places in the order of another.

Where the second order agrees with the first, places only rise. A score and what belongs to it are sorted as one
integer: the bits of a float that is not negative are in the order of the floats, and its lowest bits, a share of
1e-13, make room for a number below 512. Neighbours are tied if they are as close as `tied_codes` says; what those
lowest bits might decide is left to `tied_codes` itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.stats.checks import RELATIVE_TOLERANCE
from metameter.stats.inversions import place_type

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats

__all__ = ["Sequences", "sequences"]

_ROWS = 256  # pairs of vectors sorted at a time: keeps the work in the cache
_UNSURE = 0.25  # of the tolerance: more than the lowest bits are worth
_TINY = 1e-290  # below it floats lose bits


@dataclass(frozen=True, eq=False)
class Sequences:
    """Pairs of vectors as sequences.

    Attributes
    ----------
    places : ndarray of small int, (vectors, n)
        The items in the order of the second vector, lowest first, those tied there in the order of the first: for
        each how many items are lower in the first.
    tied : ndarray of bool, (vectors, n)
        Whether each item is tied in the second vector with the one before it.
    unsure : ndarray of int
        The vectors for which this is not known.
    """

    places: NDArray[Any]
    tied: NDArray[np.bool_]
    unsure: NDArray[np.intp]


def sequences(first: Floats, second: Floats) -> Sequences:
    """Write pairs of score vectors, (vectors, n) each with n from 2 to 512, as sequences.

    Examples
    --------
    >>> sequences(np.array([[0.1, 0.2, 0.3, 0.3]]), np.array([[5.0, 7.0, 6.0, 7.0]])).places
    array([[0, 2, 1, 2]], dtype=uint8)
    """
    count, n = first.shape
    places, tied = np.empty((count, n), dtype=place_type(n)), np.empty((count, n), dtype=np.bool_)
    sure, work = np.empty(count, dtype=np.bool_), _Work(min(count, _ROWS), n)
    for start in range(0, count, _ROWS):
        rows = slice(start, start + _ROWS)
        sure[rows] = _write(first[rows], second[rows], places[rows], tied[rows], work)
    return Sequences(places, tied, np.flatnonzero(~sure))


class _Work:
    """Memory for so many rows of n items, used again for all rows: fresh memory costs more than the sorting."""

    def __init__(self, rows: int, n: int) -> None:
        self.position = np.arange(n)
        self.begin = np.arange(0, rows * n, n)[:, None]
        self.keys, self.carried, self.place, self.place_of_item = (np.empty((rows, n), np.int64) for _ in range(4))
        self.gap, self.perhaps = np.zeros((rows, n)), np.empty((rows, n), np.bool_)


def _write(
    first: Floats, second: Floats, places: NDArray[Any], tied: NDArray[np.bool_], work: _Work
) -> NDArray[np.bool_]:
    """Fill in places and ties; say which rows are sure."""
    count = len(first)
    sure = _sort(first, work.position, tied, work)
    item, place, place_of_item = work.carried[:count], work.place[:count], work.place_of_item[:count]
    item += work.begin[:count]
    # Tied items have the place of the first of them.
    np.multiply(~tied, work.position, out=place)
    np.maximum.accumulate(place, axis=-1, out=place)
    place_of_item.reshape(-1)[item.reshape(-1)] = place.reshape(-1)
    sure &= _sort(second, place_of_item, tied, work)
    np.copyto(places, work.carried[:count], casting="unsafe")
    _in_order_of_the_first(places, tied, work.gap[:count])
    return sure


def _sort(scores: Floats, carried: NDArray[np.int64], tied: NDArray[np.bool_], work: _Work) -> NDArray[np.bool_]:
    """Sort each row, carry numbers along, find which scores are tied with the one before; say which rows are sure."""
    count, n = scores.shape
    bits = (n - 1).bit_length()
    low = (1 << bits) - 1
    keys, gap, perhaps = work.keys[:count], work.gap[:count], work.perhaps[:count]
    np.bitwise_and(np.ascontiguousarray(scores).view(np.int64), ~low, out=keys)
    keys |= carried
    keys.sort(axis=-1)
    np.bitwise_and(keys, low, out=work.carried[:count])
    keys &= ~low
    values = keys.view(np.float64)
    largest = values[:, -1:]
    # One long row: the gaps between the rows are of no interest.
    with np.errstate(all="ignore"):
        np.subtract(values.reshape(-1)[1:], values.reshape(-1)[:-1], out=gap.reshape(-1)[1:])
    np.less_equal(gap, largest * (RELATIVE_TOLERANCE * (1 - _UNSURE)), out=tied)
    np.less_equal(gap, largest * (RELATIVE_TOLERANCE * (1 + _UNSURE)), out=perhaps)
    tied[:, 0] = perhaps[:, 0] = False
    zero = largest[:, 0] == 0
    if zero.any():  # without their lowest bits the smallest floats are 0, too
        zero[zero] = ~scores[zero].any(axis=-1)
    # The bits of negative floats are in another order, those of tiny ones are too few.
    sure: NDArray[np.bool_] = (keys[:, 0] >= 0) & np.isfinite(largest[:, 0]) & (zero | (largest[:, 0] > _TINY))
    if np.count_nonzero(tied) != np.count_nonzero(perhaps):
        sure &= (tied == perhaps).all(axis=-1)
    return sure


def _in_order_of_the_first(places: NDArray[Any], tied: NDArray[np.bool_], gap: Floats) -> None:
    # Scores that are tied but not equal are in their own order still.
    unequal = (gap != 0) & tied
    if not unequal.any():
        return
    rows = np.flatnonzero(unequal.any(axis=-1))
    bits = (places.shape[1] - 1).bit_length()
    keys = np.cumsum(~tied[rows], axis=-1, dtype=np.uint32)
    keys <<= np.uint32(bits)
    keys |= places[rows]
    keys.sort(axis=-1)
    places[rows] = keys & np.uint32((1 << bits) - 1)
