"""Looking documents up in the qrels, fast and exactly.

A document of a topic is found by a 64-bit key that both are hashed to. A table of slots answers at once for nearly all
documents: each topic has a stretch of it, small enough for the fastest memory, since a run comes topic by topic.
Another table, much smaller, answers for those that found their slot taken, and so on. Then every match is confirmed by
comparing names, so that equal keys of different names do no harm.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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
# So many slots at least for each document.
_SPARSE = 8


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
    slots : ndarray
        For each slot the place of a document that falls into it, else -1.
    begin, shift : ndarray
        Where the slots of each topic begin, and how far a key is shifted to be the number of one of them.
    further : tuple of ndarray
        Tables of slots for all topics together: each is for those that found their slot taken in the one before.
    seed : int
        How keys are made.

    Examples
    --------
    >>> import polars as pl
    >>> from metameter.types.names import Names
    >>> lookup = Lookup.of(("1", "2"), np.array([0, 0, 1]), Names.of(pl.Series(["a", "b", "a"])))
    >>> asked = Names.of(pl.Series(["a", "b", "b"]))
    >>> topic = np.array([1, 1, 0])
    >>> lookup.find(topic, lookup.keyed(topic, asked), asked)  # there is no b of topic 2
    (array([0, 2]), array([2, 1]))
    """

    topics: tuple[str, ...]
    topic: NDArray[np.int64]
    doc: Names
    keys: NDArray[np.uint64]
    slots: NDArray[np.int32]
    begin: NDArray[np.int64]
    shift: NDArray[np.uint64]
    further: tuple[NDArray[np.int32], ...]
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
            begin, shift, size = _room(np.bincount(topic, minlength=len(topics)))
            slots, taken = _filled(size, begin[topic] + (keys >> shift[topic]).view(np.int64), np.arange(keys.size))
            return cls(topics, topic, doc, keys, slots, begin, shift, tuple(_further(keys, taken)), seed)
        raise MetameterError("a document is judged twice for a topic", fix="Remove duplicates from the qrels.")

    def __reduce__(self) -> tuple[Any, ...]:
        # The slots are larger than what they are made of: they are made anew where the lookup arrives.
        return Lookup.of, (self.topics, self.topic, self.doc)

    def keyed(self, topic: NDArray[np.int64], doc: Names) -> NDArray[np.uint64]:
        """The keys of documents, of topics that the lookup has."""
        return salted(doc.hashes(self.seed), salts(self.topics, self.seed)[topic])

    def find(
        self, topic: NDArray[np.int64], keys: NDArray[np.uint64], doc: Names
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Which of the documents of these topics, with these keys, it has; and at which place."""
        at = self.slots[self.begin[topic] + (keys >> self.shift[topic]).view(np.int64)]
        rows = np.flatnonzero(at >= 0)
        keys, at = keys[rows], at[rows]
        same = self.keys[at] == keys
        for turn, table in enumerate(self.further):
            others = np.flatnonzero(~same)
            place = table[_slot(keys[others], table.size, turn)]
            at[others] = place
            same[others] = (place >= 0) & (self.keys[place] == keys[others])
        rows, at = rows[same], at[same].astype(np.int64)
        # A document with the key of another one is not among them: their keys are distinct.
        same = doc.take(rows).equal(self.doc, at)
        return (rows, at) if same.all() else (rows[same], at[same])


def _room(count: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.uint64], int]:
    """Slots for so many documents of each topic: where they begin, how far keys are shifted, how many there are."""
    bits = [max((_SPARSE * each).bit_length(), 1) for each in count.tolist()]
    ends = np.cumsum([1 << each for each in bits])
    return np.append(0, ends[:-1]), np.array([64 - each for each in bits], dtype=np.uint64), int(ends[-1])


def _filled(
    size: int, slot: NDArray[np.int64], places: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """A table of so many slots with the places that fall into them; and those that found theirs taken."""
    slots = np.full(size, -1, dtype=np.int32)
    slots[slot] = places
    return slots, places[slots[slot] != places]


def _further(keys: NDArray[np.uint64], places: NDArray[np.int64]) -> Iterator[NDArray[np.int32]]:
    """Tables of slots, until each of the places, whose keys are distinct, has one."""
    turn = 0
    while places.size:
        size = 1 << (_SPARSE * places.size).bit_length()
        slots, places = _filled(size, _slot(keys[places], size, turn), places)
        yield slots
        turn += 1


def _slot(keys: NDArray[np.uint64], slots: int, turn: int) -> NDArray[np.int64]:
    """Where keys fall in a table of so many slots: in every turn elsewhere."""
    mixed = keys * np.uint64(pow(_AGAIN, turn + 1, 1 << 64))
    return (mixed >> np.uint64(65 - slots.bit_length())).view(np.int64)
