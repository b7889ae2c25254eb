"""Plain tables that people outside TREC write: CSV, TSV or Parquet with a header, or a data frame."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import polars as pl

from metameter.errors import MetameterError
from metameter.read.frames import place_in_frame, table_of
from metameter.read.typed_columns import is_parquet, parquet_table
from metameter.types import counted

__all__ = ["DOC", "Sheet", "is_headed", "sheet_of", "sheet_of_frame"]

#: What the column of documents may be called.
DOC = ("doc", "docno", "doc_id", "docid")


@dataclass(frozen=True, eq=False)
class Sheet:
    """A table with a header.

    Attributes
    ----------
    source : str
        Where it comes from, for messages.
    cells : polars.DataFrame
        Its cells, as text or, from Parquet and data frames, as they are. Column names are in lower case.
    place : callable
        From a row's number, from 0, to where it stands.
    """

    source: str
    cells: pl.DataFrame
    place: Callable[[int], str]

    def named(self, *names: str) -> str | None:
        """The first of these names that a column has."""
        return next((name for name in names if name in self.cells.columns), None)

    def needed(self, *names: str, allowed: str) -> str:
        """The same, where the table must have one of them."""
        name = self.named(*names)
        if name is None:
            given = ", ".join(self.cells.columns)
            what = f"the column {names[0]} is missing"
            raise MetameterError(
                what, where=self.source, given=given, allowed=allowed, fix="Give the columns these names."
            )
        return name

    def texts(self, name: str) -> pl.Series:
        """A column of names, without white space around them; an empty one is refused."""
        texts = self._cast(self.cells[name], pl.String).str.strip_chars()
        empty = (texts == "").fill_null(True)
        if empty.any():
            place = self.place(empty.arg_max() or 0)
            raise MetameterError(f"the {name} is empty", where=place, fix=f"Give the {name}, or leave the row out.")
        return texts

    def numbers(self, name: str) -> pl.Series:
        """A column of finite numbers; anything else is refused."""
        column = self.cells[name]
        values = self._cast(column.str.strip_chars() if column.dtype == pl.String else column, pl.Float64)
        bad = ~values.is_finite().fill_null(False)
        if bad.any():
            row = bad.arg_max() or 0
            raise MetameterError(
                f"the {name} is not a number",
                where=self.place(row),
                given=column[row],
                allowed="a finite number",
                fix=f"Correct the {name}, or leave the row out.",
            )
        return values

    def _cast(self, column: pl.Series, dtype: type[pl.DataType]) -> pl.Series:
        try:
            return column.cast(dtype, strict=False)
        except pl.exceptions.PolarsError:
            what, kind = f"the column {column.name} has the wrong type", "text" if dtype == pl.String else "numbers"
            fix = f"Give {kind} in that column."
            raise MetameterError(what, where=self.source, given=str(column.dtype), fix=fix) from None


def is_headed(data: bytes, names: tuple[str, ...]) -> bool:
    r"""Whether the first line is a header: words, at least two of which are among these names.

    Examples
    --------
    >>> is_headed(b"Topic,Turn,Doc\n1,1,d1\n", ("topic", "doc")), is_headed(b"topic\t0\tdoc\t9.5\n", ("topic", "doc"))
    (True, False)
    """
    line = data.removeprefix(b"\xef\xbb\xbf").lstrip()[:10_000].partition(b"\n")[0]
    cells = [cell.strip(' "\r').lower() for cell in re.split("[,\t]", line.decode(errors="replace"))]
    words = not any(re.fullmatch(r"[+-]?[\d.]+(e[+-]?\d+)?", cell) for cell in cells)
    return words and sum(cell in names for cell in cells) >= 2


def sheet_of(data: bytes, where: str) -> Sheet:
    r"""The table in a file's bytes; a tab in its first line makes it TSV, else it is CSV.

    Examples
    --------
    >>> sheet = sheet_of(b'Topic,doc,score\n1,"a,b",0.5\n1,c,x\n', "log.csv")
    >>> sheet.texts("doc").to_list()
    ['a,b', 'c']
    >>> sheet.numbers("score")
    Traceback (most recent call last):
    metameter.errors.MetameterError: log.csv:3: the score is not a number (given 'x', allowed: a finite number).
    Correct the score, or leave the row out.
    """
    if is_parquet(data):
        cells = parquet_table(data, where)
        return _sheet(cells.columns, cells, where, place_in_frame(where))
    text = _utf8(data, where).replace(b"\r\n", b"\n")
    separator = "\t" if b"\t" in text.lstrip(b"\n").partition(b"\n")[0] else ","
    header, _, body = text.partition(b"\n")
    names = header.decode().split(separator)
    regular = None if b'"' in text or b"\r" in text else _regular(body, separator, len(names))
    if regular is not None and header.strip():
        return _sheet(names, regular, where, lambda row: f"{where}:{row + 2}")
    names, cells, lines = _patient(text.decode(), separator, where)
    return _sheet(names, cells, where, lambda row: f"{where}:{lines[row]}")


def sheet_of_frame(frame: Any, name: str, fix: str) -> Sheet:
    """A data frame of any library; its rows are numbered from 1.

    Examples
    --------
    >>> sheet_of_frame(pl.DataFrame({"Topic": [401], "doc": [None]}), "run", "").texts("topic").to_list()
    ['401']
    """
    cells = table_of(frame, "", fix)
    return _sheet(cells.columns, cells, name, place_in_frame(name))


def _sheet(names: list[str], cells: pl.DataFrame, where: str, place: Callable[[int], str]) -> Sheet:
    if not cells.height:
        raise MetameterError("the table is empty", where=where, fix="Give a header and at least one row.")
    named: dict[str, pl.Series] = {}
    for name, column in zip((name.strip().lower() for name in names), cells, strict=True):
        if name in named:
            raise MetameterError(f"the header names {name!r} twice", where=where, fix="Rename one of the columns.")
        if name:  # what has no name is a row number of somebody else
            named[name] = column
    return Sheet(where, pl.DataFrame(named), place)


def _utf8(data: bytes, where: str) -> bytes:
    what, start = "the text holds a null byte", data.find(b"\0")
    try:
        data.decode()
    except UnicodeDecodeError as problem:
        what, start = "the text is not UTF-8", problem.start
    if start >= 0:
        line = data.count(b"\n", 0, start) + 1
        raise MetameterError(what, where=f"{where}:{line}", fix="Convert the file to UTF-8.")
    return data.removeprefix(b"\xef\xbb\xbf")


def _regular(body: bytes, separator: str, width: int) -> pl.DataFrame | None:
    """The cells, fast; None if empty lines or rows of another width want patience."""
    schema = {str(position): pl.String for position in range(width)}
    try:
        cells = pl.read_csv(body, separator=separator, has_header=False, quote_char=None, schema=schema)
    except pl.exceptions.PolarsError:
        return None
    # Polars fills up empty lines and rows that are too short: their last cell is missing.
    return None if cells[str(width - 1)].null_count() else cells


def _patient(text: str, separator: str, where: str) -> tuple[list[str], pl.DataFrame, list[int]]:
    """The header, the cells and the line of each row, as Python's reader of CSV finds them."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        rows = [(reader.line_num, row) for row in reader if row]
    except csv.Error as problem:
        place = f"{where}:{reader.line_num}"
        raise MetameterError(f"the table cannot be read: {problem}", where=place, fix="Correct the line.") from None
    header = rows[0][1] if rows else []
    for line, row in rows:
        if len(row) != len(header):
            what, allowed = f"the row has {counted(len(row), 'cell')}", f"{len(header)}, as the header"
            raise MetameterError(what, where=f"{where}:{line}", allowed=allowed, fix="Correct the row.")
    schema = {str(position): pl.String for position in range(len(header))}
    return header, pl.DataFrame([row for _, row in rows[1:]], schema, orient="row"), [line for line, _ in rows[1:]]
