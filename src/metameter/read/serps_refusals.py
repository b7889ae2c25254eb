"""What tables of labelled pages are refused for, with the row that it stands in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from metameter.errors import MetameterError, did_you_mean
from metameter.parameters import LARGEST
from metameter.read.serps_batches import Form
from metameter.read.sheets import Sheet
from metameter.types.pages import Labelled

__all__ = ["check_columns", "refuse_above", "refuse_unreadable"]


def check_columns(sheet: Sheet, form: Form) -> None:
    """Refuse a table without a column that is needed."""
    columns = sheet.cells.columns
    for name in form.needed:
        if name not in columns:
            hint = did_you_mean(name, columns).partition(" Known:")[0]
            fix = (
                f"{hint} Call it {name}." if hint.startswith("Did") else f"Give a header with {', '.join(form.needed)}."
            )
            if len(columns) > 1 and columns[1].startswith("["):
                fix = 'Set input to "tiangong" if this is such a file, or give a header.'
            raise MetameterError(
                f"the column {name} is missing",
                where=sheet.source,
                given=", ".join(columns),
                allowed=", ".join(form.wanted),
                fix=fix,
            )


def refuse_unreadable(rows: pl.DataFrame, wrong: dict[str, pl.Series], sheet: Sheet, kind: type[Labelled]) -> None:
    """Refuse the first row with a cell that cannot be read."""
    first: tuple[int, str, str] | None = None
    for name, words in wrong.items():
        if words.null_count() == len(words):
            continue
        bad = pl.DataFrame([words.gather(rows[name]).alias("word"), rows["row"]]).drop_nulls("word")
        word, row = bad.row(int(bad["row"].arg_min() or 0))
        first = min(first or (row, name, word), (row, name, word), key=lambda each: each[0])
    if first is None:
        return
    row, name, word = first
    if name == kind.label:
        what, allowed = f"the {name} is not a number", f"a number from -{LARGEST:g} to {LARGEST:g}"
        fix = "Labels are ordinal: code them as numbers, and leave the cell empty where there is none."
    else:
        what, allowed = f"{name} holds what is no number", "a finite number"
        fix = "Give grades as [1, 0, 2] or 1 0 2, with null for a result that is not judged."
    raise MetameterError(what, where=sheet.place(row), given=word, allowed=allowed, fix=fix)


def refuse_above(
    values: Mapping[str, pl.Series], rows: pl.DataFrame, lists: Sequence[str], max_grade: float, sheet: Sheet
) -> None:
    """Refuse the first row with a grade above the top of the scale."""
    highest = pl.DataFrame([values[name].list.max().gather(rows[name]).alias(name) for name in lists])
    above = rows.select("row").with_columns(grade=highest.select(pl.max_horizontal(pl.all())).to_series())
    above = above.filter(pl.col("grade") > max_grade)
    if above.height:
        row, grade = above.row(int(above["row"].arg_min() or 0))
        fix = "Raise max_grade, or correct the grade."
        allowed = f"at most {max_grade:g}"
        raise MetameterError(
            "a grade is above max_grade", where=sheet.place(row), given=grade, allowed=allowed, fix=fix
        )
