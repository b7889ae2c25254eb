"""A hash index from 64-bit keys to positions, built once and queried in batches.

Keys must have random high bits. Each slot of a table keeps the last key that falls into it; keys that were overwritten
go to a further, much smaller table, and so on. Equal keys share a slot in every table, so duplicates are detected while
building, faster than by sorting.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Multiplying by this odd number carries the low bits of a key to the high ones.
_REHASH = 0xD6E8FEB86659FD93
# The least number of slots per key.
_SLOTS_PER_KEY = 4


@dataclass(frozen=True, eq=False)
class HashIndex:
    """Keys and their positions.

    Attributes
    ----------
    keys : ndarray of uint64
    tables : tuple of ndarray
        For each slot the position of the key that it keeps, else -1; later tables have the keys overwritten before.
    has_duplicates : bool
        Whether some key occurs twice; then the index is incomplete.

    Examples
    --------
    >>> index = HashIndex.of(np.array([3, 5, 3 << 60, 5 << 60], dtype=np.uint64))
    >>> index.find(np.array([5 << 60, 4, 3], dtype=np.uint64))
    (array([0, 2]), array([3, 0]))
    >>> index.has_duplicates, HashIndex.of(np.array([7, 9, 7], dtype=np.uint64)).has_duplicates
    (False, True)
    """

    keys: NDArray[np.uint64]
    tables: tuple[NDArray[np.int32], ...]
    has_duplicates: bool

    @classmethod
    def of(cls, keys: NDArray[np.uint64]) -> HashIndex:
        """Build the index of these keys."""
        tables: list[NDArray[np.int32]] = []
        unplaced, pending = np.arange(keys.size, dtype=np.int32), keys
        while unplaced.size:
            table = np.full(1 << (_SLOTS_PER_KEY * unplaced.size).bit_length(), -1, dtype=np.int32)
            slot = _slots(pending, table.size, len(tables))
            table[slot] = unplaced
            tables.append(table)
            overwritten = np.flatnonzero(table[slot] != unplaced)
            unplaced, pending = unplaced[overwritten], pending[overwritten]
            if (keys[table[slot[overwritten]]] == pending).any():
                return cls(keys, tuple(tables), has_duplicates=True)
        return cls(keys, tuple(tables), has_duplicates=False)

    def find(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return which of these keys are in the index, and the position of each of those."""
        if not self.keys.size:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        position = self.tables[0].take(_slots(keys, self.tables[0].size, 0))
        # An empty slot (-1) is compared with the last key, which differs, since that one has a slot of its own.
        same = self.keys.take(position) == keys
        others = np.flatnonzero((position >= 0) > same)
        for level, table in enumerate(self.tables[1:], start=1):
            pending = keys[others]
            candidate = table[_slots(pending, table.size, level)]
            position[others] = candidate
            same[others] = self.keys[candidate] == pending
            others = others[~same[others] & (candidate >= 0)]
        known = np.flatnonzero(same)
        return known, position[known].astype(np.int64)


def _slots(keys: NDArray[np.uint64], slots: int, level: int) -> NDArray[np.int64]:
    """The slot of each key in a table of ``slots`` slots, by another hash at every level."""
    keys = keys * np.uint64(pow(_REHASH, level, 1 << 64)) if level else keys
    return (keys >> np.uint64(65 - slots.bit_length())).view(np.int64)
