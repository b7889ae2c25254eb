"""Looking documents up in the qrels, fast and exactly.

A document of a topic is found by a 64-bit key that both are hashed to. A table of slots answers at once for nearly all
documents, another one, much smaller, for those that found their slot taken, and so on; then every match is confirmed by
comparing names, so that equal keys of different names do no harm.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.errors import MetameterError
from metameter.types.rows import have_repeats, salted, salts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.types.names import Names

__all__ = ["Lookup"]

_SEEDS = range(8)
# Multiplying by an odd number moves what the low bits of a key tell to the high ones.
_AGAIN = 0xD6E8FEB86659FD93


@dataclass(frozen=True, eq=False)
class Lookup:
    """Finds documents of topics among those it was made of, which are known by their place.

    Attributes
    ----------
    topics : tuple of str
    topic : ndarray
        The number of each document's topic.
    doc : Names
    keys : ndarray of uint64
        Distinct.
    tables : tuple of ndarray
        For each slot the place of a document whose key falls into it, else -1; each table is for those that lost their
        slot in the one before.
    seed : int
        How keys are made.

    Examples
    --------
    >>> import polars as pl
    >>> from metameter.types.names import Names
    >>> lookup = Lookup.of(("1", "2"), np.array([0, 0, 1]), Names.of(pl.Series(["a", "b", "a"])))
    >>> asked = Names.of(pl.Series(["a", "b", "b"]))
    >>> lookup.find(lookup.keyed(np.array([1, 1, 0]), asked), asked)  # there is no b of topic 2
    (array([0, 2]), array([2, 1]))
    """

    topics: tuple[str, ...]
    topic: NDArray[np.int64]
    doc: Names
    keys: NDArray[np.uint64]
    tables: tuple[NDArray[np.int32], ...]
    seed: int

    @classmethod
    def of(cls, topics: tuple[str, ...], topic: NDArray[np.int64], doc: Names) -> Lookup:
        """Build it from topic numbers and names."""
        for seed in _SEEDS:
            salt = salts(topics, seed)
            keys = salted(doc.hashes(seed), salt[topic])
            # Names of documents are confirmed, those of topics are not: their salts must differ.
            if have_repeats(keys) or len(set(salt.tolist())) < len(topics):
                continue
            return cls(topics, topic, doc, keys, tuple(_tables(keys)), seed)
        raise MetameterError("a document is judged twice for a topic", fix="Remove duplicates from the qrels.")

    def __reduce__(self) -> tuple[Any, ...]:
        # The slots are larger than what they are made of: they are made anew where the lookup arrives.
        return Lookup.of, (self.topics, self.topic, self.doc)

    def keyed(self, topic: NDArray[np.int64], doc: Names) -> NDArray[np.uint64]:
        """The keys of documents, of topics that the lookup has."""
        return salted(doc.hashes(self.seed), salts(self.topics, self.seed)[topic])

    def find(self, keys: NDArray[np.uint64], doc: Names) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Which of the documents with these keys, of topics that the lookup has, it has; and at which place."""
        first, *further = self.tables
        at = first[_slot(keys, first.size)]
        rows = np.flatnonzero(at >= 0)
        keys, at = keys[rows], at[rows]
        same = self.keys[at] == keys
        for turn, table in enumerate(further, start=1):
            others = np.flatnonzero(~same)
            place = table[_slot(keys[others], table.size, turn)]
            at[others] = place
            same[others] = (place >= 0) & (self.keys[place] == keys[others])
        rows, at = rows[same], at[same].astype(np.int64)
        # A document with the key of another one is not among them: their keys are distinct.
        same = doc.take(rows).equal(self.doc, at)
        return (rows, at) if same.all() else (rows[same], at[same])


def _tables(keys: NDArray[np.uint64]) -> Iterator[NDArray[np.int32]]:
    """Tables of slots, until each of the keys, which are distinct, has one."""
    places = np.arange(keys.size, dtype=np.int32)
    for turn in count():
        table = np.full(1 << (1 * places.size).bit_length(), -1, dtype=np.int32)
        slot = _slot(keys[places], table.size, turn)
        table[slot] = places
        yield table
        places = places[table[slot] != places]
        if not places.size:
            return


def _slot(keys: NDArray[np.uint64], slots: int, turn: int = 0) -> NDArray[np.int64]:
    """Where keys fall in a table of so many slots: in every turn elsewhere."""
    keys = keys * np.uint64(pow(_AGAIN, turn, 1 << 64)) if turn else keys
    # The high bits of a key are as good as random.
    return (keys >> np.uint64(65 - slots.bit_length())).view(np.int64)
