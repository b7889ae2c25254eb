"""Tables with a header: CSV, TSV or Parquet, with the line of every row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from metameter.errors import MetameterError
from metameter.parameters import LARGEST
from metameter.read.files.content import PACKED, read_bytes
from metameter.read.frames import table_of
from metameter.read.parquet import parquet_table
from metameter.read.parquet_notes import is_parquet
from metameter.read.separated import separated_cells
from metameter.read.typed_columns import holds_numbers, names_of
from metameter.utf8 import in_utf8

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["HeadedTable", "headed_table_of", "read_headed_table", "stem_of"]

_MISSING = ["", "na", "nan", "null", "none"]


@dataclass(frozen=True, eq=False)
class HeadedTable:
    """A table as it stands in a file.

    Attributes
    ----------
    source : str
    cells : polars.DataFrame
        The cells of each column, as text or, from Parquet and data frames, as they are; without unnamed columns.
    lines : sequence of int
        The line of each row; for Parquet its number.
    """

    source: str
    cells: pl.DataFrame
    lines: Sequence[int]

    @property
    def header(self) -> list[str]:
        """The names of the columns."""
        return self.cells.columns

    @property
    def stem(self) -> str:
        """The file's name without folder and suffix."""
        return stem_of(self.source)

    def texts(self, name: str) -> pl.Series:
        """A column of names; an empty one is refused."""
        column = self.cells[name]
        if isinstance(column.dtype, pl.Object):  # the measures of ir_measures, say, are what they print
            column = pl.Series(name, [None if cell is None else in_utf8(str(cell)) for cell in column.to_list()])
        texts = names_of(column, self.source).str.strip_chars().fill_null("")
        empty = texts == ""
        if empty.any():
            place = self._place(empty.arg_max() or 0)
            raise MetameterError(f"the {name} is empty", where=place, fix=f"Give the {name}.")
        return texts

    def scores(self, name: str) -> NDArray[np.float64]:
        """A column of scores: numbers whose sums of squares are numbers, too."""
        values = self.numbers(name)
        large = np.abs(values) > LARGEST
        if large.any():
            row = int(large.argmax())
            raise MetameterError(
                f"{name} is too large",
                where=self._place(row),
                given=self.cells[name][row],
                allowed=f"-{LARGEST:g} to {LARGEST:g}",
                fix=f"Correct the {name}, or leave the cell empty.",
            )
        return values

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A column of numbers; missing ones (empty, NA, NaN) are NaN, anything else is refused."""
        cells = self.cells[name]
        if not holds_numbers(cells.dtype):
            raise self._not_a_number(name, cells.is_not_null().arg_max() or 0)
        if cells.dtype == pl.Float64 or cells.dtype.is_integer():
            values = cells.cast(pl.Float64)
            missing = values.is_null() | values.is_nan()
        else:
            texts = cells.cast(pl.String, strict=False).str.strip_chars()
            values = texts.cast(pl.Float64, strict=False)
            missing = texts.is_null() | texts.str.to_lowercase().is_in(_MISSING)
        bad = ~missing & ~values.is_finite().fill_null(False)
        if bad.any():
            raise self._not_a_number(name, bad.arg_max() or 0)
        return values.fill_null(math.nan).to_numpy()

    def _not_a_number(self, name: str, row: int) -> MetameterError:
        if len(self.header) == 1:  # of judgments or a run, say, which have no commas
            fix = "Give CSV, TSV or Parquet with the columns metric, system, topic, score, or one column per system."
            return MetameterError("this is not a table of scores", where=self.source, given=name, fix=fix)
        return MetameterError(
            f"{name} is not a number",
            where=self._place(row),
            given=self.cells[name][row],
            allowed="a finite number",
            fix=f"Correct the {name}, or leave the cell empty.",
        )

    def _place(self, row: int) -> str:
        return f"{self.source}:{self.lines[row]}"


def stem_of(source: str) -> str:
    """A file's name without folder and suffix.

    Examples
    --------
    >>> stem_of("scores/web.csv.gz")
    'web'
    """
    name = "stdin" if source == "-" else in_utf8(Path(source).name)
    for suffix in PACKED:
        name = name.removesuffix(suffix)
    return Path(name).stem


def read_headed_table(source: str | Path) -> HeadedTable:
    r"""Read a table; a tab in its first line makes it TSV, else it is CSV.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "scores.csv"
    >>> _ = path.write_text('metric,system,topic,score\nAP,"a,b",1,0.5\n')
    >>> sheet = read_headed_table(path)
    >>> sheet.stem, sheet.texts("system").to_list(), sheet.numbers("score")
    ('scores', ['a,b'], array([0.5]))
    """
    data, where = read_bytes(source), str(source)
    if is_parquet(data):
        return _of_frame(parquet_table(data, where), where)
    return _named(where, *separated_cells(data, where))


def headed_table_of(frame: Any) -> HeadedTable:
    """A data frame of any library as a table with a header; its rows are numbered from 1."""
    return _of_frame(table_of(frame, "", "Give a data frame."), "scores")


def _of_frame(table: pl.DataFrame, where: str) -> HeadedTable:
    return _named(where, table.columns, table, range(1, table.height + 1))


def _named(where: str, names: Sequence[str], cells: pl.DataFrame, lines: Sequence[int]) -> HeadedTable:
    if not cells.height:
        raise MetameterError("the table is empty", where=where, fix="Give a header and at least one row.")
    header = [name.strip() for name in names]
    named = [name for name in header if name]
    if not named:
        raise MetameterError("the header names no column", where=where, fix="Give a header in the first line.")
    if len(set(named)) < len(named):
        twice = next(name for position, name in enumerate(named) if name in named[:position])
        raise MetameterError(f"the header names {twice!r} twice", where=where, fix="Rename one of the columns.")
    columns = [column.alias(name) for name, column in zip(header, cells, strict=True) if name]
    return HeadedTable(where, pl.DataFrame(columns), lines)
