"""One part of labelled pages, reduced to counts of distinct rows piece by piece: texts and lists are read once each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from metameter.read.serps_batches import Form
from metameter.read.serps_cells import grade_column, label_column, raw_column, user_column
from metameter.read.serps_parts import PartFile, PartInMemory
from metameter.read.serps_refusals import check_columns, refuse_above, refuse_unreadable
from metameter.read.sheets import Sheet
from metameter.types import Fingerprint
from metameter.types.pages import Labelled
from metameter.types.tally import Tally, Tallying, coded

__all__ = ["ODD", "Odd", "Reduced", "reduced"]

#: In which ways rows may be odd: without a label, without grades, with an empty list of them.
ODD = ("unlabelled", "ungraded", "empty")
#: Columns that look as if a row stood for several.
_TIMES = ("count", "weight")
#: Column -> its distinct values.
_Values = Mapping[str, pl.Series]


@dataclass
class Odd:
    """How many rows are odd in one way, and where the first stands."""

    rows: int = 0
    first: str = ""

    def add(self, other: Odd) -> None:
        """Some more of them, which stand further down."""
        self.first = self.first or other.first
        self.rows += other.rows


@dataclass(frozen=True, eq=False)
class Reduced:
    """What became of a part.

    Attributes
    ----------
    source : str
    fingerprint : Fingerprint or None
    tally : Tally or None
        Its rows, each distinct one once; None where there is not a single row.
    rows : polars.DataFrame or None
        Where the form says that it matters where rows stand: the distinct rows of its pieces, with the first ``row``.
    odd : dict
        Rows that are odd in each way of `ODD`.
    ignored : tuple of str
        Columns that look as if a row stood for several.
    made : tuple of str
        Columns that were not there, and were made of others.
    """

    source: str
    fingerprint: Fingerprint | None
    tally: Tally | None = None
    rows: pl.DataFrame | None = None
    odd: dict[str, Odd] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    made: tuple[str, ...] = ()


def reduced(part: PartFile | PartInMemory, *, form: Form, kind: type[Labelled]) -> Reduced:
    """Read a part and reduce it; a piece of work that can be done anywhere."""
    fingerprint, sheets = part.sheets(form)
    tallies, kept, before = Tallying(), [], 0
    odd = {name: Odd() for name in ODD}
    ignored: dict[str, None] = {}
    made: dict[str, None] = {}
    for sheet in sheets:
        ignored |= {each: None for each in _TIMES if each in sheet.cells.columns}
        made |= dict.fromkeys(form.made(sheet.cells.columns))
        values, rows = _read(sheet, form, kind)
        labelled, unlabelled = _split(rows, _has(values, rows, [kind.label]))
        graded, ungraded = _split(labelled, _has(values, labelled, kind.lists_in))
        if form.refuse is not None:
            form.refuse(sheet, values, graded)
        _, empty = _split(graded, _is_filled(values, graded, kind.lists_in))
        for name, some in zip(ODD, (unlabelled, ungraded, empty), strict=True):
            odd[name].add(_odd(some, sheet.place))
        if form.places:
            columns = [values[name].gather(graded[name]) for name in values]
            kept.append(pl.DataFrame([*columns, graded["count"], graded["row"] + before]))
        codes = [graded[name].to_numpy() for name in values]
        tallies.add(Tally.of_codes(values, codes, graded["count"].to_numpy()))
        before += sheet.cells.height
    rows_kept = pl.concat(kept) if kept else None
    return Reduced(part.source, fingerprint, tallies.total(), rows_kept, odd, tuple(ignored), tuple(made))


def _read(sheet: Sheet, form: Form, kind: type[Labelled]) -> tuple[dict[str, pl.Series], pl.DataFrame]:
    """The values in each column, and the distinct rows: the codes of their values, ``count`` and the first ``row``."""
    sheet = sheet if form.prepared is None else form.prepared(sheet)
    check_columns(sheet, form)
    names = [name for name in form.wanted if name in sheet.cells.columns]
    cells, codes = {}, []
    for name in names:
        cells[name], code = coded(raw_column(sheet.cells[name]).alias(name))
        codes.append(pl.Series(name, code))
    grouped = pl.DataFrame(codes).with_row_index("row").group_by(names)
    rows = grouped.agg(pl.len().cast(pl.Int64).alias("count"), pl.col("row").min().cast(pl.Int64))
    read = {name: grade_column(cells[name]) for name in kind.lists_in} | {kind.label: label_column(cells[kind.label])}
    refuse_unreadable(rows, {name: wrong for name, (_, wrong) in read.items()}, sheet, kind)
    values = {name: found.alias(name) for name, (found, _) in read.items()}
    if form.max_grade is not None:
        refuse_above(values, rows, kind.lists_in, form.max_grade, sheet)
    for name in form.optional:
        known = name in names
        values[name] = (user_column(cells[name]) if known else pl.Series([None], dtype=pl.String)).alias(name)
        rows = rows if known else rows.with_columns(pl.lit(0, pl.UInt32).alias(name))
    return values, rows.select(*values, "count", "row")


def _has(values: _Values, rows: pl.DataFrame, names: Sequence[str]) -> pl.Series:
    """Which rows have a value in these columns."""
    has = pl.repeat(True, rows.height, eager=True)
    for name in names:
        has &= values[name].is_not_null().gather(rows[name])
    return has


def _is_filled(values: _Values, rows: pl.DataFrame, names: Sequence[str]) -> pl.Series:
    """Which rows have no empty list in these columns."""
    filled = pl.repeat(True, rows.height, eager=True)
    for name in names:
        filled &= (values[name].list.len().fill_null(0) > 0).gather(rows[name])
    return filled


def _split(rows: pl.DataFrame, mask: pl.Series) -> tuple[pl.DataFrame, pl.DataFrame]:
    return (rows, rows.clear()) if mask.all() else (rows.filter(mask), rows.filter(~mask))


def _odd(rows: pl.DataFrame, place: Callable[[int], str]) -> Odd:
    return Odd(int(rows["count"].sum()), place(int(rows["row"].min()))) if rows.height else Odd()  # type: ignore[arg-type]
