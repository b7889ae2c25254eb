"""Tables of labelled rows: the wanted columns, and how a file or an object in memory is read row by row.

This defines what a file means. The query of `query` counts the same rows without holding them in memory; files that it
might read differently are read here, in memory.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl

from metameter.errors import MetameterError
from metameter.read.columns import column_key
from metameter.read.files.content import Content, regular_file
from metameter.read.formats import location_in_frame, table_of
from metameter.read.formats.delimited import in_utf8_or_refused, separated_cells
from metameter.read.formats.frames import is_frame
from metameter.read.formats.parquet import FORMAT as PARQUET
from metameter.read.labels.cells import raw_column, text_of
from metameter.read.parquet import DAMAGES, chosen_columns, footer_of, parquet_bytes
from metameter.types import counted
from metameter.types.tally import coded

Location = Callable[[int], str]

_NAMED = 30  # columns that are remembered although they are not wanted, to name them in messages
_BOM = b"\xef\xbb\xbf"
_FIX = "Give an object a line, or a list of objects."
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
    #: Needed columns that can be computed from another one, by ``prepare``.
    made_of: Mapping[str, str] = field(default_factory=dict)
    prepare: Callable[[Cells], Cells] | None = None
    #: Refuses impossible rows, given distinct values and the rows that have grades and a label.
    refuse: Callable[[Mapping[str, pl.Series], pl.DataFrame, Location], None] | None = None

    @property
    def wanted(self) -> tuple[str, ...]:
        """All columns that are read."""
        return self.needed + self.optional + tuple(self.made_of.values())

    def is_there(self, columns: Collection[str]) -> bool:
        """Whether every needed column is there, or can be computed from another."""
        return {*columns, *self.made(columns)}.issuperset(self.needed)

    def made(self, columns: Collection[str]) -> list[str]:
        """The needed columns that are missing here and are computed from others."""
        return [name for name, other in self.made_of.items() if name not in columns and other in columns]


@dataclass(frozen=True, eq=False)
class Cells:
    """Distinct rows of a log."""

    source: str
    columns: tuple[str, ...]  # all of them
    distinct: dict[str, pl.Series]  # the distinct cells of each wanted column, as they are stored
    rows: pl.DataFrame  # for each distinct row the codes of its cells, ``count``, and ``row``, its first row
    #: From ``row`` to its file and line; None where rows were counted without their locations.
    known: Location | None = None

    @classmethod
    def of(
        cls, source: str, form: Form, columns: Iterable[tuple[str, pl.Series | None]], height: int, location: Location
    ) -> Cells:
        """The distinct rows of a table; of columns that are not wanted, only the names are used."""
        named: dict[str, None] = {}
        distinct, codes = {}, {}
        for name, column in columns:
            key = column_key(name)
            if key in named and height:
                raise MetameterError(f"the header names {key!r} twice", where=source, fix="Rename one of the columns.")
            named |= {key: None} if key else {}
            if column is not None and key in form.wanted:
                distinct[key], codes[key] = coded(raw_column(column).alias(key))
        rows = pl.DataFrame({**codes, "row": pl.int_range(height, eager=True)})
        rows = rows.with_columns(count=pl.lit(1, pl.Int64))
        if codes:
            rows = rows.group_by(*codes).agg(pl.col("count").sum(), pl.col("row").min())
        return cls(source, tuple(named), distinct, rows, location)

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
    if PARQUET.recognises(head, ""):
        return "parquet"
    start = head.removeprefix(_BOM)[:1000].lstrip()
    if start.startswith(b"["):
        return "list" if start[1:].lstrip()[:1] in (b"{", b"]", b"") else "csv"
    return "json" if start.startswith(b"{") else "csv"


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
        with suppress(*DAMAGES), parquet_bytes(stored_as(source, data), chain([data], pieces)) as stored:
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
    kind = "tiangong" if form.tiangong else kind_of(data)
    if kind == "parquet":
        return _parquet(data, where, form)
    data = in_utf8_or_refused(data if b"\n" in data else data.replace(b"\r", b"\n"), where)
    if kind == "csv":
        return _separated(data, where, form)
    text = data.decode()
    if kind == "list":
        return _json_list(text, where, form)
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]

    def location(row: int) -> str:
        return f"{where}:{lines[row][0]}"

    if kind == "tiangong":
        return _tiangong([line for _, line in lines], where, form, location)
    rows = [_object(_loaded(line, where, number), line, location, row) for row, (number, line) in enumerate(lines)]
    return _of_records(rows, where, form, location)


def _parquet(data: bytes, where: str, form: Form) -> Cells:
    named: list[str] = []

    def choose(names: Sequence[str]) -> list[str]:
        named.extend(names)
        return [name for name in names if column_key(name) in form.wanted] or named[:1]

    table = chosen_columns(data, where, choose)
    columns = ((name, table[name] if name in table.columns else None) for name in named)
    return Cells.of(where, form, columns, table.height, location_in_frame(where))


def _separated(data: bytes, where: str, form: Form) -> Cells:
    """Text with a header: a tab in its first line makes it TSV, else it is CSV.

    One with semicolons between names that are wanted is refused: as spreadsheets write it, its rows may hold commas
    (0,5), so that what is wrong with them would say nothing of the semicolons.
    """
    header = data.lstrip(b"\r\n").partition(b"\n")[0].decode().strip()
    if len({column_key(name) for name in header.split(";")}.intersection(form.wanted)) > 1:
        fix = 'Save it with commas or tabs, or give the data frame of pandas.read_csv(path, sep=";").'
        what = "cells are separated by semicolons"
        raise MetameterError(what, where=where, given=header, allowed="commas or tabs", fix=fix)
    names, table, lines = separated_cells(data, where)
    if not table.height and where.lower().endswith(".parquet"):
        # An interrupted copy looks like this; a part without rows is still a Parquet file.
        what = "the Parquet file is empty or cut short"
        raise MetameterError(what, where=where, fix="Fetch or write the file again.")
    columns = zip(names, table, strict=True)
    return Cells.of(where, form, columns, table.height, lambda row: f"{where}:{lines[row]}")


def _tiangong(lines: Sequence[str], where: str, form: Form, location: Location) -> Cells:
    """Clicks, usefulness (as the grades) and satisfaction of TianGong-QRef."""
    rows = [line.split("\t") for line in lines]
    for row, cells in enumerate(rows):
        if len(cells) != len(_TIANGONG):
            what, fix = f"the line has {counted(len(cells), 'cell')}", "Correct the line, or leave input out."
            allowed = f"{len(_TIANGONG)}, with tabs between them: {', '.join(_TIANGONG)}"
            raise MetameterError(what, where=location(row), given=lines[row], allowed=allowed, fix=fix)
    table = pl.DataFrame(rows, dict.fromkeys(_TIANGONG, pl.String), orient="row").rename({"usefulness": "grades"})
    return Cells.of(where, form, ((each.name, each) for each in table[:, 1:]), len(rows), location)


def _object(value: Any, given: Any, location: Location, row: int) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise MetameterError("this is no JSON object", where=location(row), given=given, fix=_FIX)
    return value


def _loaded(text: str, where: str, line: int = 0) -> Any:
    """A value of JSON, that of a line or of the whole file."""
    given = text if line else None
    try:
        return json.loads(text)
    except json.JSONDecodeError as problem:
        location = f"{where}:{line or problem.lineno}"
        raise MetameterError(f"this is not JSON: {problem.msg}", where=location, given=given, fix=_FIX) from None
    except (ValueError, RecursionError):  # a number of thousands of digits, thousands of brackets
        location = f"{where}:{line}" if line else where
        raise MetameterError("this JSON cannot be read", where=location, given=given, fix=_FIX) from None


def _json_list(text: str, where: str, form: Form) -> Cells:
    def location(row: int) -> str:
        """The line on which an object of the list begins; computed for messages only."""
        decoder, at = json.JSONDecoder(), text.index("[") + 1
        for skipped in range(row + 1):
            while text[at] in ", \t\r\n":
                at += 1
            if skipped < row:
                at = decoder.raw_decode(text, at)[1]
        return f"{where}:{text.count(chr(10), 0, at) + 1}"

    rows = [_object(value, value, location, row) for row, value in enumerate(_loaded(text, where))]
    return _of_records(rows, where, form, location)


def cells_in_memory(source: Any, form: Form) -> Cells:
    """The rows of a data frame or of a list of dictionaries."""
    location = location_in_frame(form.name)
    listed = isinstance(source, Sequence) and not isinstance(source, str | bytes)
    if listed and all(isinstance(each, Mapping) for each in source):
        return _of_records(source, form.name, form, location)
    if not is_frame(source):
        raise MetameterError("this cannot be read", given=type(source).__name__, fix=form.fix)
    table = table_of(source, "", form.fix)
    return Cells.of(form.name, form, ((each.name, each) for each in table), table.height, location)


def _of_records(records: Sequence[Mapping[Any, Any]], where: str, form: Form, location: Location) -> Cells:
    """The wanted columns of dictionaries, as text; a key that a row lacks is a missing cell."""
    spelled: dict[str, list[Any]] = {}
    for key in dict.fromkeys(chain.from_iterable(records)):
        spelled.setdefault(column_key(str(key)), []).append(key)
    columns: dict[str, pl.Series | None] = {}
    for name in filter(spelled.get, form.wanted):
        # It may be spelt in several ways (Grades, grades).
        cells = ((record[key] for key in spelled[name] if record.get(key) is not None) for record in records)
        texts = [text_of(next(values, None)) for values in cells]
        try:
            columns[name] = pl.Series(name, texts, pl.String)
        except UnicodeEncodeError:
            row = next(
                at for at, text in enumerate(texts) if any("\ud800" <= letter <= "\udfff" for letter in text or "")
            )
            what, fix = "the text holds half a character (a lone surrogate)", "Correct the text."
            raise MetameterError(what, where=location(row), fix=fix) from None
    others = dict.fromkeys([name for name in spelled if name not in columns][:_NAMED])
    return Cells.of(where, form, (columns | others).items(), len(records), location)
