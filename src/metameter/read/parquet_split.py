"""The rows of a run, or of judgments, from the bytes of a Parquet file, for files as most are.

As of text (`split`), no texts are made of the names, and no table. Whatever is not as expected (other types, missing
cells, another compression) makes the whole file one to be read as a table, by Polars.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from metameter.errors import MetameterError
from metameter.read.columns import column_key, find_column
from metameter.read.memory_left import memory_left
from metameter.read.parquet_notes import OPTIONAL, REQUIRED, Column, Notes, notes_of
from metameter.read.parquet_pages import Values, plain_texts, values_of
from metameter.read.parquet_size import size_of_columns
from metameter.read.unpack_limit import unpack_limit
from metameter.types.names import PADDING, Names
from metameter.types.rows import Rows, beginnings, joined_stretches, take_turns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.read.layout import Layout

__all__ = ["split_parquet"]

# What a number of each type takes, and how a column says that it holds texts: as of old, or as of late.
_NUMBERS, _WHOLE = {1: "<i4", 2: "<i8", 4: "<f4", 5: "<f8"}, (1, 2)
_ARROW = b"ARROW:schema"
_TEXT, _NO_MEANING = 6, (None, None)
_UTF8, _STRING = 0, 1
# Places, widths, words, keys, slots and numbers, and what is made on the way to them.
_EACH_ROW = 150


def split_parquet(data: bytes, layout: Layout, where: str) -> Rows | None:
    """The rows of a regular file with the columns topic, doc and one of numbers; None if it is not one.

    Examples
    --------
    >>> import io
    >>> import polars as pl
    >>> from metameter.read.trec import RUN
    >>> file = io.BytesIO()
    >>> pl.DataFrame({"qid": ["401", "402"], "docno": ["d1", "d1"], "score": [9.5, 7]}).write_parquet(file)
    >>> rows = split_parquet(file.getvalue(), RUN, "run.parquet")
    >>> rows.topics, rows.begin, rows.doc.texts(), rows.value
    (('401', '402'), array([0, 1]), ['d1', 'd1'], array([9.5, 7. ]))
    """
    try:
        notes = notes_of(data)
        named = _columns(notes, layout, where)
        if _memory(data, notes, named) > min(unpack_limit(), memory_left()):
            return None  # perhaps it can be read as a table; if not, that is said there
        topic, doc, value = (list(_pages(data, notes, column)) for column in named)
        rows = _rows(topic, doc, value, named[2])
    except (MetameterError, ValueError, LookupError, TypeError, AttributeError, MemoryError):
        return None
    return rows if len(rows) and np.isfinite(rows.value).all() else None


def _memory(data: bytes, notes: Notes, named: Sequence[Column]) -> int:
    """About how many bytes reading takes: pages and what is made of them, and arrays of all rows."""
    rows = sum(max(chunk.rows, 0) for chunk in notes.chunks if chunk.path == [named[0].name.encode()])
    return 2 * size_of_columns(data, notes, [column.name for column in named]) + _EACH_ROW * rows


def _columns(notes: Notes, layout: Layout, where: str) -> list[Column]:
    """Those of the topic, the document and the number, which must be what texts and numbers mostly are."""
    first, *columns = notes.schema
    names = [column.name for column in columns]
    if first.holds != len(columns) or any(column.holds for column in columns) or len(set(names)) < len(names):
        raise ValueError("columns of columns")
    if "score" in layout.numbers and find_column("system", names, where) is not None:
        raise ValueError("a column that names systems")
    wanted = [find_column(name, names, where) for name in (*layout.texts, *layout.numbers)]
    if None in wanted or (layout.numbers == ("grade",) and column_key(str(wanted[-1])) == "score"):
        raise ValueError("a column is missing, or may be one of a run")
    *texts, number = (columns[names.index(str(name))] for name in wanted)
    if not all(map(_holds_texts, texts)) or number.type not in _NUMBERS or number.meaning != _NO_MEANING:
        raise ValueError("columns of other types")
    if number.type in _WHOLE and _ARROW in notes.further:
        raise ValueError("perhaps a duration")
    if any(column.repetition not in (REQUIRED, OPTIONAL) for column in (*texts, number)):
        raise ValueError("several values in a row")
    return [*texts, number]


def _holds_texts(column: Column) -> bool:
    old, late = column.meaning
    return column.type == _TEXT and (old == _UTF8 or (late is not None and _STRING in late))


def _pages(data: bytes, notes: Notes, column: Column) -> Iterable[Values]:
    for chunk in notes.chunks:
        if chunk.path == [column.name.encode()]:
            if chunk.type != column.type:
                raise ValueError("a column of two types")
            yield from values_of(data, chunk, optional=column.repetition == OPTIONAL)


def _rows(topic: list[Values], doc: list[Values], value: list[Values], number: Column) -> Rows:
    dtype = _NUMBERS[number.type or 0]
    values = np.concatenate([_numbers(page, dtype) for page in value])
    names = _names(doc)
    begin, topics = joined_stretches([(page.held, *_stretches(page)) for page in topic])
    if not len(names) == values.size == sum(page.held for page in topic):
        raise ValueError("columns of different heights")
    if take_turns(begin.size, values.size):
        raise ValueError("topics take turns")
    return Rows(begin, topics, names, values)


def _numbers(page: Values, dtype: str) -> NDArray[np.float64]:
    numbers = np.frombuffer(page.plain, dtype=dtype)
    if numbers.size != page.entries:
        raise ValueError("numbers are missing")
    return (numbers if page.place is None else numbers[page.place]).astype(np.float64)


def _names(pages: list[Values]) -> Names:
    """The names of all pages; each dictionary, which several of them may refer to, is there once."""
    bodies = {id(page.plain): page for page in pages}
    places, at = {}, 0
    for key, page in bodies.items():
        start, width = plain_texts(page.plain, page.entries)
        places[key] = start + at, width
        at += len(page.plain)
    parts = [[part if page.place is None else part[page.place] for part in places[id(page.plain)]] for page in pages]
    codes = np.frombuffer(b"".join([*(page.plain for page in bodies.values()), PADDING]), dtype=np.uint8)
    start, width = (np.concatenate(each) for each in zip(*parts, strict=True))
    return Names(codes, start, width)


def _stretches(page: Values) -> tuple[NDArray[np.int64], list[str]]:
    """Where the topics of a page begin anew, and which they are."""
    start, width = plain_texts(page.plain, page.entries)
    names = Names.in_bytes(page.plain, start, width)
    if page.place is None:
        begin = beginnings(names.differ())
        return begin, names.take(begin).texts()
    begin = beginnings(page.place[1:] != page.place[:-1])
    return begin, names.take(page.place[begin].astype(np.int64)).texts()
