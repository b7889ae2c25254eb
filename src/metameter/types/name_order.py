"""The order of names, compared byte by byte: word by word, and only where names begin alike the next word."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from metameter.types.byte_strings import Names


_SMALL = np.iinfo(np.uint16).max


def order_of_names(names: Names, groups: NDArray[np.int64], *, falling: bool = False) -> NDArray[np.int64]:
    """The order of the names within groups that come one after the other.

    Examples
    --------
    >>> from metameter.types.byte_strings import Names
    >>> names = Names.in_bytes(b"b a c", np.array([0, 2, 4]), np.array([1, 1, 1]))
    >>> order_of_names(names, np.array([0, 0, 1])), order_of_names(names, np.zeros(3, int), falling=True)
    (array([1, 0, 2]), array([2, 0, 1]))
    """
    order = np.arange(len(names))
    # What is not in its place yet, and among which others: word by word there is less of it.
    left, among = order.copy(), groups
    for word in names.words:
        # The first byte must count most.
        key = word[order[left]].byteswap()
        sorted_left = _within(among, ~key if falling else key)
        order[left], key = order[left][sorted_left], key[sorted_left]
        alike = (among[1:] == among[:-1]) & (key[1:] == key[:-1])
        if not alike.any():
            return order
        left, among = _meeting(alike, left)
    rows = [(group, names.encoded(row), row) for group, row in zip(among.tolist(), order[left].tolist(), strict=True)]
    rows.sort(key=itemgetter(1), reverse=falling)
    order[left] = [row for _, _, row in sorted(rows, key=itemgetter(0))]
    return order


def _within(groups: NDArray[np.int64], key: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The order by key within groups that come one after the other; that of equal keys does not matter."""
    by_key = np.argsort(key)
    # Small numbers are sorted in no time, by counting.
    small = groups.astype(np.uint16) if groups.size and groups[-1] <= _SMALL else groups
    return np.asarray(by_key[np.argsort(small[by_key], kind="stable")])


def _meeting(alike: NDArray[np.bool_], places: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The places that are like the one before or after, and a number for each lot of them."""
    after, before = np.append(False, alike), np.append(alike, False)
    kept = np.flatnonzero(after | before)
    return places[kept], np.cumsum(~after[kept])
