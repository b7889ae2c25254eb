"""Parquet files with named columns: measured before they are read, so that a damaged one is an error like any other.

How much memory a file takes follows from its metadata, structures in Thrift's compact encoding: a footer, which names
the columns and locates their chunks, and a header before each page. They are parsed here, since no library at hand can
be trusted with them (Polars 2.1, DuckDB 2.0):

- A footer may claim a list of 2,147,483,647 entries. Polars then ends the process, and DuckDB's ``parquet_metadata``
  allocates room for all of them: 8 GB for a file of 2 kB, whatever its ``memory_limit``.
- Neither checks what pages claim. A page that unpacks to 1.5 GB, where the footer says 8 kB, is read; one that claims
  a negative number of values ends the process.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from metameter.errors import MetameterError
from metameter.read.columns import find_column
from metameter.read.files.limits import memory_left, size_in_words, too_large, unpack_limit
from metameter.read.formats.base import TableFormat

if TYPE_CHECKING:
    import polars as pl

    from metameter.read.header_table import HeaderTable
    from metameter.read.trec.parse import Layout


# Polars has decimals of at most so many digits.
_DIGITS = 38
# Reading takes so many times the memory of the columns: pages while they are unpacked, pieces before they are joined.
_OVERHEAD = 5
# Rows of a run unpack to at most so many times their stored size.
_CREDIBLE = 200

# Field numbers of parquet.thrift: of the file, of an element of its schema, of a group of rows,
_SCHEMA, _GROUPS = 2, 4
_TYPE, _LENGTH, _NAME, _CHILDREN = 1, 2, 4, 5
_CHUNKS, _ROWS = 1, 3
# of a chunk; of the header of a page: its values, those of the second version, of a dictionary.
_META, _COUNT, _PACKED, _FIRST, _FIRST_DICTIONARY = 3, 5, 7, 9, 11
_PAGE_UNPACKED, _PAGE_PACKED, _OF_VALUES, _OF_SECOND, _OF_DICTIONARY = 2, 3, 5, 8, 7
_VALUES = 1
# Types that hold bytes, and how many bytes a value of a type takes in memory.
_TEXT, _FIXED = 6, 7
_VIEW, _NUMBER = 16, 8
# Kinds of Thrift.
_TRUE, _FALSE, _BYTE, _I16, _I64, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 4, 6, 7, 8, 9, 10, 12
_DEEPEST, _FOLLOWED, _LONGEST = 32, 128, 15


class Parquet(TableFormat):
    """A Parquet file: the first four bytes say so."""

    def recognises(self, head: bytes, known_names: Collection[str] | None = None) -> bool:
        """Whether this is Parquet."""
        return head.startswith(b"PAR1")

    def table(self, data: bytes, where: str, layout: Layout | None = None) -> HeaderTable:
        """The wanted columns, if they have our names; else all, whose names a message may list."""
        from metameter.read.header_table import HeaderTable

        def choose(names: Sequence[str]) -> list[str] | None:
            if layout is None:
                return None
            system = find_column("system", names, where) if "score" in layout.numbers else None
            columns = [*(name for name in layout.selection if name != "tag"), *([system] if system else [])]
            return columns if set(columns) <= set(names) else None

        return HeaderTable.by_row(where, chosen_columns(data, where, choose))


def chosen_columns(
    data: bytes, where: str, choose: Callable[[Sequence[str]], Collection[str] | None] = lambda names: None
) -> pl.DataFrame:
    """The columns of a Parquet file that are chosen from the names of all; None chooses all.

    Examples
    --------
    >>> import polars as pl
    >>> file = io.BytesIO()
    >>> pl.DataFrame({"topic": [401], "doc": ["d1"], "grade": [1]}).write_parquet(file)
    >>> chosen_columns(file.getvalue(), "qrels.parquet", lambda names: names[1:2]).rows()
    [('d1',)]
    """
    import polars as pl
    from polars import selectors as cs

    with explained(where):
        footer = footer_of(data)
        scan = pl.scan_parquet(io.BytesIO(data))
        schema = scan.collect_schema()
        columns = choose(schema.names())
        names = [name for name in schema.names() if columns is None or name in columns]
        size = footer.size(columns)
        _check_size(size, data, where)
        for name in names:
            kind = schema[name]
            if isinstance(kind, pl.Decimal) and kind.precision > _DIGITS:
                what, allowed = (
                    f"the column {name} holds decimals of {kind.precision} digits",
                    f"at most {_DIGITS} digits",
                )
                raise MetameterError(what, where=where, allowed=allowed, fix="Write the column as float64.")
        table = scan.select(names).collect()
        # Rows may share one long text, which each of them gets for itself later on.
        texts = table.select(cs.string().str.len_bytes().cast(pl.UInt64).sum())
        _check_size(size + sum(filter(None, texts.row(0))) if texts.width else size, data, where)
    return table


@contextmanager
def parquet_bytes(path: Path | None, pieces: Iterable[bytes] = ()) -> Iterator[bytes | mmap]:
    """The bytes of a file, mapped rather than read; or these pieces of one that has no path."""
    if path is None:
        yield b"".join(pieces)
    else:
        with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
            yield data


@contextmanager
def explained(where: str) -> Iterator[None]:
    """Turn whatever a damaged file raises into one of our errors.

    What Polars prints when it panics goes to standard error, which belongs to the whole process: it is not redirected.
    The metadata are checked before, so that few damaged files get that far.
    """
    import polars as pl

    polars = (pl.exceptions.PolarsError, pl.exceptions.PanicException)
    try:
        yield
    except MetameterError:
        raise
    except (*polars, OSError, ValueError, LookupError, TypeError, AttributeError):
        raise damaged(where) from None


def damaged(where: str) -> MetameterError:
    """The error for a Parquet file that cannot be read."""
    return MetameterError("the Parquet file is damaged or cut short", where=where, fix="Fetch or write the file again.")


def check_unpacked(size: int, where: str) -> None:
    """Raise an error if ``size``, the number of bytes to be read, is above the unpack limit."""
    if size > unpack_limit():
        raise too_large(where, unpack_limit(), f"the Parquet file unpacks to {size_in_words(size)}")


def _check_size(size: int, data: bytes, where: str) -> None:
    """Raise an error if ``size``, the number of bytes to be read, is above the unpack limit or the memory left."""
    check_unpacked(size, where)
    limit, needed, room = unpack_limit(), _OVERHEAD * size, memory_left()
    if needed > room:
        # Where memory is short, Polars does not raise an error: it ends the process.
        what = f"there is not enough memory to read the Parquet file: it takes about {size_in_words(needed)}"
        left = f"{size_in_words(int(room))} are left"
        raise MetameterError(what, where=where, allowed=left, fix="Allow this process more memory.")
    if needed > limit and size > _CREDIBLE * len(data):
        # A few bytes may stand for millions of equal rows; each of them takes room besides what it unpacks to.
        what = f"reading the Parquet file, of {size_in_words(len(data))}, takes about {size_in_words(needed)}"
        raise too_large(where, limit, what)


class _Leaf(NamedTuple):
    """A column, or a part of a nested one, that holds values; and the memory that each takes."""

    column: str
    nested: bool
    width: int


class Footer(NamedTuple):
    """The leaves of a file, in the order of the chunks of each group of rows, and these groups."""

    data: bytes | mmap
    leaves: list[_Leaf]
    groups: list[dict[int, Any]]

    def size(self, columns: Collection[str] | None = None) -> int:
        """A lower estimate of the memory, in bytes, that these columns take; by default of all columns.

        It counts the unpacked size that each page states, and the memory of each value: a page stores many equal values
        in a few bytes, but a column in memory stores each of them.
        """
        return sum(
            _size_of_chunk(self.data, chunk[_META], group[_ROWS], leaf)
            for group in self.groups
            for leaf, chunk in zip(self.leaves, group[_CHUNKS], strict=True)
            if columns is None or leaf.column in columns
        )


def footer_of(data: bytes | mmap) -> Footer:
    """The footer of a file; a ValueError or a LookupError if it makes no sense."""
    length = int.from_bytes(data[-8:-4], "little")
    if data[-4:] != b"PAR1" or len(data) < 12 or length > len(data) - 12:
        raise ValueError("the end is missing")
    fields, _ = _structure(data[-8 - length : -8], 0)
    return Footer(data, _leaves(fields[_SCHEMA]), fields[_GROUPS])


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


def _size_of_chunk(data: bytes | mmap, chunk: dict[int, Any], rows: int, leaf: _Leaf) -> int:
    # A file without a dictionary may say that it stands at 0, where no page can be.
    at = chunk.get(_FIRST_DICTIONARY) or chunk[_FIRST]
    stop, size, left = at + chunk[_PACKED], 0, chunk[_COUNT]
    if not 0 < at <= chunk[_FIRST] <= stop <= len(data):
        raise ValueError("a column is outside the file")
    if left < rows or (not leaf.nested and left != rows):
        raise ValueError("a column has other values than rows")  # over which Polars panics
    while at < stop:
        page, at = _structure(data, at)
        unpacked, packed = page[_PAGE_UNPACKED], page[_PAGE_PACKED]
        values, second, entries = (
            page.get(field, {_VALUES: 0})[_VALUES] for field in (_OF_VALUES, _OF_SECOND, _OF_DICTIONARY)
        )
        if min(values, second, entries, unpacked, packed) < 0 or entries > unpacked or unpacked >> 31:
            # Polars takes it for a number beyond any memory, and ends the process.
            raise ValueError("a page holds fewer values than none, or more than it has room for")
        at, size, left = at + packed, size + unpacked, left - max(values, second)
    if at != stop or left:
        raise ValueError("a column has other values than its pages")
    return size + int(chunk[_COUNT]) * leaf.width


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
        return _list(data, at, depth + 1)
    if kind == _BINARY:
        size, at = _varint(data, at)
    elif kind in (_TRUE, _FALSE, _BYTE, _DOUBLE):
        size = 8 if kind == _DOUBLE else 1
    else:
        raise ValueError("there is no such type in Thrift")
    if size > len(data) - at:
        raise ValueError("the end is missing")
    return data[at : at + size], at + size


def _list(data: bytes | mmap, at: int, depth: int) -> tuple[list[Any], int]:
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


FORMAT = Parquet()
