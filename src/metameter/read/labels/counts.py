"""Rows of labelled pages, reduced to counts of distinct rows; bad rows are refused or left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from metameter.errors import MetameterError, did_you_mean
from metameter.notices import notice
from metameter.parallel import Progress, Workers
from metameter.parameters import LARGEST
from metameter.read.files.content import Content, UnreadFile, is_read_once
from metameter.read.files.limits import unpacking
from metameter.read.header_table import decimal_comma
from metameter.read.labels.cells import grade_column, label_column, user_column
from metameter.read.labels.query import Database, Table
from metameter.read.labels.tables import Cells, Form, IrregularError, Location, cells_in_memory, cells_of, is_tiangong
from metameter.read.sources import find_files
from metameter.types import Fingerprint, counted
from metameter.types.labelled_pages import Labelled
from metameter.types.tally import RunningTally, Tally

T = TypeVar("T", bound=Labelled)
_MEGABYTE = 1_000_000
#: Bytes that are in the temporary folder at a time, besides one file.
_UNPACKED = 1 << 30
#: Rows are odd without a label, without grades, or with an empty list of them.
_ODD = ("unlabelled", "ungraded", "empty")
#: Columns that look as if a row stood for several.
_TIMES = ("count", "weight")
#: Labels are ordinal: more distinct ones than these are measurements.
_MOST = 1000


@dataclass(frozen=True)
class LogFile(UnreadFile):
    """A file of labelled pages that has not been read yet."""

    @property
    def size(self) -> int:
        """Its bytes on disk, for the progress; 1 for a pipe."""
        is_known = Path(self.source).is_file() and not is_read_once(self.source)
        return max(1, Path(self.source).stat().st_size) if is_known else 1


@dataclass(frozen=True, eq=False)
class Reduced:
    """Rows that were reduced to counts."""

    tally: Tally | None = None  # None where there are no rows
    #: For each of `_ODD` how many rows are so, and where the first of them stands.
    odd: Mapping[str, tuple[int, str]] = field(default_factory=lambda: dict.fromkeys(_ODD, (0, "")))
    #: The columns that look as if a row stood for several, and those that were computed from others.
    notable: Mapping[str, None] = field(default_factory=dict)
    #: The files with their fingerprints, and whether they have rows.
    files: Sequence[tuple[str, Fingerprint, bool]] = ()

    @classmethod
    def total(cls, parts: Iterable[Reduced]) -> Reduced:
        """All parts as one."""
        tallies, total = RunningTally(), cls()
        for part in parts:
            if part.tally is not None:
                tallies.add(part.tally)
            odd = {name: (rows + part.odd[name][0], at or part.odd[name][1]) for name, (rows, at) in total.odd.items()}
            total = cls(None, odd, {**total.notable, **part.notable}, [*total.files, *part.files])
        return replace(total, tally=tallies.total())


@dataclass
class Counts:
    """The distinct rows of all files: lists of grades, label, ``user`` (null where unknown), and ``id`` if needed."""

    source: str
    tally: Tally
    fingerprints: tuple[Fingerprint, ...]
    notable: Mapping[str, None]  # as in `Reduced`
    #: Reads the distinct rows once more, file by file, with their locations.
    reread: Callable[[], Iterator[Cells]]

    def labelled(self, kind: type[T]) -> T:
        """The rows as labels of this kind, with a user in every row, or none at all."""
        source, prints, users = self.source, self.fingerprints, self.tally.values["user"]
        if not users.null_count():
            return kind(self.tally, source=source, fingerprints=prints)
        if users.null_count() == len(users):
            return kind(self.tally.without("user"), source=source, fingerprints=prints)
        return kind.of(with_users(self.tally.table(), source), source=source, fingerprints=prints)


_around: ContextVar[tuple[int | Workers | None, Progress | None]] = ContextVar("counting", default=(None, None))


@contextmanager
def counting(jobs: int | Workers | None, progress: Progress | None) -> Iterator[None]:
    """Use these workers and this progress in the block, where a call has none of its own."""
    before = _around.set((jobs, progress))
    try:
        yield
    finally:
        _around.reset(before)


def counts_of(source: Any, form: Form, jobs: int | Workers | None = None, progress: Progress | None = None) -> Counts:
    """Count the distinct rows; those without a label or without grades are left out, with a notice.

    A file that is given twice is refused, since its rows would count twice.
    """
    name, files, cells = sources_of(source, form)
    workers, progress = Workers.of(_around.get()[0] if jobs is None else jobs), progress or _around.get()[1]
    if cells is not None:
        parts: Iterable[Reduced] = [_of_cells(cells, form)]
    elif type(workers) is Workers:
        parts = [reduced(tuple(files), form=form, threads=workers.count, progress=progress)]
    else:
        # Each file is one query on a worker; their counts are added here.
        parts = _of_workers(workers.map(reduced, [(file,) for file in files], form=form), files, progress)
    total = Reduced.total(parts)
    if total.tally is None:
        raise MetameterError("there are no rows", where=name, fix=form.fix)
    _refuse_twice(total)
    _notify(name, total, form)
    if not total.tally.count.size:
        what = f"no row has both grades and a {form.called}"
        raise MetameterError(what, where=name, fix="Give rows that have both.")
    prints = tuple(fingerprint for _, fingerprint, _ in total.files)

    def reread() -> Iterator[Cells]:
        yield from (cells_of(file.source, form) for file in files) if files else [cells_in_memory(source, form)]

    return Counts(name, total.tally, prints, total.notable, reread)


def _paths(source: Any) -> list[str | Path]:
    """The paths that a source consists of; none for an object in memory."""
    sources = [source] if isinstance(source, str | Path) else source
    are_paths = isinstance(sources, Sequence) and all(isinstance(each, str | Path) for each in sources)
    return list(sources) if are_paths else []


def _files(path: str | Path) -> list[str]:
    """The files that a path stands for, without a folder's files about the others (_SUCCESS, _metadata)."""
    files = find_files([path])
    return [file for file in files if len(files) == 1 or not Path(file).name.startswith("_")]


def in_layout(form: Form, source: Any, input: str | None) -> Form:  # noqa: A002
    """The form with the layout that ``input`` names, or else that of the first file, with a notice if it has its own.

    Examples
    --------
    >>> in_layout(Form("pages", ("grades",), (), ""), [{"grades": [1]}], None).tiangong
    False
    """
    if input is not None:
        return replace(form, tiangong=True)
    first = next((file for path in _paths(source)[:1] for file in _files(path)), None)
    if first is None or not is_tiangong(next(Content.of(first).pieces(), b"")):
        return form
    columns = "reformulation, clicks, usefulness (the grades), satisfaction"
    notice(f"{first}: read as pages of TianGong-QRef, whose columns are {columns}; with a header it is read otherwise")
    return replace(form, tiangong=True)


def sources_of(source: Any, form: Form) -> tuple[str, list[LogFile], Cells | None]:
    """The source's name in messages, and its files, which are not read yet, or the rows that are in memory."""
    if paths := _paths(source):
        files = [LogFile(file) for path in paths for file in _files(path)]
        return str(paths[0]) if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more", files, None
    if form.tiangong:
        what, fix = "input says how a file is laid out", "Give a file, or leave input out."
        raise MetameterError(what, given=type(source).__name__, fix=fix)
    return form.name, [], cells_in_memory(source, form)


def reduced(files: Sequence[LogFile], *, form: Form, threads: int = 1, progress: Progress | None = None) -> Reduced:
    """Count the rows of files, in this process or on a worker."""
    sizes = [file.size for file in files]
    done = at_hand = 0

    def report(share: float) -> None:
        _report(progress, done + share * at_hand, sizes)

    parts: list[Reduced] = []
    waiting: list[Table] = []
    with unpacking(files[0].limit), Database(threads, report) as database:
        for file, size in zip(files, sizes, strict=True):
            waiting.append(database.table(file.source, form))
            at_hand += size
            if file is files[-1] or sum(table.unpacked for table in waiting) > _UNPACKED:
                parts += [_of_tables(database, list(some), form) for _, some in groupby(waiting, lambda one: one.alike)]
                for table in waiting:
                    table.path.unlink(missing_ok=True)
                done, at_hand, waiting = done + at_hand, 0, []
    _report(progress, done, sizes)
    return Reduced.total(parts)


def _of_workers(parts: Iterable[Reduced], files: Sequence[LogFile], progress: Progress | None) -> Iterator[Reduced]:
    sizes = [file.size for file in files]
    for part, done in zip(parts, accumulate(sizes), strict=True):
        _report(progress, done, sizes)
        yield part


def _report(progress: Progress | None, done: float, sizes: Sequence[int]) -> None:
    """Report how many megabytes of files are done."""
    if progress is not None:
        of = -(-sum(sizes) // _MEGABYTE)
        progress(of if done >= sum(sizes) else int(done / _MEGABYTE), of, "MB of pages")


def _of_tables(database: Database, tables: Sequence[Table], form: Form) -> Reduced:
    """The counts by one query; where that is not enough, file by file, and with the locations of rows."""
    try:
        counts = _of_cells(database.counted(tables, form), form)
    except IrregularError:
        if len(tables) > 1:
            return Reduced.total(_of_tables(database, [table], form) for table in tables)
        return _located(database, tables[0], form)
    odd = {name: rows for name, (rows, _) in counts.odd.items() if rows}
    first: dict[str, str] = {}
    for table in tables:
        if odd.keys() > first.keys():
            located = _located(database, table, form).odd
            first = {name: located[name][1] for name in odd if located[name][0]} | first
    files = [(table.source, table.fingerprint, bool(table.rows)) for table in tables]
    return replace(counts, odd={**counts.odd, **{name: (rows, first[name]) for name, rows in odd.items()}}, files=files)


def _located(database: Database, table: Table, form: Form) -> Reduced:
    """The counts of a file with the locations of its rows: by a query, if it is regular."""
    try:
        cells = database.counted([table], form, is_located=True)
    except IrregularError:
        cells = cells_of(table.source, form)
    return replace(_of_cells(cells, form), files=[(table.source, table.fingerprint, bool(cells.rows.height))])


def _of_cells(cells: Cells, form: Form) -> Reduced:
    """Interpret the distinct cells, and add up the rows."""
    if not cells.rows.height:
        return Reduced()
    notable = dict.fromkeys([*filter(cells.columns.__contains__, _TIMES), *form.computable(cells.columns)])
    values, rows, location = _read(cells, form)

    def every(of: Callable[[pl.Series], pl.Series], *names: str) -> pl.Series:
        masks = [of(values[name]).gather(rows[name]) for name in names]
        return masks[0] if len(masks) == 1 else masks[0] & masks[1]

    labelled = every(pl.Series.is_not_null, form.label)
    whole = labelled & every(pl.Series.is_not_null, *form.lists)
    filled = every(lambda lists: lists.list.len() > 0, *form.lists)
    graded = rows if whole.all() else rows.filter(whole)
    if form.refuse is not None:
        form.refuse(values, graded, location)
    odd = {}
    for name, mask in zip(_ODD, (~labelled, labelled & ~whole, whole & ~filled), strict=True):
        some = rows.filter(mask)
        first = cells.known(int(some["row"].min())) if cells.known and some.height else ""  # type: ignore[arg-type]
        odd[name] = (int(some["count"].sum()), first)
    codes = [graded[name].to_numpy() for name in values]
    return Reduced(Tally.of_codes(values, codes, graded["count"].to_numpy()), odd, notable)


def _read(cells: Cells, form: Form) -> tuple[dict[str, pl.Series], pl.DataFrame, Location]:
    """The values in each column, and the rows: the codes of their values, ``count`` and the first ``row``."""
    if form.prepare is not None:
        cells = form.prepare(cells)
    _check_columns(cells, form)
    distinct, rows = cells.distinct, cells.rows
    # Each column is freed once it is read.
    read = {name: grade_column(distinct.pop(name)) for name in form.lists}
    read[form.label] = label_column(distinct.pop(form.label))
    _refuse_unreadable(rows, {name: wrong for name, (_, wrong) in read.items()}, cells.location, form)
    values = {name: column.alias(name) for name, (column, _) in read.items()}
    if form.max_grade is not None:
        _refuse_above(values, rows, form, cells.location)
    for name in form.optional:
        is_present = name in distinct
        values[name] = (user_column(distinct[name]) if is_present else pl.Series([None], dtype=pl.String)).alias(name)
        rows = rows if is_present else rows.with_columns(pl.lit(0, pl.UInt32).alias(name))
    return values, rows.select(*values, "count", "row"), cells.location


def _check_columns(cells: Cells, form: Form) -> None:
    """Refuse a table without a needed column."""
    columns = list(cells.columns)
    name = next((name for name in form.needed if name not in columns), None)
    if name is not None:
        hint = did_you_mean(name, columns).partition(" Known:")[0]
        header = f"Give a header with {', '.join(form.needed)}."
        fix = f"{hint} Call it {name}." if hint.startswith("Did") else header
        if len(columns) > 1 and columns[1].startswith("["):
            fix = 'Set input to "tiangong" if this is such a file, or give a header.'
        what, allowed = f"the column {name} is missing", ", ".join(form.columns)
        raise MetameterError(what, where=cells.source, given=", ".join(columns), allowed=allowed, fix=fix)


def _refuse_unreadable(rows: pl.DataFrame, wrong: Mapping[str, pl.Series], location: Location, form: Form) -> None:
    """Refuse the first row with a cell that cannot be read."""
    bad = [
        rows.select("row", word=texts.gather(rows[name]), name=pl.lit(name)).drop_nulls("word")
        for name, texts in wrong.items()
        if texts.null_count() < len(texts)
    ]
    if not sum(some.height for some in bad):
        return
    row, text, name = pl.concat(bad).sort("row", maintain_order=True).row(0)
    if name == form.label:
        what, allowed = f"the {name} is not a number{decimal_comma(text)}", f"a number from -{LARGEST:g} to {LARGEST:g}"
        fix = "Labels are ordinal: code them as numbers, and leave the cell empty where there is none."
    else:
        what, allowed = f"{name} holds what is no number", "a finite number"
        fix = "Give grades as [1, 0, 2] or 1 0 2, with null for a result that is not judged."
    raise MetameterError(what, where=location(row), given=text, allowed=allowed, fix=fix)


def _refuse_above(values: Mapping[str, pl.Series], rows: pl.DataFrame, form: Form, location: Location) -> None:
    """Refuse the first row with a grade above the top of the scale."""
    highest = [values[name].list.max().gather(rows[name]).alias(name) for name in form.lists]
    grade = pl.DataFrame(highest).max_horizontal()
    above = rows.select("row", grade=grade).filter(pl.col("grade") > form.max_grade).sort("row")
    if above.height:
        (row, grade), allowed = above.row(0), f"at most {form.max_grade:g}"
        what, fix = "a grade is above max_grade", "Raise max_grade, or correct the grade."
        raise MetameterError(what, where=location(row), given=grade, allowed=allowed, fix=fix)


def _refuse_twice(total: Reduced) -> None:
    """Refuse a file with the same rows as an earlier one; files without rows are all alike."""
    before: dict[str, str] = {}
    for source, fingerprint, has_rows in total.files:
        sha256 = fingerprint.sha256 if has_rows else None
        if sha256 in before:
            what = f"the same rows are given twice: this file holds what {before[sha256]} holds"
            raise MetameterError(what, where=source, fix="Give every file once: its rows would count twice.")
        before |= {} if sha256 is None else {sha256: source}


def _notify(name: str, total: Reduced, form: Form) -> None:
    ignored = [name for name in _TIMES if name in total.notable]
    if ignored:
        which = f"the column {' and the column '.join(ignored)}"
        notice(f"{name}: {which} is not looked at: a row counts once; repeat rows that stand for several")
    what = {
        "unlabelled": (f"without a {form.called}", "left out"),
        "ungraded": ("without grades", "left out"),
        "empty": ("with an empty list of grades", "kept: a page without results"),
    }
    for each, (which, fate) in what.items():
        rows, first = total.odd[each]
        if rows:
            verb = "is" if rows == 1 else "are"
            notice(f"{name}: {counted(rows, 'row')} {which} {verb} {fate} (the first: {first})")


def check_labels(levels: Sequence[float] | NDArray[np.float64], label: str, source: str) -> None:
    """Refuse a single distinct label, and so many that they are measurements."""
    if len(levels) == 1:
        fix = "Give rows with different labels: with one there is nothing to correlate."
        raise MetameterError(f"every {label} is the same", where=source, given=float(levels[0]), fix=fix)
    if len(levels) > _MOST:
        what, fix = f"there are too many distinct labels in {label}", "Labels are ordinal, not continuous: round them."
        raise MetameterError(what, where=source, given=len(levels), allowed=f"at most {_MOST:,}", fix=fix)


def with_users(table: pl.DataFrame, source: str) -> pl.DataFrame:
    """The table with a user in every row, or without the column where no user is known.

    Each row whose user is missing is a user of its own, since unknown users need not be the same, under an unused name.
    """
    known, unknown = (table.filter(pl.col("user").is_null() == missing) for missing in (False, True))
    if not known.height:
        return table.drop("user")
    if not unknown.height:
        return table
    prefix = "unknown"
    while known["user"].str.starts_with(prefix).any():
        prefix = f"({prefix})"
    rows = int(unknown["count"].sum())
    notice(f"{source}: {counted(rows, 'row')} without a user: each counts as a user of its own")
    apart = unknown.sort(pl.exclude("count", "user")).select(pl.all().repeat_by("count").explode())
    names = pl.format(f"{prefix} {{}}", pl.int_range(1, rows + 1)).alias("user")
    one = pl.lit(1, table["count"].dtype).alias("count")
    return pl.concat([known, apart.with_columns(names, one).select(known.columns)])
