"""Tables of labelled rows: which columns are read, and how a file or an object in memory is read row by row.

This defines what a file means. The query of `query` counts the same rows without holding them in memory; files that it
might read differently are read here, in memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from metameter.errors import MetameterError, in_utf8
from metameter.read.columns import column_key, repeated_name
from metameter.read.files.content import Content, regular_file
from metameter.read.formats import table_of
from metameter.read.formats.delimited import FORMAT as DELIMITED
from metameter.read.formats.delimited import in_utf8_or_refused
from metameter.read.formats.frames import is_frame
from metameter.read.formats.json_text import objects_in
from metameter.read.formats.parquet import FORMAT as PARQUET
from metameter.read.formats.parquet import chosen_columns, explained, footer_of, parquet_bytes
from metameter.read.header_table import HeaderTable
from metameter.read.labels.cells import raw_column, text_of
from metameter.types import counted
from metameter.types.tally import encode_column

Location = Callable[[int], str]

_NAMED = 30  # columns that are remembered although they are not read, to name them in messages
_BOM = b"\xef\xbb\xbf"
_TIANGONG_LINE = re.compile(rb"[^\t\r\n]*\t\[[^\t\r\n]*\]\t\[[^\t\r\n]*\]\t *\d+(\.\d*)? *([\r\n]|$)")
_TIANGONG = ("reformulation", "clicks", "usefulness", "satisfaction")


class IrregularError(Exception):
    """These rows have to be read row by row: to know what they mean, or where they stand."""


@dataclass(frozen=True)
class Form:
    """One kind of log."""

    name: str  # of an object in memory, in messages
    needed: tuple[str, ...]  # columns
    optional: tuple[str, ...]
    fix: str
    label: str = ""  # its column, and its name in messages
    called: str = ""
    lists: tuple[str, ...] = ("grades",)  # columns with lists of grades
    tiangong: bool = False  # whether files have the form of TianGong-QRef
    max_grade: float | None = None  # grades above it are refused
    #: Needed columns, and the other column that ``prepare`` can compute each from.
    origins: Mapping[str, str] = field(default_factory=dict)
    prepare: Callable[[Cells], Cells] | None = None
    #: Refuses impossible rows, given distinct values and the rows that have grades and a label.
    refuse: Callable[[Mapping[str, pl.Series], pl.DataFrame, Location], None] | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that are read."""
        return self.needed + self.optional + tuple(self.origins.values())

    def fits(self, columns: Collection[str]) -> bool:
        """Whether every needed column is there, or can be computed from another."""
        return {*columns, *self.computable(columns)}.issuperset(self.needed)

    def computable(self, columns: Collection[str]) -> list[str]:
        """The needed columns that are missing here and are computed from others."""
        return [name for name, origin in self.origins.items() if name not in columns and origin in columns]


@dataclass(frozen=True, eq=False)
class Cells:
    """Distinct rows of a log."""

    source: str
    columns: tuple[str, ...]  # all of them
    distinct: dict[str, pl.Series]  # the distinct cells of each column that is read, as they are stored
    rows: pl.DataFrame  # for each distinct row the codes of its cells, ``count``, and ``row``, its first row
    #: From ``row`` to its file and line; None where rows were counted without their locations.
    known: Location | None = None

    @classmethod
    def of(cls, table: HeaderTable, form: Form, names: Sequence[str] = ()) -> Cells:
        """The distinct rows of a table; ``names`` are those of all columns where the table has only some."""
        keys = [key for key in map(column_key, names or table.header) if key]
        height = table.cells.height if table.header else len(table.numbered)
        twice = repeated_name(keys)
        if twice is not None and height:
            what, fix = f"the header names {twice!r} twice", "Rename one of the columns."
            raise MetameterError(what, where=table.source, fix=fix)
        columns = [raw_column(each).alias(column_key(each.name)) for each in table.cells]
        both = {each.name: encode_column(each) for each in columns if each.name in form.columns}
        rows = pl.DataFrame({name: codes for name, (_, codes) in both.items()} | {"row": np.arange(height)})
        rows = rows.with_columns(count=pl.lit(1, pl.Int64))
        if both:
            rows = rows.group_by(*both).agg(pl.col("count").sum(), pl.col("row").min())
        distinct = {name: values for name, (values, _) in both.items()}
        return cls(table.source, tuple(dict.fromkeys(keys)), distinct, rows, table.location)

    def location(self, row: int) -> str:
        """The file and line of a row; `IrregularError` where they are unknown."""
        if self.known is None:
            raise IrregularError
        return self.known(row)


def kind_of(head: bytes) -> str:
    r"""The kind of a file, from its first bytes: ``parquet``, ``json`` (lines), ``list`` (of JSON objects) or ``csv``.

    Examples
    --------
    >>> kind_of(b'{"grades": [1]}\n'), kind_of(b'\n[{"grades": [1]}]'), kind_of(b"[1, 0]\t3"), kind_of(b"PAR1")
    ('json', 'list', 'csv', 'parquet')
    """
    if PARQUET.recognises(head):
        return "parquet"
    start = head.removeprefix(_BOM)[:1000].lstrip()
    if start.startswith(b"["):
        return "list" if start[1:].lstrip()[:1] in (b"{", b"]", b"") else "csv"
    return "json" if start.startswith(b"{") else "csv"


def is_tiangong(head: bytes) -> bool:
    r"""Whether a file that begins so has the form of TianGong-QRef: no header, two lists and a number after a text.

    Examples
    --------
    >>> is_tiangong(b"F\t[1, 0]\t[2, 0]\t3\n"), is_tiangong(b"id\tgrades\tuser\tsatisfaction\n"), is_tiangong(b"")
    (True, False, False)
    """
    return _TIANGONG_LINE.match(head.removeprefix(_BOM).lstrip()) is not None


def stored_as(source: str, begun: bytes) -> Path | None:
    """Where a file is that is stored as it is read; None if it is compressed, or can be read only once."""
    path = regular_file(source)
    if path is None:
        return None
    with path.open("rb") as file:
        return path if file.read(16) == begun[:16] else None


def cells_of(source: str, form: Form) -> Cells:
    """The rows of a file, all of which are in memory; there may be none, as large collections have such parts."""
    return _cells(Content.of(source).unpacked(), str(source), form)


def columns_of(source: str, form: Form) -> tuple[str, ...]:
    """The columns of a file, from its first megabyte; none where it says none, or where Parquet is damaged."""
    pieces = Content.of(source).pieces()
    data = next(pieces, b"")
    kind = "tiangong" if form.tiangong else kind_of(data)
    if kind == "parquet":
        with (
            suppress(MetameterError),
            explained(source),
            parquet_bytes(stored_as(source, data), chain([data], pieces)) as stored,
        ):
            return tuple(dict.fromkeys(column_key(leaf.column) for leaf in footer_of(stored).leaves))
        return ()
    if kind == "csv" and b"\n" in data:
        data = data.lstrip(b"\r\n").partition(b"\n")[0]
    elif kind == "list":
        data = b"".join([data, *pieces])
    elif rest := next(pieces, b""):
        data = data.rpartition(b"\n")[0] or data + rest
    return _cells(data, source, form).columns


def _cells(data: bytes, where: str, form: Form) -> Cells:
    kind = kind_of(data)
    data = data if kind == "parquet" or b"\n" in data else data.replace(b"\r", b"\n")
    if form.tiangong:
        return Cells.of(_tiangong(in_utf8_or_refused(data, where).decode(), where), form)
    if kind in ("json", "list"):
        return _of_records(*objects_in(data, where), form)
    names: list[str] = []
    if kind == "parquet":

        def choose(columns: Sequence[str]) -> list[str]:
            names.extend(columns)
            return [name for name in columns if column_key(name) in form.columns] or names[:1]

        return Cells.of(HeaderTable.by_row(where, chosen_columns(data, where, choose)), form, names)
    table = DELIMITED.table(data, where)
    if not table.cells.height and where.lower().endswith(".parquet"):
        # An interrupted copy looks like this; a part without rows is still a Parquet file.
        what = "the Parquet file is empty or cut short"
        raise MetameterError(what, where=where, fix="Fetch or write the file again.")
    return Cells.of(table, form)


def _tiangong(text: str, where: str) -> HeaderTable:
    """Clicks, usefulness (as the grades) and satisfaction of TianGong-QRef."""
    lines = {number: line for number, line in enumerate(text.split("\n"), 1) if line.strip()}
    table, rows = HeaderTable(where, pl.DataFrame(), list(lines)), [line.split("\t") for line in lines.values()]
    for row, cells in enumerate(rows):
        if len(cells) != len(_TIANGONG):
            what, fix = f"the line has {counted(len(cells), 'cell')}", "Correct the line, or leave input out."
            allowed = f"{len(_TIANGONG)}, with tabs between them: {', '.join(_TIANGONG)}"
            raise table.refusal(row, what, given="\t".join(cells), allowed=allowed, fix=fix)
    cells_of_lines = pl.DataFrame(rows, dict.fromkeys(_TIANGONG, pl.String), orient="row")
    return replace(table, cells=cells_of_lines[:, 1:].rename({"usefulness": "grades"}))


def cells_in_memory(source: Any, form: Form) -> Cells:
    """The rows of a data frame or of a list of dictionaries."""
    listed = isinstance(source, Sequence) and not isinstance(source, str | bytes)
    if listed and all(isinstance(each, Mapping) for each in source):
        return _of_records(source, HeaderTable(form.name, pl.DataFrame(), range(1, len(source) + 1), " row "), form)
    if not is_frame(source):
        raise MetameterError("this cannot be read", given=type(source).__name__, fix=form.fix)
    return Cells.of(HeaderTable.by_row(form.name, table_of(source, "", form.fix)), form)


def _of_records(records: Sequence[Mapping[Any, Any]], table: HeaderTable, form: Form) -> Cells:
    """The columns of dictionaries that are read, as text, located as the table; a key that a row lacks is missing."""
    spelled: dict[str, list[Any]] = {}
    for key in dict.fromkeys(chain.from_iterable(records)):
        spelled.setdefault(column_key(str(key)), []).append(key)
    columns: dict[str, pl.Series] = {}
    for name in filter(spelled.get, form.columns):
        # It may be spelt in several ways (Grades, grades).
        cells = ((record[key] for key in spelled[name] if record.get(key) is not None) for record in records)
        texts = [text_of(next(values, None)) for values in cells]
        try:
            columns[name] = pl.Series(name, texts, pl.String)
        except UnicodeEncodeError:
            row = next(row for row, text in enumerate(texts) if text and in_utf8(text) != text)
            what, fix = "the text holds half a character (a lone surrogate)", "Correct the text."
            raise table.refusal(row, what, fix=fix) from None
    others = [name for name in spelled if name not in columns][:_NAMED]
    return Cells.of(replace(table, cells=pl.DataFrame(columns)), form, [*columns, *others])
