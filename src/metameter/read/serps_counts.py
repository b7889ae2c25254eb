"""Rows of labelled pages, reduced to counts of distinct combinations part by part, and what is odd about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from metameter.errors import MetameterError, did_you_mean
from metameter.notices import notice
from metameter.read.serps_cells import grade_column, label_column, raw_column, user_column
from metameter.read.serps_parts import Form, Part, parts_of
from metameter.read.sheets import Sheet
from metameter.types import Fingerprint, counted
from metameter.types.pages import Labelled

__all__ = ["Counts", "counts_of"]

#: Columns that look as if a row stood for several.
_TIMES = ("count", "weight")


@dataclass
class _Odd:
    """How many rows are odd in one way, and where the first stands."""

    rows: int = 0
    first: str = ""

    def add(self, table: pl.DataFrame, place: Callable[[int], str]) -> None:
        if table.height:
            self.first = self.first or place(int(table["row"].min()))  # type: ignore[arg-type]
            self.rows += int(table["count"].sum())


@dataclass
class Counts:
    """What was read: the rows of all parts, each distinct one once.

    Attributes
    ----------
    source : str
    table : polars.DataFrame
        Lists of grades, label, ``user`` (null where unknown), ``id`` if it is read, ``count``, and where it was found
        first: ``part`` and ``row``.
    fingerprints : tuple of Fingerprint
    places : list of callable
        For each part, from a row to where it stands.
    """

    source: str
    table: pl.DataFrame = field(default_factory=pl.DataFrame)
    fingerprints: tuple[Fingerprint, ...] = ()
    places: list[Callable[[int], str]] = field(default_factory=list)


def counts_of(source: Any, form: Form, kind: type[Labelled]) -> Counts:
    """Read all parts, one at a time; rows without a label or without grades are left out, with a notice.

    The same file twice is refused: it would count twice, and everything would look surer than it is.
    """
    name, parts = parts_of(source, form)
    counts, tables, prints = Counts(name), [], []
    read: dict[str, str] = {}
    ignored: dict[str, None] = {}
    unlabelled, ungraded, empty = _Odd(), _Odd(), _Odd()
    for part in parts:
        prints += [part.fingerprint] if part.fingerprint else []
        counts.places.append(part.place)
        if part.sheet is None:
            continue
        _refuse_again(part, read)
        ignored |= {each: None for each in _TIMES if each in part.sheet.cells.columns}
        table = _reduced(part.sheet, form, kind)
        without = pl.any_horizontal(pl.col(each).is_null() for each in kind.lists_in)
        label = pl.col(kind.label)
        unlabelled.add(table.filter(label.is_null()), part.sheet.place)
        ungraded.add(table.filter(label.is_not_null() & without), part.sheet.place)
        table = table.filter(label.is_not_null() & ~without)
        bare = pl.any_horizontal(pl.col(each).list.len() == 0 for each in kind.lists_in)
        empty.add(table.filter(bare), part.sheet.place)
        tables.append(table.with_columns(part=pl.lit(len(counts.places) - 1, pl.Int64)))
    counts.fingerprints = tuple(prints)
    if not tables:
        raise MetameterError("there are no rows", where=name, fix=form.fix)
    if ignored:
        which = f"the column {' and the column '.join(ignored)}"
        notice(f"{name}: {which} is not looked at: a row counts once; repeat rows that stand for several")
    _tell(name, unlabelled, f"without a {kind.called}", "left out")
    _tell(name, ungraded, "without grades", "left out")
    _tell(name, empty, "with an empty list of grades", "kept: a page without results")
    counts.table = pl.concat(tables)
    if not counts.table.height:
        what = f"no row has both grades and a {kind.called}"
        raise MetameterError(what, where=name, fix="Give rows that have both.")
    return counts


def _refuse_again(part: Part, read: dict[str, str]) -> None:
    """Refuse a part with rows that were read before; ``read`` has the names of parts by their SHA-256."""
    if part.sheet is None or part.fingerprint is None or part.fingerprint.sha256 is None:
        return
    before = read.get(part.fingerprint.sha256)
    if before is not None:
        what = f"the same rows are given twice: this file holds what {before} holds"
        raise MetameterError(what, where=part.sheet.source, fix="Give every file once: its rows would count twice.")
    read[part.fingerprint.sha256] = part.sheet.source


def _tell(name: str, odd: _Odd, which: str, what: str) -> None:
    if odd.rows:
        verb = "is" if odd.rows == 1 else "are"
        notice(f"{name}: {counted(odd.rows, 'row')} {which} {verb} {what} (the first: {odd.first})")


def _reduced(sheet: Sheet, form: Form, kind: type[Labelled]) -> pl.DataFrame:
    """The distinct rows of a table with their number and the first row of each: texts are read after that."""
    sheet = sheet if form.prepared is None else form.prepared(sheet)
    _check_columns(sheet, form)
    names = [name for name in form.wanted if name in sheet.cells.columns]
    raw = pl.DataFrame([raw_column(sheet.cells[name]) for name in names]).with_row_index("row")
    cells = raw.group_by(names).agg(pl.len().cast(pl.Int64).alias("count"), pl.col("row").min().cast(pl.Int64))
    read = {name: grade_column(cells[name]) for name in kind.lists_in} | {kind.label: label_column(cells[kind.label])}
    _refuse(cells, {name: wrong for name, (_, wrong) in read.items()}, sheet, kind)
    columns = [values.alias(name) for name, (values, _) in read.items()]
    if form.max_grade is not None:
        _refuse_above(pl.DataFrame([*columns, cells["row"]]), kind.lists_in, form.max_grade, sheet)
    absent = pl.Series([None], dtype=pl.String).new_from_index(0, cells.height)
    columns += [(user_column(cells[name]) if name in names else absent).alias(name) for name in form.optional]
    return pl.DataFrame([*columns, cells["count"], cells["row"]])


def _check_columns(sheet: Sheet, form: Form) -> None:
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


def _refuse(cells: pl.DataFrame, wrong: dict[str, pl.Series], sheet: Sheet, kind: type[Labelled]) -> None:
    """Refuse the first row with a cell that cannot be read."""
    first: tuple[int, str, str] | None = None
    for name, words in wrong.items():
        bad = pl.DataFrame([words.alias("word"), cells["row"]]).filter(pl.col("word").is_not_null())
        if bad.height:
            word, row = bad.row(int(bad["row"].arg_min() or 0))
            first = min(first or (row, name, word), (row, name, word), key=lambda each: each[0])
    if first is None:
        return
    row, name, word = first
    if name == kind.label:
        what = f"the {name} is not a number"
        fix = "Labels are ordinal: code them as numbers, and leave the cell empty where there is none."
    else:
        what = f"{name} holds what is no number"
        fix = "Give grades as [1, 0, 2] or 1 0 2, with null for a result that is not judged."
    raise MetameterError(what, where=sheet.place(row), given=word, allowed="a finite number", fix=fix)


def _refuse_above(rows: pl.DataFrame, lists: tuple[str, ...], max_grade: float, sheet: Sheet) -> None:
    """Refuse the first row with a grade above the top of the scale."""
    highest = pl.max_horizontal(pl.col(name).list.max() for name in lists)
    above = rows.select("row", highest.alias("grade")).filter(pl.col("grade") > max_grade)
    if above.height:
        row, grade = above.row(int(above["row"].arg_min() or 0))
        fix = "Raise max_grade, or correct the grade."
        allowed = f"at most {max_grade:g}"
        raise MetameterError(
            "a grade is above max_grade", where=sheet.place(row), given=grade, allowed=allowed, fix=fix
        )
