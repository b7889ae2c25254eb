"""The rows of a run or of judgments, with document names kept as bytes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.types.byte_strings import PADDING, Names
from metameter.types.hash_index import HashIndex

if TYPE_CHECKING:
    import polars as pl


# Topics interleave if stretches are shorter than this on average.
_FEW = 10
# Added to seeds, so that a topic and a document of the same name have different hashes.
_OF_TOPICS = 1 << 10
# Multiplying by it spreads keys over the high bits (Fibonacci hashing).
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Rows:
    """Documents of topics, in file order. The rows of a topic form one stretch, or several.

    Attributes
    ----------
    begin : ndarray
        The first row of each stretch.
    topics : tuple of str
        The topic of each stretch.
    doc : Names
    value : ndarray
        The score, or the grade.
    rank : ndarray, optional
        The column of ranks, where it was read.
    known_keys : ndarray, optional
        The keys with the first seed, where they were computed already.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"topic": ["1", "1", "2"], "doc": ["a", "b", "a"], "score": [2.0, 1.0, 3.0]})
    >>> rows = Rows.of(table)
    >>> rows.begin, rows.topics, rows.length
    (array([0, 2]), ('1', '2'), array([2, 1]))
    >>> len(set(rows.keys().tolist()))
    3
    """

    begin: NDArray[np.int64]
    topics: tuple[str, ...]
    doc: Names
    value: NDArray[np.float64]
    rank: NDArray[np.float64] | None = None
    known_keys: NDArray[np.uint64] | None = None

    @classmethod
    def of(cls, table: pl.DataFrame, value: str = "score", where: str = "table") -> Rows:
        """Make rows of a table with columns topic, doc, a column of values and perhaps rank."""
        for name in ("topic", "doc"):
            if table[name].null_count():
                row = table[name].is_null().arg_max() or 0
                fix = f"Give the {name}, or leave the row out."
                raise MetameterError(f"the {name} is missing", where=f"{where}: row {row + 1}", fix=fix)
        topic = table["topic"]
        begin = beginnings((topic[1:] != topic[:-1]).to_numpy()) if len(topic) else np.zeros(0, np.int64)
        names = tuple(topic.gather(begin.tolist()).to_list())
        rank = _doubles(table["rank"]) if "rank" in table.columns else None
        return cls(begin, names, Names.of(table["doc"]), _doubles(table[value]), rank)

    def table(self, value: str) -> pl.DataFrame:
        """The rows as a table with columns topic, doc and ``value``.

        Examples
        --------
        >>> import polars as pl
        >>> table = pl.DataFrame({"topic": ["1", "1", "2"], "doc": ["a", "b", "a"], "grade": [2.0, 1.0, 3.0]})
        >>> Rows.of(table, "grade").table("grade").equals(table)
        True
        """
        import polars as pl

        topic = pl.Series(self.topics, dtype=pl.String).gather(np.repeat(np.arange(self.begin.size), self.length))
        return pl.DataFrame({"topic": topic, "doc": self.doc.column(), value: self.value})

    def __len__(self) -> int:
        return self.value.size

    @property
    def length(self) -> NDArray[np.int64]:
        """The number of rows of each stretch."""
        return np.diff(np.append(self.begin, len(self)))

    def keys(self, seed: int = 0) -> NDArray[np.uint64]:
        """A 64-bit key for each (topic, document), equal for equal pairs and different for nearly all others.

        Its high bits are random.
        """
        return self._keys(seed) if seed else self._first_keys

    @cached_property
    def _first_keys(self) -> NDArray[np.uint64]:
        return self._keys(0) if self.known_keys is None else self.known_keys

    def _keys(self, seed: int) -> NDArray[np.uint64]:
        return salted(document_hashes(self.doc, seed), np.repeat(salts(self.topics, seed), self.length))

    @cached_property
    def key_index(self) -> HashIndex:
        """The hash index of the keys."""
        return HashIndex.of(self.keys())

    def of_stretches(self, selected: NDArray[np.bool_]) -> Rows:
        """The rows of some of the stretches."""
        length = self.length
        rows = np.flatnonzero(np.repeat(selected, length))
        begin = np.cumsum(length[selected]) - length[selected]
        topics = tuple(topic for topic, keep in zip(self.topics, selected.tolist(), strict=True) if keep)
        rank = None if self.rank is None else self.rank[rows]
        keys = None if self.known_keys is None else self.known_keys[rows]
        return Rows(begin, topics, self.doc.take(rows), self.value[rows], rank, keys)


def salts(topics: tuple[str, ...], seed: int = 0) -> NDArray[np.uint64]:
    """The salts of topics, which make the keys of their documents differ between topics."""
    number = {topic: position for position, topic in enumerate(dict.fromkeys(topics))}
    names = Names.of_texts(list(number))
    distinct = names.secret_hashes(_OF_TOPICS + seed) if seed else names.hashes(_OF_TOPICS)
    return distinct if len(number) == len(topics) else distinct[[number[topic] for topic in topics]]


def document_hashes(doc: Names, seed: int = 0) -> NDArray[np.uint64]:
    """The hashes of documents for keys: for seed 0 the same everywhere, for other seeds secret to this process."""
    return doc.secret_hashes(seed) if seed else doc.hashes()


def _doubles(column: pl.Series) -> NDArray[np.float64]:
    return np.asarray(column.to_numpy(), dtype=np.float64)


def salted(hashes: NDArray[np.uint64], salt: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The keys of documents, from the hashes of their names (changed in place) and the salts of their topics."""
    hashes ^= salt
    hashes *= _SPREAD
    return hashes


def beginnings(differ: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The first row of each stretch of equal rows, given whether each row differs from the one before.

    Examples
    --------
    >>> beginnings(np.array([False, True]))
    array([0, 2])
    """
    return np.append(0, np.flatnonzero(differ) + 1)


def joined_stretches(
    parts: Iterable[tuple[int, NDArray[np.int64], Sequence[str]]],
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Join the stretches of parts, each given by its number of rows, the first row of each stretch and the topics.

    Examples
    --------
    >>> joined_stretches([(3, np.array([0, 2]), ["401", "402"]), (2, np.array([0]), ["402"])])
    (array([0, 2]), ('401', '402'))
    """
    rows, begins = 0, []
    topics: list[str] = []
    for count, begin, named in parts:
        # A part may continue the last topic of the part before.
        same = int(bool(topics) and topics[-1] == named[0])
        begins.append(begin[same:] + rows)
        topics += named[same:]
        rows += count
    return np.concatenate(begins), tuple(topics)


def topics_interleave(stretches: int, rows: int) -> bool:
    """Whether topics interleave, so that there are nearly as many stretches as rows.

    Examples
    --------
    >>> topics_interleave(50, 50_000), topics_interleave(81, 81)
    (False, True)
    """
    return stretches > _FEW + rows // _FEW


T = TypeVar("T", bound=np.generic)
# The address space reserved for each array; memory is used only where something is written.
_RESERVED = 1 << 25
# A full array grows by 1/_GROWTH of its size.
_GROWTH = 8


class GatheredRows:
    """Rows collected from parts; a topic may continue in the next part.

    Examples
    --------
    >>> parts = [Rows(np.array([0]), ("401",), Names.of_texts([doc]), np.array([1.0])) for doc in ("d1", "d10")]
    >>> gathered = GatheredRows()
    >>> for part in parts:
    ...     gathered.add(part)
    >>> rows = gathered.rows()
    >>> rows.topics, rows.begin, rows.doc.texts(), rows.value
    (('401',), array([0]), ['d1', 'd10'], array([1., 1.]))
    """

    def __init__(self) -> None:
        self._stretches: list[tuple[int, NDArray[np.int64], tuple[str, ...]]] = []
        self._codes, self._width = _Growing(np.uint8), _Growing(np.int32)
        self._value, self._keys = _Growing(np.float64), _Growing(np.uint64)

    def add(self, part: Rows) -> None:
        """Add the next part, whose text has less than 2 GB."""
        self._stretches.append((len(part), part.begin, part.topics))
        self._width.add(part.doc.width)
        self._value.add(part.value)
        self._keys.add(part.keys())
        for codes in part.doc.gathered_bytes():
            self._codes.add(np.frombuffer(codes, dtype=np.uint8))

    def rows(self) -> Rows:
        """Return all rows; nothing may be added afterwards."""
        begin, topics = joined_stretches(self._stretches)
        self._codes.add(np.frombuffer(PADDING, dtype=np.uint8))
        doc = Names.side_by_side(self._codes.array(), self._width.array())
        return Rows(begin, topics, doc, self._value.array(), known_keys=self._keys.array())


class _Growing(Generic[T]):
    """An array that grows in place, since joining parts would need twice the memory."""

    def __init__(self, dtype: type[T]) -> None:
        self._array: NDArray[T] = np.empty(_RESERVED // np.dtype(dtype).itemsize, dtype=dtype)
        self._size = 0

    def add(self, part: NDArray[Any]) -> None:
        size = self._size + part.size
        if size > self._array.size:
            self._array.resize(size + size // _GROWTH, refcheck=False)
        self._array[self._size : size] = part
        self._size = size

    def array(self) -> NDArray[T]:
        self._array.resize(self._size, refcheck=False)
        return self._array
