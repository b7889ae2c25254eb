"""Tables as a report shows them: what is the same in every row said once, numbers aligned, very long ones cut."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metameter.reporting.columns import NAMES, Column, columns_of, text_of
from metameter.reporting.glossary import MEANINGS, heading, is_error
from metameter.view.latex import to_latex
from metameter.view.result import Result
from metameter.view.tables import to_csv

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Sheet", "sheet", "sheets"]

MOST_ROWS, FIRST_ROWS = 400, 100
# Where even one value for all rows is what the reader came for.
_ALWAYS = frozenset({*NAMES, "verdict", "canonical"})


@dataclass(frozen=True)
class Sheet:
    """A table, ready to be shown.

    Attributes
    ----------
    name, key : str
        The table's name, and one that no other table of the page has.
    columns : list of Column
    same : list of (str, str)
        Columns whose value is the same in all rows.
    rows, total : int
        How many rows are shown, and how many there are.
    csv, latex : str
        What the buttons download: the rows shown, in full precision.
    """

    name: str
    key: str
    columns: list[Column]
    same: list[tuple[str, str]]
    rows: int
    total: int
    csv: str
    latex: str

    @property
    def has_errors(self) -> bool:
        """Whether there are columns of Monte-Carlo errors."""
        return any(is_error(column.name) for column in self.columns)

    @property
    def by_p(self) -> bool:
        """Whether a table that was cut shows the smallest p-values."""
        return any(column.name == "p" for column in self.columns)

    @property
    def meanings(self) -> list[tuple[str, str]]:
        """The columns whose meaning their name does not tell."""
        return [(column.heading, MEANINGS[column.name]) for column in self.columns if column.name in MEANINGS]


def sheets(result: Result, suffix: str = "") -> list[Sheet]:
    """All tables of a result; of those with more than 400 rows 100: the smallest p-values, else the first."""
    short = {name: _cut(frame) for name, frame in result.tables.items()}
    # Some results print what their numbers mean, such as "< 1/2000" for a p-value of 0.
    readable = getattr(replace(result, tables=short), "readable", None)
    papers = result.latex() if type(result).latex is not Result.latex else {}
    made = []
    for name, frame in short.items():
        whole = frame.height == result.tables[name].height
        shown = readable(name) if readable else frame
        paper = papers[name] if whole and name in papers else to_latex(shown)
        made.append(sheet(name, frame, shown, paper, total=result.tables[name].height, suffix=suffix))
    return made


def sheet(
    name: str,
    frame: pl.DataFrame,
    shown: pl.DataFrame | None = None,
    latex: str | None = None,
    *,
    total: int | None = None,
    suffix: str = "",
) -> Sheet:
    """One table.

    Parameters
    ----------
    name : str
    frame : polars.DataFrame
    shown : polars.DataFrame, optional
        What people read of it: some columns as text, some left out.
    latex : str, optional
        The table as a paper prints it.
    total : int, optional
        How many rows there are in all.
    suffix : str
        Tells tables of the same name apart.

    Examples
    --------
    >>> import polars as pl
    >>> found = sheet("power", pl.DataFrame({"metric": ["AP", "RR"], "pairs": [3, 3], "power": [1 / 3, 0.0]}))
    >>> found.same, [column.cells[0] for column in found.columns]
    ([('pairs', '3')], [('AP', ''), ('0.333', '0.3333333333333333')])
    """
    shown = frame if shown is None else shown
    cut = total is not None and total > frame.height
    constant = {column: value for column in shown.columns if not cut and (value := _same(shown, column)) is not None}
    columns = columns_of(frame, shown, [column for column in shown.columns if column not in constant])
    key = re.sub(r"[^A-Za-z0-9.-]+", "_", f"{name}-{suffix}" if suffix else name)
    said = [(heading(column), value) for column, value in constant.items() if value and not is_error(column)]
    count, paper = frame.height, latex or to_latex(shown)
    return Sheet(name, key, columns, said, count, total or count, to_csv(frame) + "\n", paper + "\n")


def _cut(frame: pl.DataFrame) -> pl.DataFrame:
    """Of a table that is too long the rows most worth seeing: the smallest p-values, if there are any."""
    if frame.height <= MOST_ROWS:
        return frame
    return (frame.sort("p", nulls_last=True, maintain_order=True) if "p" in frame.columns else frame).head(FIRST_ROWS)


def _same(frame: pl.DataFrame, column: str) -> str | None:
    """What stands in all rows, if that needs no column; nothing at all is an empty text."""
    values = frame[column]
    if frame.height > 1 and values.null_count() == frame.height:
        return ""
    if frame.height < 2 or column in _ALWAYS or frame.schema[column].is_nested() or values.n_unique() > 1:
        return None
    return text_of(values[0])
