"""How much memory a Parquet file takes once it is read: found in its own notes, before any library reads them.

The notes are structures in Thrift's compact encoding: one at the end of the file, which names its columns and says
where their chunks are, and a header before each page. No library at hand can be asked instead (Polars 2.1, DuckDB 2.0):

- The end may say that a list has 2,147,483,647 entries. Polars then ends the process, and DuckDB's ``parquet_metadata``
  allocates room for all of them: 8 GB for a file of 2 kB, whatever its ``memory_limit``.
- Neither tells what pages say. One that unpacks to 1.5 GB, where the end of the file says 8 kB, is read; one that says
  to hold fewer values than none ends the process.
"""

from __future__ import annotations

from collections.abc import Collection
from mmap import mmap
from typing import Any, NamedTuple

# The numbers of fields, as parquet.thrift has them: of the file, of an element of its schema, of a group of rows,
_SCHEMA, _GROUPS = 2, 4
_TYPE, _LENGTH, _NAME, _CHILDREN = 1, 2, 4, 5
_CHUNKS, _ROWS = 1, 3
# of a chunk; of the header of a page: what is said of its values, of those of the second version, of a dictionary.
_META, _COUNT, _PACKED, _FIRST, _FIRST_DICTIONARY = 3, 5, 7, 9, 11
_PAGE_UNPACKED, _PAGE_PACKED, _OF_VALUES, _OF_SECOND, _OF_DICTIONARY = 2, 3, 5, 8, 7
_VALUES = 1
# Types that hold bytes, and what a value of a type takes in memory.
_TEXT, _FIXED = 6, 7
_VIEW, _NUMBER = 16, 8
# Kinds of Thrift.
_TRUE, _FALSE, _BYTE, _I16, _I64, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 4, 6, 7, 8, 9, 10, 12
_DEEPEST, _FOLLOWED, _LONGEST = 32, 128, 15


def is_parquet(data: bytes) -> bool:
    """Whether these are the bytes of a Parquet file: the first four say so."""
    return data.startswith(b"PAR1")


class _Leaf(NamedTuple):
    """What holds values: a column, or a part of a nested one; and the memory that a value of it takes."""

    column: str
    nested: bool
    width: int


class Notes(NamedTuple):
    """What the end of a file says: its leaves, in the order of the chunks of each group of rows, and these groups."""

    leaves: list[_Leaf]
    groups: list[dict[int, Any]]

    def size(self, data: bytes | mmap, columns: Collection[str] | None = None) -> int:
        """About how many bytes these columns take, at least; by default all.

        A page is unpacked to the size that it tells; its values, a run of equal ones being a few bytes there, are laid
        out one by one.
        """
        return sum(
            _size_of_chunk(data, chunk[_META], group[_ROWS], leaf)
            for group in self.groups
            for leaf, chunk in zip(self.leaves, group[_CHUNKS], strict=True)
            if columns is None or leaf.column in columns
        )


def notes_of(data: bytes | mmap) -> Notes:
    """The notes at the end of a file; a ValueError or a LookupError where they make no sense."""
    length = int.from_bytes(data[-8:-4], "little")
    if data[-4:] != b"PAR1" or len(data) < 12 or length > len(data) - 12:
        raise ValueError("the end is missing")
    said, _ = _structure(data[-8 - length : -8], 0)
    return Notes(_leaves(said[_SCHEMA]), said[_GROUPS])


def size_of_parquet(data: bytes, columns: Collection[str] | None = None) -> int:
    """About how many bytes these columns take, at least; by default all. An error if the file makes no sense."""
    return notes_of(data).size(data, columns)


def _leaves(schema: list[dict[int, Any]]) -> list[_Leaf]:
    leaves, column, open_elements = [], "", 0
    for element in schema[1:]:
        nested = open_elements > 0
        if not nested:
            column, open_elements = element[_NAME].decode(errors="replace"), 1
        open_elements += element.get(_CHILDREN, 0) - 1
        if _TYPE in element:
            fixed = max(element.get(_LENGTH, 0), _NUMBER)
            width = {_TEXT: _VIEW, _FIXED: fixed}.get(element[_TYPE], _NUMBER)
            leaves.append(_Leaf(column, nested, width))
    return leaves


def _size_of_chunk(data: bytes | mmap, said: dict[int, Any], rows: int, leaf: _Leaf) -> int:
    # A file without a dictionary may say that it stands at 0, where no page can be.
    at = said.get(_FIRST_DICTIONARY) or said[_FIRST]
    stop, size, left = at + said[_PACKED], 0, said[_COUNT]
    if not 0 < at <= said[_FIRST] <= stop <= len(data):
        raise ValueError("a column is outside the file")
    if left < rows or (not leaf.nested and left != rows):
        raise ValueError("a column has other values than rows")  # over which Polars panics
    while at < stop:
        page, at = _structure(data, at)
        unpacked, packed = page[_PAGE_UNPACKED], page[_PAGE_PACKED]
        values, second, entries = (
            page.get(each, {_VALUES: 0})[_VALUES] for each in (_OF_VALUES, _OF_SECOND, _OF_DICTIONARY)
        )
        if min(values, second, entries, unpacked, packed) < 0 or entries > unpacked or unpacked >> 31:
            # Polars takes it for a number beyond any memory, and ends the process.
            raise ValueError("a page holds fewer values than none, or more than it has room for")
        at, size, left = at + packed, size + unpacked, left - max(values, second)
    if at != stop or left:
        raise ValueError("a column has other values than its pages")
    return size + int(said[_COUNT]) * leaf.width


def _structure(data: bytes | mmap, at: int, depth: int = 0) -> tuple[dict[int, Any], int]:
    """The structure at an offset, the number of each field -> its value, and where it ends.

    Field 1 is the number 3 (in zigzag: 6), and field 4 is a list of two texts:

    >>> _structure(bytes([0x15, 6, 0x39, 0x28, 1, 97, 1, 98, 0]), 0)
    ({1: 3, 4: [b'a', b'b']}, 9)
    """
    if depth > _DEEPEST:
        raise ValueError("structures and lists nest too deeply")
    fields: dict[int, Any] = {}
    number = 0
    while head := data[at]:
        number, at = (number + (head >> 4), at + 1) if head >> 4 else _integer(data, at + 1)
        kind = head & 15
        fields[number], at = (kind == _TRUE, at) if kind in (_TRUE, _FALSE) else _value(data, at, kind, depth)
    return fields, at + 1


def _value(data: bytes | mmap, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if _I16 <= kind <= _I64:
        return _integer(data, at)
    if kind == _STRUCT:
        return _structure(data, at, depth + 1)
    if kind in (_LIST, _SET):
        return _listed(data, at, depth + 1)
    if kind == _BINARY:
        size, at = _varint(data, at)
    elif kind in (_TRUE, _FALSE, _BYTE, _DOUBLE):
        size = 8 if kind == _DOUBLE else 1
    else:
        raise ValueError("there is no such type in Parquet's notes")
    if size > len(data) - at:
        raise ValueError("the end is missing")
    return data[at : at + size], at + size


def _listed(data: bytes | mmap, at: int, depth: int) -> tuple[list[Any], int]:
    kind, size, at = data[at] & 15, data[at] >> 4, at + 1
    if size == _LONGEST:
        size, at = _varint(data, at)
    if size > len(data) - at or depth > _DEEPEST:  # every value takes a byte at least
        raise ValueError("a list is longer than what is left")
    values = []
    for _ in range(size):
        value, at = _value(data, at, kind, depth)
        values.append(value)
    return values, at


def _integer(data: bytes | mmap, at: int) -> tuple[int, int]:
    value, at = _varint(data, at)
    return value >> 1 ^ -(value & 1), at


def _varint(data: bytes | mmap, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, the lowest first; and where it ends."""
    value = shift = 0
    while (byte := data[at]) >= _FOLLOWED:
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if shift > 63:
            raise ValueError("a number is too long")
    return value | byte << shift, at + 1
