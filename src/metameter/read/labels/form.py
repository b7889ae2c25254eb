"""What is read of labelled pages: the columns, batches of rows, and what is refused with its file and line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import NoReturn

import polars as pl

from metameter.errors import MetameterError, did_you_mean
from metameter.parameters import LARGEST
from metameter.types.tally import coded

__all__ = ["Batch", "Cells", "Form", "IrregularError", "check_columns", "refuse_above", "refuse_unreadable"]

Place = Callable[[int], str]


class IrregularError(Exception):
    """These rows are to be read one by one: only then it is known where each of them stands."""


@dataclass(frozen=True)
class Form:
    """One kind of log.

    Attributes
    ----------
    name : str
        What an object in memory is called in messages.
    needed, optional : tuple of str
        Columns that must be there, and those that may.
    fix : str
        What can be given.
    label, called : str
        The column of the label, and its name in messages.
    lists : tuple of str
        The columns with lists of grades.
    tiangong : bool
        Whether files have the form of TianGong-QRef.
    max_grade : float, optional
        The top of the grade scale, where it is known: grades above it are refused.
    made_of : dict of str to str
        Of what is needed, what follows from which other column.
    prepare : callable, optional
        Computes the columns in ``made_of``.
    refuse : callable, optional
        Called with distinct values and the rows that have grades and a label: it refuses impossible rows.
    """

    name: str
    needed: tuple[str, ...]
    optional: tuple[str, ...]
    fix: str
    label: str = ""
    called: str = ""
    lists: tuple[str, ...] = ("grades",)
    tiangong: bool = False
    max_grade: float | None = None
    made_of: Mapping[str, str] = field(default_factory=dict)
    prepare: Callable[[Cells], Cells] | None = None
    refuse: Callable[[Mapping[str, pl.Series], pl.DataFrame, Place], None] | None = None

    @property
    def wanted(self) -> tuple[str, ...]:
        """All columns that are looked at."""
        return self.needed + self.optional + tuple(self.made_of.values())

    def is_there(self, columns: Collection[str]) -> bool:
        """Whether every column that is needed is there, or follows from another."""
        return {*columns, *self.made(columns)}.issuperset(self.needed)

    def made(self, columns: Collection[str]) -> list[str]:
        """Of what is needed, the columns that are missing here and are computed from others."""
        return [name for name, other in self.made_of.items() if name not in columns and other in columns]


@dataclass(frozen=True, eq=False)
class Batch:
    """Some rows as they are stored.

    Attributes
    ----------
    source : str
        Where they come from, for messages.
    cells : polars.DataFrame
        Cells as text or, from Parquet and data frames, with their types; columns have the names of `column_key`.
    place : callable
        From a row's number, from 0, to its file and line.
    """

    source: str
    cells: pl.DataFrame
    place: Place

    def coded(self, form: Form) -> Cells:
        """The distinct cells, and the distinct rows of them."""
        from metameter.read.labels.cells import raw_column

        names = [name for name in form.wanted if name in self.cells.columns]
        distinct, codes = {}, []
        for name in names:
            distinct[name], code = coded(raw_column(self.cells[name]).alias(name))
            codes.append(pl.Series(name, code))
        grouped = pl.DataFrame(codes).with_row_index("row").group_by(names) if names else None
        rows = (
            pl.DataFrame({"count": [], "row": []})
            if grouped is None
            else grouped.agg(pl.len().cast(pl.Int64).alias("count"), pl.col("row").min().cast(pl.Int64))
        )
        return Cells(self.source, tuple(self.cells.columns), distinct, rows, self.place)


@dataclass(frozen=True, eq=False)
class Cells:
    """Distinct rows of a log.

    Attributes
    ----------
    source : str
    columns : tuple of str
        The names of all columns.
    distinct : dict of str to polars.Series
        Of each wanted column the distinct cells, as they are stored.
    rows : polars.DataFrame
        For each distinct row the positions of its cells, ``count``, and ``row``, where it stands first.
    known : callable, optional
        From ``row`` to its file and line; None where rows were counted without their places.
    """

    source: str
    columns: tuple[str, ...]
    distinct: dict[str, pl.Series]
    rows: pl.DataFrame
    known: Place | None = None

    def place(self, row: int) -> str:
        """The file and line of a row; `IrregularError` where they are unknown."""
        if self.known is None:
            raise IrregularError
        return self.known(row)


def check_columns(cells: Cells, form: Form) -> None:
    """Refuse a table without a column that is needed."""
    columns = list(cells.columns)
    for name in form.needed:
        if name not in columns:
            hint = did_you_mean(name, columns).partition(" Known:")[0]
            header = f"Give a header with {', '.join(form.needed)}."
            fix = f"{hint} Call it {name}." if hint.startswith("Did") else header
            if len(columns) > 1 and columns[1].startswith("["):
                fix = 'Set input to "tiangong" if this is such a file, or give a header.'
            what, allowed = f"the column {name} is missing", ", ".join(form.wanted)
            raise MetameterError(what, where=cells.source, given=", ".join(columns), allowed=allowed, fix=fix)


def refuse_unreadable(rows: pl.DataFrame, wrong: Mapping[str, pl.Series], place: Place, form: Form) -> None:
    """Refuse the first row with a cell that cannot be read."""
    first: tuple[int, str, str] | None = None
    for name, words in wrong.items():
        if words.null_count() == len(words):
            continue
        bad = pl.DataFrame([words.gather(rows[name]).alias("word"), rows["row"]]).drop_nulls("word")
        if bad.height:
            word, row = bad.row(int(bad["row"].arg_min() or 0))
            first = min(first or (row, name, word), (row, name, word), key=lambda each: each[0])
    if first is not None:
        _refuse_cell(*first, place, form)


def _refuse_cell(row: int, name: str, word: str, place: Place, form: Form) -> NoReturn:
    if name == form.label:
        what, allowed = f"the {name} is not a number", f"a number from -{LARGEST:g} to {LARGEST:g}"
        fix = "Labels are ordinal: code them as numbers, and leave the cell empty where there is none."
    else:
        what, allowed = f"{name} holds what is no number", "a finite number"
        fix = "Give grades as [1, 0, 2] or 1 0 2, with null for a result that is not judged."
    raise MetameterError(what, where=place(row), given=word, allowed=allowed, fix=fix)


def refuse_above(values: Mapping[str, pl.Series], rows: pl.DataFrame, form: Form, place: Place) -> None:
    """Refuse the first row with a grade above the top of the scale."""
    highest = pl.DataFrame([values[name].list.max().gather(rows[name]).alias(name) for name in form.lists])
    above = rows.select("row").with_columns(grade=highest.select(pl.max_horizontal(pl.all())).to_series())
    above = above.filter(pl.col("grade") > form.max_grade)
    if above.height:
        row, grade = above.row(int(above["row"].arg_min() or 0))
        what, allowed = "a grade is above max_grade", f"at most {form.max_grade:g}"
        fix = "Raise max_grade, or correct the grade."
        raise MetameterError(what, where=place(row), given=grade, allowed=allowed, fix=fix)
