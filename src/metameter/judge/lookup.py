"""Fast and exact lookup of documents in the qrels.

Topic and document are hashed to a 64-bit key, which is looked up in a hash index (`types/hash_index.py`). Every match
is confirmed by comparing names, so equal keys of different names do no harm.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.types.hash_index import HashIndex
from metameter.types.run_rows import document_hashes, salted, salts

if TYPE_CHECKING:
    from metameter.types.byte_strings import Names
    from metameter.types.run_rows import Rows


# The first is fast; the others are keyed, so that distinct names collide in all of them only by a chance below 2**-100.
_SEEDS = range(8)
# If the run's topics have less than 1/_MANY of the judged documents, only the documents of these topics are looked up.
_MANY = 2


@dataclass(frozen=True, eq=False)
class Lookup:
    """Finds documents of topics by hashed keys; each match is confirmed by comparing names.

    Attributes
    ----------
    topics : tuple of str
    topic : ndarray
        The number of each document's topic.
    doc : Names
    key_index : HashIndex
        Finds the position of a key; all keys are distinct.
    seed : int
        The seed of the hash function.

    Examples
    --------
    >>> import polars as pl
    >>> from metameter.types.byte_strings import Names
    >>> lookup = Lookup.of(("1", "2"), np.array([0, 0, 1]), Names.of(pl.Series(["a", "b", "a"])))
    >>> doc = Names.of(pl.Series(["a", "b", "b"]))
    >>> lookup.find(lookup.keys_of(np.array([1, 1, 0]), doc), doc)  # there is no b of topic 2
    (array([0, 2]), array([2, 1]))
    """

    topics: tuple[str, ...]
    topic: NDArray[np.int64]
    doc: Names
    key_index: HashIndex
    seed: int

    @classmethod
    def of(
        cls, topics: tuple[str, ...], topic: NDArray[np.int64], doc: Names, key_index: HashIndex | None = None
    ) -> Lookup:
        """Build it from topic numbers and names; ``key_index``, if known, is that of the keys with the first seed."""
        for seed in _SEEDS:
            salt = salts(topics, seed)
            if seed or key_index is None:
                key_index = HashIndex.of(salted(document_hashes(doc, seed), salt[topic]))
            # A match is confirmed by the document's name, not by the topic's: so the salts of all topics must differ.
            if not key_index.has_duplicates and len(set(salt.tolist())) == len(topics):
                return cls(topics, topic, doc, key_index, seed)
        raise MetameterError("a document is judged twice for a topic", fix="Remove duplicates from the qrels.")

    def __reduce__(self) -> tuple[Any, ...]:
        # The hash index is larger than the names, and is built again where the lookup arrives.
        return Lookup.of, (self.topics, self.topic, self.doc)

    def keys_of(self, topic: NDArray[np.int64], doc: Names) -> NDArray[np.uint64]:
        """Return the keys of documents of topics that the lookup has."""
        return salted(document_hashes(doc, self.seed), self._salts[topic])

    def find(self, keys: NDArray[np.uint64], doc: Names) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return which of these documents the lookup has, and their positions in it; it must have their topics."""
        rows, at = self.key_index.find(keys)
        same = doc.take(rows).equal(self.doc, at)
        return (rows, at) if same.all() else (rows[same], at[same])

    def find_all(self, rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the result of `find` for all rows of a run, in the order of the positions.

        The run already has a hash index, built to find duplicates. So the search is reversed: the lookup's keys are
        read in sequence and searched in the index of the run, which is small.
        """
        if self.seed or rows.key_index.has_duplicates:  # different names with equal keys, practically never
            return self.find(rows.keys(self.seed), rows.doc)
        some = self._of_topics(rows)
        at, row = rows.key_index.find(self.key_index.keys if some is None else self.key_index.keys[some])
        at = at if some is None else some[at]
        same = self.doc.take(at).equal(rows.doc, row)
        return (row, at) if same.all() else (row[same], at[same])

    def _of_topics(self, rows: Rows) -> NDArray[np.int64] | None:
        """Return the positions of all documents of the rows' topics; None if most documents are of these topics."""
        there = np.zeros(len(self.topics), dtype=np.bool_)
        there[[self._number[topic] for topic in rows.topics]] = True
        most = self._count[there].sum() * _MANY >= self.topic.size
        return None if most else np.flatnonzero(there[self.topic])

    def documents_of(self, number: int) -> tuple[dict[str, int], NDArray[np.int64]]:
        """Return a dictionary from the names of a topic's documents to their rows in the qrels; and these rows.

        Examples
        --------
        >>> from metameter.types.byte_strings import Names
        >>> lookup = Lookup.of(("1", "2"), np.array([0, 1, 0]), Names.of_texts(["a", "b", "c"]))
        >>> lookup.documents_of(0)
        ({'a': 0, 'c': 2}, array([0, 2]))
        """
        return self._by_topic[number]

    @cached_property
    def _by_topic(self) -> list[tuple[dict[str, int], NDArray[np.int64]]]:
        """The result of `documents_of` for each topic."""
        order = np.argsort(self.topic, kind="stable")
        doc = self.doc.take(order)
        data, stops = b"".join(doc.gathered_bytes()), np.cumsum(doc.width).tolist()
        names = [data[start:stop].decode() for start, stop in pairwise([0, *stops])]
        bounds = np.searchsorted(self.topic[order], np.arange(len(self.topics) + 1)).tolist()
        parts = [(names[start:stop], order[start:stop]) for start, stop in pairwise(bounds)]
        return [(dict(zip(some, rows.tolist(), strict=True)), rows) for some, rows in parts]

    @cached_property
    def _salts(self) -> NDArray[np.uint64]:
        return salts(self.topics, self.seed)

    @cached_property
    def _number(self) -> dict[str, int]:
        return {topic: number for number, topic in enumerate(self.topics)}

    @cached_property
    def _count(self) -> NDArray[np.int64]:
        """The number of documents of each topic."""
        return np.bincount(self.topic, minlength=len(self.topics))
