"""Rows that come in parts, such as blocks of a large file: of the text only the names of documents are kept."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from metameter.types.byte_strings import PADDING, Names
from metameter.types.rows import Rows, joined_stretches

T = TypeVar("T", bound=np.generic)
# So many bytes of address space an array has from the beginning; memory is what is written to.
_ROOM = 1 << 25
# An array that is full grows by one part in so many.
_GROWTH = 8


class GatheredRows:
    """Rows that come in parts; a topic may go on in the next part.

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
        """Take the next part, whose text has less than 2 GB."""
        self._stretches.append((len(part), part.begin, part.topics))
        self._width.add(part.doc.width)
        self._value.add(part.value)
        self._keys.add(part.keys())
        for codes in part.doc.gathered_bytes():
            self._codes.add(np.frombuffer(codes, dtype=np.uint8))

    def rows(self) -> Rows:
        """All rows; nothing is added after that."""
        begin, topics = joined_stretches(self._stretches)
        self._codes.add(np.frombuffer(PADDING, dtype=np.uint8))
        doc = Names.side_by_side(self._codes.array(), self._width.array())
        return Rows(begin, topics, doc, self._value.array(), known_keys=self._keys.array())


class _Growing(Generic[T]):
    """An array that grows at its end, where it is: parts that are joined at the end would need the memory twice."""

    def __init__(self, kind: type[T]) -> None:
        self._array: NDArray[T] = np.empty(_ROOM // np.dtype(kind).itemsize, dtype=kind)
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
