"""How much memory a Parquet file takes once it is read: found before, in its own notes and in those of its pages."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from metameter.read.thrift import structure

__all__ = ["size_of_parquet"]

# The numbers of fields, as parquet.thrift has them.
_SCHEMA, _ROW_GROUPS = 2, 4
_COLUMNS, _ROWS = 1, 3
_META = 3
_TYPE, _PATH, _VALUES, _PACKED, _DATA, _DICTIONARY = 1, 3, 5, 7, 9, 11
_PAGE_UNPACKED, _PAGE_PACKED, _PAGE_VALUES = 2, 3, (5, 8)
_TEXT, _FIXED = 6, 7
_VIEW, _NUMBER = 16, 8
_ELEMENT_NAME, _ELEMENT_LENGTH = 4, 2


def size_of_parquet(data: bytes, columns: Collection[str] | None = None) -> int:
    """About how many bytes these columns take, at least; by default all. A ValueError if the file makes no sense.

    A page is unpacked to the size that it tells; its values, a run of equal ones being a few bytes there, are laid out
    one by one.

    Examples
    --------
    >>> import io
    >>> import polars as pl
    >>> file = io.BytesIO()
    >>> pl.DataFrame({"topic": ["401"] * 10**6, "grade": [1.0] * 10**6}).write_parquet(file)
    >>> len(file.getvalue()) < 10_000, size_of_parquet(file.getvalue(), ["grade"]) >= 8 * 10**6
    (True, True)
    """
    notes = _notes(data)
    widths = {each[_ELEMENT_NAME]: each.get(_ELEMENT_LENGTH, 0) for each in notes[_SCHEMA]}
    return sum(
        _size_of_chunk(data, chunk[_META], rows, widths)
        for group in notes[_ROW_GROUPS]
        for rows in [group[_ROWS]]
        for chunk in group[_COLUMNS]
        if columns is None or chunk[_META][_PATH][0].decode(errors="replace") in columns
    )


def _notes(data: bytes) -> dict[int, Any]:
    length = int.from_bytes(data[-8:-4], "little")
    if data[-4:] != b"PAR1" or len(data) < 12 or length > len(data) - 12:
        raise ValueError("the end is missing")
    notes, _ = structure(data, len(data) - 8 - length, len(data) - 8)
    if not isinstance(notes.get(_ROW_GROUPS), list) or not isinstance(notes.get(_SCHEMA), list):
        raise ValueError("there are no columns")
    return notes


def _size_of_chunk(data: bytes, meta: dict[int, Any], rows: int, lengths: dict[bytes, int]) -> int:
    values = unpacked = 0
    for page in _pages(data, meta):
        held = [int(page[kind][1]) for kind in _PAGE_VALUES if kind in page]
        if min(held, default=0) < 0:
            # Polars takes it for a number beyond any memory, and ends the process.
            raise ValueError("a page has fewer values than none")
        unpacked += max(int(page[_PAGE_UNPACKED]), 0)
        values += max(held, default=0)
    fixed = max(lengths.get(meta[_PATH][-1], 0), _NUMBER)
    width = {_TEXT: _VIEW, _FIXED: fixed}.get(meta[_TYPE], _NUMBER)
    return unpacked + max(values, int(meta[_VALUES]), rows, 0) * width


def _pages(data: bytes, meta: dict[int, Any]) -> Iterator[dict[int, Any]]:
    """The headers of a chunk's pages."""
    # A file without a dictionary may say that it stands at 0, where no page can be.
    start = min(at for at in (meta[_DATA], meta.get(_DICTIONARY) or meta[_DATA]) if at)
    end = start + meta[_PACKED]
    if not 0 < start <= end <= len(data):
        raise ValueError("a column is outside the file")
    while start < end:
        page, start = structure(data, start, end)
        start += page[_PAGE_PACKED]
        if page[_PAGE_PACKED] < 0 or start > end:
            raise ValueError("a page is outside its column")
        yield page
