"""How much memory a Parquet file takes once it is read: found before, in its own notes and in those of its pages."""

from __future__ import annotations

from collections.abc import Collection

from metameter.read.parquet_notes import Chunk, Notes, notes_of

__all__ = ["size_of_columns", "size_of_parquet"]

# Types that hold bytes, and what a value of a type takes in memory.
_TEXT, _FIXED = 6, 7
_VIEW, _NUMBER = 16, 8


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
    return size_of_columns(data, notes_of(data), columns)


def size_of_columns(data: bytes, notes: Notes, columns: Collection[str] | None = None) -> int:
    """The same, from the notes at the end of the file."""
    lengths = {column.name: column.length for column in notes.schema}
    return sum(
        _size_of_chunk(data, chunk, lengths)
        for chunk in notes.chunks
        if columns is None or chunk.path[0].decode(errors="replace") in columns
    )


def _size_of_chunk(data: bytes, chunk: Chunk, lengths: dict[str, int]) -> int:
    pages = list(chunk.pages(data))
    unpacked, values = sum(page.unpacked for page in pages), sum(page.values for page in pages)
    if values != chunk.values or chunk.values < chunk.rows or (len(chunk.path) == 1 and values != chunk.rows):
        raise ValueError("a column has other values than its pages")  # over which Polars panics
    fixed = max(lengths.get(chunk.path[-1].decode(errors="replace"), 0), _NUMBER)
    width = {_TEXT: _VIEW, _FIXED: fixed}.get(chunk.type, _NUMBER)
    return unpacked + values * width
