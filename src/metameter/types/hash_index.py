"""Where numbers are among others: a table of slots, made once and asked for many at a time.

It is for keys, whose high bits are as good as random. Each key falls into a slot, which keeps the last one that came.
Those that were lost fall into another table, much smaller, and so on. Two equal keys fall into the same slot of every
table: so they are found, too, and faster than by sorting.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Multiplying by an odd number moves what the low bits of a key tell to the high ones.
_AGAIN = 0xD6E8FEB86659FD93
# So many slots at least for each key.
_SPARSE = 4


@dataclass(frozen=True, eq=False)
class Places:
    """Keys, and where they are.

    Attributes
    ----------
    keys : ndarray of uint64
    tables : tuple of ndarray
        For each slot the place of a key that falls into it, else -1; each table is for those lost in the one before.
    repeat : bool
        Whether some key is there twice; then not all of them can be found.

    Examples
    --------
    >>> places = Places.of(np.array([3, 5, 3 << 60, 5 << 60], dtype=np.uint64))
    >>> places.find(np.array([5 << 60, 4, 3], dtype=np.uint64))
    (array([0, 2]), array([3, 0]))
    >>> places.repeat, Places.of(np.array([7, 9, 7], dtype=np.uint64)).repeat
    (False, True)
    """

    keys: NDArray[np.uint64]
    tables: tuple[NDArray[np.int32], ...]
    repeat: bool

    @classmethod
    def of(cls, keys: NDArray[np.uint64]) -> Places:
        """Give each key a slot."""
        tables: list[NDArray[np.int32]] = []
        left, asked = np.arange(keys.size, dtype=np.int32), keys
        while left.size:
            table = np.full(1 << (_SPARSE * left.size).bit_length(), -1, dtype=np.int32)
            slot = _slots(asked, table.size, len(tables))
            table[slot] = left
            tables.append(table)
            lost = np.flatnonzero(table[slot] != left)
            left, asked = left[lost], asked[lost]
            if (keys[table[slot[lost]]] == asked).any():
                return cls(keys, tuple(tables), repeat=True)
        return cls(keys, tuple(tables), repeat=False)

    def find(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Which of the keys are among these; and where each of them is."""
        if not self.keys.size:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        at = self.tables[0].take(_slots(keys, self.tables[0].size, 0))
        # Where the slot is empty it is compared with the last key, which has a slot, and so is another one.
        same = self.keys.take(at) == keys
        others = np.flatnonzero((at >= 0) > same)
        for turn, table in enumerate(self.tables[1:], start=1):
            asked = keys[others]
            place = table[_slots(asked, table.size, turn)]
            at[others] = place
            same[others] = self.keys[place] == asked
            others = others[~same[others] & (place >= 0)]
        found = np.flatnonzero(same)
        return found, at[found].astype(np.int64)


def _slots(keys: NDArray[np.uint64], slots: int, turn: int) -> NDArray[np.int64]:
    """Where keys fall in a table of so many slots: in every turn elsewhere."""
    keys = keys * np.uint64(pow(_AGAIN, turn, 1 << 64)) if turn else keys
    return (keys >> np.uint64(65 - slots.bit_length())).view(np.int64)
