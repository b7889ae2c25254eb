"""Looking documents up in the qrels, fast and exactly.

A document of a topic is found by a 64-bit key: the topic's number in the high bits, a hash of the document's
name below. A table of slots answers at once for nearly all documents, a binary search for the rest; then every
match is confirmed by comparing names, so that equal hashes of different names do no harm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metameter.errors import MetameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.types.names import Names

__all__ = ["Lookup"]

# Multiplying by it spreads keys evenly (Knuth's golden-ratio hashing).
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_SEEDS = range(8)


@dataclass(frozen=True, eq=False)
class Lookup:
    """The documents of the qrels, sorted by key.

    Attributes
    ----------
    doc : Names
        The names, in the order of the keys: by topic, then by hash.
    keys : ndarray of uint64
        Sorted and distinct.
    slots : ndarray
        For each slot the position of a key that falls into it, else -1.
    crowded : ndarray
        The positions of the keys that found their slot taken, in the order of the keys.
    topic_bits, seed : int
        How keys are made.

    Examples
    --------
    >>> import polars as pl
    >>> from metameter.types.names import Names
    >>> lookup, order = Lookup.of(np.array([0, 0, 1]), Names.of(pl.Series(["a", "b", "a"])), 2)
    >>> rows, at = lookup.find(np.array([1, 1, 0]), Names.of(pl.Series(["a", "b", "b"])))
    >>> rows  # the qrels have no b for topic 1
    array([0, 2])
    >>> order[at]
    array([2, 1])
    """

    doc: Names
    keys: NDArray[np.uint64]
    slots: NDArray[np.int32]
    crowded: NDArray[np.int64]
    topic_bits: int
    seed: int

    @classmethod
    def of(cls, topic: NDArray[np.int64], doc: Names, n_topics: int) -> tuple[Lookup, NDArray[np.int64]]:
        """Build it from topic numbers and names; also gives the rows' order by key."""
        bits = max(1, (n_topics - 1).bit_length())
        for seed in _SEEDS:
            keys = _keys(topic, doc, bits, seed)
            order = np.argsort(keys)
            keys = keys[order]
            if not (keys[1:] == keys[:-1]).any():
                slots = np.full(1 << (8 * keys.size).bit_length(), -1, dtype=np.int32)
                slot, positions = _slot(keys, slots.size), np.arange(keys.size)
                slots[slot] = positions
                crowded = np.flatnonzero(slots[slot] != positions)
                return cls(doc.take(order), keys, slots, crowded, bits, seed), order
        raise MetameterError("a document is judged twice for a topic", fix="Remove duplicates from the qrels.")

    def find(self, topic: NDArray[np.int64], doc: Names) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Which of the given (topic, document) the qrels have, and at which position among the keys."""
        keys = _keys(topic, doc, self.topic_bits, self.seed)
        at = self.slots[_slot(keys, self.slots.size)]
        rows = np.flatnonzero(at >= 0)
        keys, at = keys[rows], at[rows].astype(np.int64)
        same = self.keys[at] == keys
        if self.crowded.size and not same.all():
            others = np.flatnonzero(~same)
            known = self.keys[self.crowded]
            place = np.minimum(np.searchsorted(known, keys[others]), known.size - 1)
            at[others] = self.crowded[place]
            same[others] = known[place] == keys[others]
        return self._confirmed(rows[same], at[same], doc)

    def _confirmed(
        self, rows: NDArray[np.int64], at: NDArray[np.int64], doc: Names
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        # Keys in the qrels are distinct: a document with the key of another one is not in the qrels.
        same = doc.take(rows).equal(self.doc.take(at))
        return (rows, at) if same.all() else (rows[same], at[same])


def _keys(topic: NDArray[np.int64], doc: Names, bits: int, seed: int) -> NDArray[np.uint64]:
    return (topic.astype(np.uint64) << np.uint64(64 - bits)) | (doc.hashes(seed) >> np.uint64(bits))


def _slot(keys: NDArray[np.uint64], slots: int) -> NDArray[np.int64]:
    return ((keys * _GOLDEN) >> np.uint64(65 - slots.bit_length())).astype(np.int64)
