"""The notes in a Parquet file: its columns, the chunks in which they are stored, and the pages of these."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from metameter.read.thrift import structure

__all__ = ["Chunk", "Column", "Notes", "Page", "is_parquet", "notes_of"]

# The numbers of fields, as parquet.thrift has them: of the file, of an element of its schema, of a group of rows,
_SCHEMA, _ROW_GROUPS = 2, 4
_LENGTH, _NAME, _DIGITS = 2, 4, 8
_CHUNKS, _ROWS, _META = 1, 3, 3
# of a chunk, of a page: what is said of its values, of those of the second version, and of a dictionary.
_TYPE, _PATH, _COUNT, _PACKED, _FIRST, _FIRST_DICTIONARY = 1, 3, 5, 7, 9, 11
_PAGE_UNPACKED, _PAGE_PACKED, _OF_VALUES, _OF_SECOND, _OF_DICTIONARY = 2, 3, 5, 8, 7
_VALUES = 1


def is_parquet(data: bytes) -> bool:
    """Whether these are the bytes of a Parquet file: the first four say so."""
    return data.startswith(b"PAR1")


class Column(NamedTuple):
    """An element of the schema: a column, or what holds columns."""

    name: str
    length: int
    digits: int


class Page(NamedTuple):
    """A part of a chunk: how many values it says to hold, and to how many bytes it says to unpack."""

    values: int
    unpacked: int


class Chunk(NamedTuple):
    """The values of a column in one group of rows."""

    path: list[bytes]
    type: int
    values: int
    rows: int
    start: int
    stop: int

    def pages(self, data: bytes) -> Iterator[Page]:
        """Its pages; a ValueError where they make no sense."""
        at = self.start
        if not 0 < at <= self.stop <= len(data):
            raise ValueError("a column is outside the file")
        while at < self.stop:
            said, start = structure(data, at, self.stop)
            at = start + said[_PAGE_PACKED]
            if said[_PAGE_PACKED] < 0 or at > self.stop:
                raise ValueError("a page is outside its column")
            yield _page(said)


class Notes(NamedTuple):
    """What a file says of itself.

    Attributes
    ----------
    schema : list of Column
        The first holds all others.
    chunks : list of Chunk
        Of one group of rows after the other, in the order of the schema.
    """

    schema: list[Column]
    chunks: list[Chunk]


def notes_of(data: bytes) -> Notes:
    """The notes at the end of a file; a ValueError if there are none.

    Examples
    --------
    >>> import io
    >>> import polars as pl
    >>> file = io.BytesIO()
    >>> pl.DataFrame({"doc": ["d1", "d2"]}).write_parquet(file)
    >>> notes = notes_of(file.getvalue())
    >>> [column.name for column in notes.schema[1:]], [chunk.values for chunk in notes.chunks]
    (['doc'], [2])
    >>> [page.values for page in notes.chunks[0].pages(file.getvalue())]  # a dictionary, and values that refer to it
    [0, 2]
    """
    length = int.from_bytes(data[-8:-4], "little")
    if data[-4:] != b"PAR1" or len(data) < 12 or length > len(data) - 12:
        raise ValueError("the end is missing")
    notes, _ = structure(data, len(data) - 8 - length, len(data) - 8)
    if not isinstance(notes.get(_ROW_GROUPS), list) or not isinstance(notes.get(_SCHEMA), list):
        raise ValueError("there are no columns")
    chunks = [_chunk(each[_META], group[_ROWS]) for group in notes[_ROW_GROUPS] for each in group[_CHUNKS]]
    return Notes([_column(each) for each in notes[_SCHEMA]], chunks)


def _column(said: dict[int, Any]) -> Column:
    return Column(said[_NAME].decode(errors="replace"), said.get(_LENGTH, 0), said.get(_DIGITS, 0))


def _page(said: dict[int, Any]) -> Page:
    nothing = {_VALUES: 0}
    values, second, entries = (said.get(kind, nothing)[_VALUES] for kind in (_OF_VALUES, _OF_SECOND, _OF_DICTIONARY))
    if min(values, second, entries) < 0:
        # Polars takes it for a number beyond any memory, and ends the process.
        raise ValueError("a page has fewer values than none")
    return Page(max(values, second), max(int(said[_PAGE_UNPACKED]), 0))


def _chunk(said: dict[int, Any], rows: int) -> Chunk:
    # A file without a dictionary may say that it stands at 0, where no page can be.
    start = min(place for place in (said[_FIRST], said.get(_FIRST_DICTIONARY) or said[_FIRST]) if place)
    return Chunk(said[_PATH], said[_TYPE], said[_COUNT], rows, start, start + said[_PACKED])
