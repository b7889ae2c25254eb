"""Plain tables that people outside TREC write: CSV, TSV or Parquet with a header, or a data frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import polars as pl

from metameter.errors import MetameterError
from metameter.read.columns import column_key, spellings
from metameter.read.formats.delimited import separated_cells
from metameter.read.frames import place_in_frame, table_of
from metameter.read.header_table import names_of
from metameter.read.parquet import parquet_table

__all__ = ["DOC", "TOPIC", "Sheet", "sheet_of", "sheet_of_frame"]

#: What the columns of documents and topics may be called; the first that is there counts.
DOC, TOPIC = spellings("doc"), spellings("topic")


@dataclass(frozen=True, eq=False)
class Sheet:
    """A table with a header.

    Attributes
    ----------
    source : str
        Where it comes from, for messages.
    cells : polars.DataFrame
        Its cells, as text or, from Parquet and data frames, as they are. Columns have the names of `column_key`.
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
        # Polars would take a date as the number of its days, and cast a structure to one without a word.
        as_days = dtype == pl.Float64 and column.dtype.is_temporal()
        try:
            if not (as_days or column.dtype.is_nested()):
                return names_of(column, self.source) if dtype == pl.String else column.cast(dtype, strict=False)
        except pl.exceptions.PolarsError:
            pass
        what, kind = f"the column {column.name} has the wrong type", "text" if dtype == pl.String else "numbers"
        fix = f"Give {kind} in that column."
        raise MetameterError(what, where=self.source, given=str(column.dtype), fix=fix)


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
    if data.startswith(b"PAR1"):
        cells = parquet_table(data, where)
        return _sheet(cells.columns, cells, where, place_in_frame(where))
    names, cells, lines = separated_cells(data, where)
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
    for name, column in zip(map(column_key, names), cells, strict=True):
        if name in named:
            raise MetameterError(f"the header names {name!r} twice", where=where, fix="Rename one of the columns.")
        if name:  # what has no name is a row number of somebody else
            named[name] = column
    return Sheet(where, pl.DataFrame(named), place)
