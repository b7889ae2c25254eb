"""Tables with a header: CSV, TSV or Parquet, with the line of every row."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from metameter.errors import MetameterError
from metameter.read.archives import PACKED, read_bytes
from metameter.read.frames import table_of
from metameter.read.parquet import parquet_table
from metameter.read.parquet_notes import is_parquet
from metameter.read.typed_columns import holds_numbers
from metameter.utf8 import in_utf8

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["HeadedTable", "headed_table_of", "read_headed_table", "stem_of"]

_MISSING = ["", "na", "nan", "null", "none"]


@dataclass(frozen=True, eq=False)
class HeadedTable:
    """A table as it stands in a file.

    Attributes
    ----------
    source : str
    header : list of str
        Without the unnamed columns.
    columns : dict
        The cells of each column, as text or, from Parquet, as they are.
    lines : list of int
        The line of each row; for Parquet its number.
    """

    source: str
    header: list[str]
    columns: dict[str, Sequence[Any]]
    lines: list[int]

    @property
    def stem(self) -> str:
        """The file's name without folder and suffix."""
        return stem_of(self.source)

    def texts(self, name: str) -> list[str]:
        """A column of names; an empty one is refused."""
        cells = ["" if cell is None else str(cell).strip() for cell in self.columns[name]]
        if "" in cells:
            raise MetameterError(f"the {name} is empty", where=self._place(cells.index("")), fix=f"Give the {name}.")
        return cells

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A column of numbers; missing ones (empty, NA, NaN) are NaN, anything else is refused."""
        cells = pl.Series(self.columns[name], strict=False)
        if not holds_numbers(cells.dtype):
            raise self._not_a_number(name, cells.is_not_null().arg_max() or 0)
        texts = cells.cast(pl.String, strict=False).str.strip_chars()
        missing = texts.is_null() | texts.str.to_lowercase().is_in(_MISSING)
        values = texts.cast(pl.Float64, strict=False)
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
            given=self.columns[name][row],
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
    >>> sheet.stem, sheet.texts("system"), sheet.numbers("score")
    ('scores', ['a,b'], array([0.5]))
    """
    data, where = read_bytes(source), str(source)
    if is_parquet(data):
        return _of_frame(parquet_table(data, where), where)
    text = _text(data, where)
    first = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="\t" if "\t" in first else ",")
    try:
        rows = [(reader.line_num, row) for row in reader if row]
    except csv.Error as problem:
        place = f"{where}:{reader.line_num}"
        raise MetameterError(f"the table cannot be read: {problem}", where=place, fix="Correct the line.") from None
    return _of_rows(where, rows)


def headed_table_of(frame: Any) -> HeadedTable:
    """A data frame of any library as a table with a header; its rows are numbered from 1."""
    return _of_frame(table_of(frame, "", "Give a data frame."), "scores")


def _text(data: bytes, where: str) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise MetameterError(
            "the text is not UTF-8", where=f"{where}:{line}", fix="Convert the file to UTF-8."
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise MetameterError("the text holds a null byte", where=f"{where}:{line}", fix="Convert the file to UTF-8.")
    return text


def _of_rows(where: str, rows: list[tuple[int, list[str]]]) -> HeadedTable:
    if len(rows) < 2:
        raise MetameterError("the table is empty", where=where, fix="Give a header and at least one row.")
    header = [name.strip() for name in rows[0][1]]
    for line, row in rows[1:]:
        if len(row) != len(header):
            raise MetameterError(
                f"the row has {len(row)} cells",
                where=f"{where}:{line}",
                allowed=f"{len(header)}, as the header",
                fix="Correct the row.",
            )
    cells = list(zip(*(row for _, row in rows[1:]), strict=True))
    return _named(where, header, cells, [line for line, _ in rows[1:]])


def _named(where: str, header: list[str], cells: list[Any], lines: list[int]) -> HeadedTable:
    named = [name for name in header if name]
    if not named:
        raise MetameterError("the header names no column", where=where, fix="Give a header in the first line.")
    for position, name in enumerate(named):
        if name in named[:position]:
            raise MetameterError(f"the header names {name!r} twice", where=where, fix="Rename one of the columns.")
    columns = {name: column for name, column in zip(header, cells, strict=True) if name}
    return HeadedTable(where, named, columns, lines)


def _of_frame(table: pl.DataFrame, where: str) -> HeadedTable:
    if not table.height:
        raise MetameterError("the table is empty", where=where, fix="Give at least one row.")
    cells = [table[name].to_list() for name in table.columns]
    return _named(where, table.columns, cells, list(range(1, table.height + 1)))
