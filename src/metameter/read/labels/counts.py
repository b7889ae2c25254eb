"""Rows of labelled pages reduced to counts of distinct rows: of files by DuckDB, of what is in memory by Polars."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from metameter.errors import MetameterError, did_you_mean
from metameter.notices import notice
from metameter.parallel import Progress, Workers
from metameter.parameters import LARGEST
from metameter.read.files.content import is_read_once, opened_as
from metameter.read.files.limits import unpack_limit, unpacking, within_its_limit
from metameter.read.labels.cells import grade_column, label_column, user_column
from metameter.read.labels.query import Database, Table
from metameter.read.labels.tables import Cells, Form, IrregularError, Place, cells_in_memory, cells_of
from metameter.read.sources import find_files
from metameter.types import Fingerprint, counted
from metameter.types.pages import Labelled
from metameter.types.tally import Tally, Tallying

__all__ = ["Counts", "LogFile", "check_labels", "counting", "counts_of", "sources_of", "with_users"]

T = TypeVar("T", bound=Labelled)
_MEGABYTE = 1_000_000
#: Bytes that are in the temporary folder at a time, besides one file.
_UNPACKED = 1 << 30
#: In which ways rows may be odd: without a label, without grades, with an empty list of them.
_ODD = ("unlabelled", "ungraded", "empty")
#: Columns that look as if a row stood for several.
_TIMES = ("count", "weight")
#: Labels are ordinal: more distinct ones than these are measurements.
_MOST = 1000


@dataclass(frozen=True)
class LogFile:
    """A file of labelled pages, which is read when it is reduced; perhaps by another process.

    Attributes
    ----------
    source : str
        Its path, or ``-``.
    limit : int
        How many bytes it may unpack to.
    """

    source: str
    limit: int = field(default_factory=unpack_limit)

    @within_its_limit
    def opened(self) -> tuple[str, bytes | None]:
        """How another process gets at it."""
        return opened_as(self.source)

    @property
    def size(self) -> int:
        """Its bytes on disk, for the progress; of what can be read only once they are not known."""
        known = Path(self.source).is_file() and not is_read_once(self.source)
        return max(1, Path(self.source).stat().st_size) if known else 1


@dataclass(frozen=True, eq=False)
class Reduced:
    """Rows that were reduced to counts.

    Attributes
    ----------
    tally : Tally or None
        Every distinct row once; None where there is not a single row.
    odd : dict
        For each of `_ODD` how many rows are so, and where the first of them stands.
    ignored, made : dict
        The columns that look as if a row stood for several, and those that were computed from others.
    files : list of (str, Fingerprint, bool)
        The files, what they are, and whether they have rows.
    """

    tally: Tally | None = None
    odd: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    ignored: Mapping[str, None] = field(default_factory=dict)
    made: Mapping[str, None] = field(default_factory=dict)
    files: Sequence[tuple[str, Fingerprint, bool]] = ()

    @classmethod
    def total(cls, parts: Iterable[Reduced]) -> Reduced:
        """All parts as one."""
        tallies = Tallying()
        odd = dict.fromkeys(_ODD, (0, ""))
        ignored: dict[str, None] = {}
        made: dict[str, None] = {}
        files: list[tuple[str, Fingerprint, bool]] = []
        for part in parts:
            if part.tally is not None:
                tallies.add(part.tally)
            odd |= {name: (odd[name][0] + rows, odd[name][1] or first) for name, (rows, first) in part.odd.items()}
            ignored |= part.ignored
            made |= part.made
            files += part.files
        return cls(tallies.total(), odd, ignored, made, files)


@dataclass
class Counts:
    """What was read.

    Attributes
    ----------
    source : str
    tally : Tally
        Every distinct row once: lists of grades, label, ``user`` (null where unknown) and ``id`` if it is read.
    fingerprints : tuple of Fingerprint
    made : mapping
        Columns that some files do not have, and that were computed from others.
    again : callable
        Reads the distinct rows again, file by file, with their places.
    """

    source: str
    tally: Tally
    fingerprints: tuple[Fingerprint, ...]
    made: Mapping[str, None]
    again: Callable[[], Iterator[Cells]]

    def labelled(self, kind: type[T]) -> T:
        """The same for those who ask about people: a user in every row, or none at all."""
        about: dict[str, Any] = {"source": self.source, "fingerprints": self.fingerprints}
        unknown = self.tally.values["user"].null_count()
        if not unknown:
            return kind(self.tally, **about)
        if len(self.tally.values["user"]) == unknown:
            return kind(self.tally.without("user"), **about)
        return kind.of(with_users(self.tally.table(), self.source), **about)


_around: ContextVar[tuple[int | Workers | None, Progress | None]] = ContextVar("counting", default=(None, None))


@contextmanager
def counting(jobs: int | Workers | None, progress: Progress | None) -> Iterator[None]:
    """Count rows in the block with these workers, where a call names none of its own.

    Examples
    --------
    >>> with counting(3, None):
    ...     _around.get()[0]
    3
    """
    before = _around.set((jobs, progress))
    try:
        yield
    finally:
        _around.reset(before)


def counts_of(source: Any, form: Form, jobs: int | Workers | None = None, progress: Progress | None = None) -> Counts:
    """Count the distinct rows; those without a label or without grades are left out, with a notice.

    The same file twice is refused: it would count twice, and everything would look surer than it is.
    """
    name, files, cells = sources_of(source, form)
    workers, progress = Workers.of(_around.get()[0] if jobs is None else jobs), progress or _around.get()[1]
    if cells is not None:
        parts: Iterable[Reduced] = [_of_cells(cells, form)] if cells.rows.height else []
    elif type(workers) is Workers:
        parts = [reduced(tuple(files), form=form, threads=workers.count, progress=progress)]
    else:
        # Each file is one query on a worker; their counts are added here.
        parts = _told(workers.map(reduced, [(file,) for file in files], form=form), files, progress)
    total = Reduced.total(parts)
    if total.tally is None:
        raise MetameterError("there are no rows", where=name, fix=form.fix)
    _refuse_again(total)
    _tell(name, total, form)
    if not total.tally.count.size:
        what = f"no row has both grades and a {form.called}"
        raise MetameterError(what, where=name, fix="Give rows that have both.")
    prints = tuple(fingerprint for _, fingerprint, _ in total.files)

    def again() -> Iterator[Cells]:
        yield from [cells_in_memory(source, form)] if not files else (cells_of(file.source, form) for file in files)

    return Counts(name, total.tally, prints, total.made, again)


def sources_of(source: Any, form: Form) -> tuple[str, list[LogFile], Cells | None]:
    """What it is called in messages, and its files, which are not read yet, or the rows that are in memory."""
    if isinstance(source, str | Path):
        return str(source), [LogFile(file) for file in _files([source])], None
    listed = isinstance(source, Sequence) and not isinstance(source, bytes)
    if listed and source and all(isinstance(each, str | Path) for each in source):
        name = str(source[0]) if len(source) == 1 else f"{source[0]} and {len(source) - 1} more"
        return name, [LogFile(file) for file in _files(source)], None
    if form.tiangong:
        what, fix = "input says how a file is laid out", "Give a file, or leave input out."
        raise MetameterError(what, given=type(source).__name__, fix=fix)
    return form.name, [], cells_in_memory(source, form)


def _files(sources: Sequence[str | Path]) -> list[str]:
    """The files; in folders without those that say something of the others (``_SUCCESS``, ``_metadata``)."""
    files = []
    for source in sources:
        found = find_files([source])
        files += [file for file in found if len(found) == 1 or not Path(file).name.startswith("_")]
    return files


def reduced(files: Sequence[LogFile], *, form: Form, threads: int = 1, progress: Progress | None = None) -> Reduced:
    """Count the rows of files; a piece of work that can be done anywhere."""
    sizes = [file.size for file in files]
    done = 0

    def told(share: float) -> None:
        if progress is not None:
            progress(int((done + share * at_hand) / _MEGABYTE), -(-sum(sizes) // _MEGABYTE), "MB of pages")

    parts = []
    with unpacking(files[0].limit), Database(threads, told) as database:
        waiting: list[Table] = []
        at_hand = 0
        for number, (file, size) in enumerate(zip(files, sizes, strict=True), start=1):
            waiting.append(database.table(file.source, form))
            at_hand += size
            if number == len(files) or sum(table.unpacked for table in waiting) > _UNPACKED:
                parts += [_of_tables(database, alike, form) for alike in _alike(waiting)]
                for table in waiting:
                    table.path.unlink(missing_ok=True)
                done, at_hand, waiting = done + at_hand, 0, []
    if progress is not None:
        progress(-(-done // _MEGABYTE), -(-done // _MEGABYTE), "MB of pages")
    return Reduced.total(parts)


def _told(results: Iterable[Reduced], files: Sequence[LogFile], progress: Progress | None) -> Iterator[Reduced]:
    """Pass the parts on; say how many megabytes are done, of how many: the time that is left grows with them."""
    of, done = sum(file.size for file in files), 0
    for file, result in zip(files, results, strict=True):
        done += file.size
        if progress is not None:
            progress(-(-done // _MEGABYTE), -(-of // _MEGABYTE), "MB of pages")
        yield result


def _alike(tables: Sequence[Table]) -> Iterator[list[Table]]:
    """Files after each other that one query can read."""
    group: list[Table] = []
    for table in tables:
        if group and (table.reader is None or table.alike != group[0].alike):
            yield group
            group = []
        group.append(table)
    yield group


def _of_tables(database: Database, tables: Sequence[Table], form: Form) -> Reduced:
    """The counts by one query; where that is not enough, file by file, and with the places of rows."""
    files = [(table.source, table.fingerprint, bool(table.rows)) for table in tables]
    try:
        found = _of_cells(database.counted(tables, form), form)
    except IrregularError:
        if len(tables) > 1:
            return Reduced.total(_of_tables(database, [table], form) for table in tables)
        return _placed(database, tables[0], form)
    odd = {name: rows for name, (rows, _) in found.odd.items() if rows}
    first: dict[str, str] = {}
    for table in tables:
        if odd.keys() > first.keys():
            there = _placed(database, table, form).odd
            first |= {name: there[name][1] for name in odd if there[name][0] and name not in first}
    tally = found.tally if any(has_rows for *_, has_rows in files) else None
    placed = {name: (rows, first.get(name, "")) for name, rows in odd.items()}
    return replace(found, tally=tally, odd=dict(found.odd) | placed, files=files)


def _placed(database: Database, table: Table, form: Form) -> Reduced:
    """The counts of a file with the places of its rows: by a query, where it is regular."""
    try:
        cells = database.counted([table], form, is_placed=True)
    except IrregularError:
        cells = cells_of(table.source, form)
    found = _of_cells(cells, form) if cells.rows.height else Reduced.total(())
    return replace(found, files=[(table.source, table.fingerprint, found.tally is not None)])


def _of_cells(cells: Cells, form: Form) -> Reduced:
    ignored = {name: None for name in _TIMES if name in cells.columns}
    made = dict.fromkeys(form.made(cells.columns))
    values, rows, place = _read(cells, form)
    labelled, unlabelled = _split(rows, ~values[form.label].is_null().gather(rows[form.label]))
    graded, ungraded = labelled, labelled.clear()
    for name in form.lists:
        graded, without = _split(graded, ~values[name].is_null().gather(graded[name]))
        ungraded = pl.concat([ungraded, without])
    if form.refuse is not None:
        form.refuse(values, graded, place)
    filled = pl.repeat(True, graded.height, eager=True)
    for name in form.lists:
        filled &= (values[name].list.len().fill_null(0) > 0).gather(graded[name])
    odd = {}
    for name, some in zip(_ODD, (unlabelled, ungraded, graded.filter(~filled)), strict=True):
        first = cells.known(some["row"].min()) if cells.known and some.height else ""  # type: ignore[arg-type]
        odd[name] = (int(some["count"].sum()), first)
    codes = [graded[name].to_numpy() for name in values]
    return Reduced(Tally.of_codes(values, codes, graded["count"].to_numpy()), odd, ignored, made)


def _read(cells: Cells, form: Form) -> tuple[dict[str, pl.Series], pl.DataFrame, Place]:
    """The values in each column, and the rows: the codes of their values, ``count`` and the first ``row``."""
    if form.prepare is not None:
        cells = form.prepare(cells)
    _check_columns(cells, form)
    distinct, rows = cells.distinct, cells.rows
    # Each column is given back once it is read.
    read = {name: grade_column(distinct.pop(name)) for name in form.lists}
    read[form.label] = label_column(distinct.pop(form.label))
    _refuse_unreadable(rows, {name: wrong for name, (_, wrong) in read.items()}, cells.place, form)
    values = {name: found.alias(name) for name, (found, _) in read.items()}
    if form.max_grade is not None:
        _refuse_above(values, rows, form, cells.place)
    for name in form.optional:
        known = name in distinct
        values[name] = (user_column(distinct[name]) if known else pl.Series([None], dtype=pl.String)).alias(name)
        rows = rows if known else rows.with_columns(pl.lit(0, pl.UInt32).alias(name))
    return values, rows.select(*values, "count", "row"), cells.place


def _split(rows: pl.DataFrame, mask: pl.Series) -> tuple[pl.DataFrame, pl.DataFrame]:
    return (rows, rows.clear()) if mask.all() else (rows.filter(mask), rows.filter(~mask))


def _check_columns(cells: Cells, form: Form) -> None:
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


def _refuse_unreadable(rows: pl.DataFrame, wrong: Mapping[str, pl.Series], place: Place, form: Form) -> None:
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


def _refuse_above(values: Mapping[str, pl.Series], rows: pl.DataFrame, form: Form, place: Place) -> None:
    """Refuse the first row with a grade above the top of the scale."""
    highest = pl.DataFrame([values[name].list.max().gather(rows[name]).alias(name) for name in form.lists])
    above = rows.select("row").with_columns(grade=highest.select(pl.max_horizontal(pl.all())).to_series())
    above = above.filter(pl.col("grade") > form.max_grade)
    if above.height:
        row, grade = above.row(int(above["row"].arg_min() or 0))
        what, allowed = "a grade is above max_grade", f"at most {form.max_grade:g}"
        fix = "Raise max_grade, or correct the grade."
        raise MetameterError(what, where=place(row), given=grade, allowed=allowed, fix=fix)


def _refuse_again(total: Reduced) -> None:
    """Refuse a file with rows that were read before; those without rows are all alike."""
    before: dict[str, str] = {}
    for source, fingerprint, has_rows in total.files:
        if not has_rows or fingerprint.sha256 is None:
            continue
        if fingerprint.sha256 in before:
            what = f"the same rows are given twice: this file holds what {before[fingerprint.sha256]} holds"
            raise MetameterError(what, where=source, fix="Give every file once: its rows would count twice.")
        before[fingerprint.sha256] = source


def _tell(name: str, total: Reduced, form: Form) -> None:
    if total.ignored:
        which = f"the column {' and the column '.join(total.ignored)}"
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
    """Refuse distinct labels that are one alone, or so many that they are measurements.

    Examples
    --------
    >>> check_labels([4.0], "satisfaction", "log.csv")
    Traceback (most recent call last):
    metameter.errors.MetameterError: log.csv: every satisfaction is the same (given 4.0). Give rows with different
    labels: with one there is nothing to correlate.
    """
    if len(levels) == 1:
        fix = "Give rows with different labels: with one there is nothing to correlate."
        raise MetameterError(f"every {label} is the same", where=source, given=float(levels[0]), fix=fix)
    if len(levels) > _MOST:
        what, fix = f"there are too many distinct labels in {label}", "Labels are ordinal, not continuous: round them."
        raise MetameterError(what, where=source, given=len(levels), allowed=f"at most {_MOST:,}", fix=fix)


def with_users(table: pl.DataFrame, source: str) -> pl.DataFrame:
    """The table with a user in every row, or without the column where nobody is known.

    A row whose user is missing is a user of its own: of people who are not known it is not known either that they are
    the same. Such rows are counted apart again, under names that no user has.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     with_users(pl.DataFrame({"user": ["u1", None], "count": [3, 2]}), "log.csv").rows()
    [('u1', 3), ('unknown 1', 1), ('unknown 2', 1)]
    """
    unknown = table.filter(pl.col("user").is_null())
    if unknown.height == table.height:
        return table.drop("user")
    if not unknown.height:
        return table
    known = table.filter(pl.col("user").is_not_null())
    prefix = "unknown"
    while known["user"].str.starts_with(prefix).any():
        prefix = f"({prefix})"
    rows = int(unknown["count"].sum())
    notice(f"{source}: {counted(rows, 'row')} without a user: each counts as a user of its own")
    apart = unknown.sort(pl.exclude("count", "user")).select(pl.all().repeat_by("count").explode())
    names = pl.format(f"{prefix} {{}}", pl.int_range(1, rows + 1)).alias("user")
    one = pl.lit(1, table["count"].dtype).alias("count")
    return pl.concat([known, apart.with_columns(names, one).select(known.columns)])
