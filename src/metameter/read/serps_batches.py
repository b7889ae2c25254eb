"""A file of labelled pages in pieces of bounded size: Parquet by rows, JSON lines as they are unpacked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from metameter.errors import MetameterError
from metameter.read.columns import column_key
from metameter.read.files.content import Content
from metameter.read.frames import table_of
from metameter.read.parquet import parquet_batches
from metameter.read.parquet_notes import is_parquet
from metameter.read.serps_json import is_json, sheet_of_json, sheet_of_records
from metameter.read.serps_json_plain import plain_cells
from metameter.read.sheets import Sheet, sheet_of, sheet_of_frame

__all__ = ["Form", "sheet_of_rows", "sheets_in"]

#: Rows of Parquet, and bytes of JSON lines, that are in memory at a time.
ROWS, BYTES = 100_000, 1 << 23


@dataclass(frozen=True)
class Form:
    """What is read.

    Attributes
    ----------
    name : str
        What an object in memory is called in messages.
    needed, optional : tuple of str
        Columns that must be there, and those that may.
    fix : str
        What can be given.
    layout : callable, optional
        From the bytes and the name of a file to its table, where the file has a form of its own.
    max_grade : float, optional
        The top of the grade scale, where it is known: grades above it are refused.
    places : bool
        Whether it matters where each row stands.
    prepared : callable, optional
        From a table to one that has what is needed, where that follows from other columns.
    made_of : dict of str to str
        Of what is needed, what follows from which other column.
    refuse : callable, optional
        Called with every piece, its distinct values and rows that have grades and a label: it refuses what cannot be.
    """

    name: str
    needed: tuple[str, ...]
    optional: tuple[str, ...]
    fix: str
    layout: Callable[[bytes, str], Sheet] | None = None
    max_grade: float | None = None
    places: bool = False
    prepared: Callable[[Sheet], Sheet] | None = None
    made_of: Mapping[str, str] = field(default_factory=dict)
    refuse: Callable[[Sheet, Mapping[str, pl.Series], pl.DataFrame], None] | None = None

    @property
    def wanted(self) -> tuple[str, ...]:
        """All columns that are looked at."""
        return self.needed + self.optional + tuple(self.made_of.values())

    def made(self, columns: Collection[str]) -> list[str]:
        """Of what is needed, what a table with these columns has not, and what will be made of others."""
        return [name for name, other in self.made_of.items() if name not in columns and other in columns]


def sheets_in(content: Content, form: Form) -> Iterator[Sheet]:
    r"""The rows of a file, piece by piece; none where there is not a single row, as large collections have such parts.

    Examples
    --------
    >>> content = Content("log.jsonl", b'{"grades": [1], "satisfaction": 3}\n' * 3)
    >>> [sheet.cells.height for sheet in sheets_in(content, Form("pages", ("grades", "satisfaction"), (), ""))]
    [3]
    """
    where = content.source
    if form.layout is None and is_parquet(content.stored):
        for start, table in parquet_batches(content.stored, where, form.wanted, ROWS):
            yield _further(sheet_of_rows(table, form, where), start)
        return
    pieces = content.pieces()
    begun = next(pieces, b"")
    if form.layout is None and is_json(begun) and not begun.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"["):
        yield from _of_json_lines(begun, pieces, where, form)
        return
    sheet = _whole(b"".join([begun, *pieces]), where, form)
    if sheet is None and where.lower().endswith(".parquet"):
        # A copy that was interrupted looks so; a part without rows is a Parquet file all the same.
        what = "the Parquet file is empty or cut short"
        raise MetameterError(what, where=where, fix="Fetch or write the file again.")
    if sheet is not None and sheet.cells.height:
        yield sheet


def _further(sheet: Sheet, rows: int) -> Sheet:
    """The same for a piece of a file that so many rows stand before."""
    return replace(sheet, place=lambda row: sheet.place(row + rows)) if rows else sheet


def _of_json_lines(begun: bytes, pieces: Iterator[bytes], where: str, form: Form) -> Iterator[Sheet]:
    line, sheet = 1, Sheet(where, pl.DataFrame(), str)
    named: set[str] = set()
    made: set[str] = set()
    for chunk in _lines(begun, pieces):
        sheet = _of_plain_lines(chunk, where, form, line) or sheet_of_json(chunk, where, form.wanted, line)
        line += chunk.count(b"\n")
        here = set(sheet.cells.columns)
        for name in made & here:
            # A file means one thing, wherever it is cut into pieces.
            what = f"lines have {name} here, and only {form.made_of[name]} before"
            raise MetameterError(what, where=sheet.place(0), fix=f"Give {name} in the first lines, or nowhere.")
        named |= here
        follows = {name for name in form.made(here) if name not in named}
        made |= follows
        absent = [name for name in form.needed if name not in here | follows]
        if sheet.cells.height:
            # What one piece of a file lacks, another may have.
            yield replace(sheet, cells=sheet.cells.with_columns(pl.lit(None, pl.String).alias(name) for name in absent))
    if not (named | made).issuperset(form.needed) and sheet.cells.height:
        yield sheet


def _of_plain_lines(chunk: bytes, where: str, form: Form, start: int) -> Sheet | None:
    lists = [name for name in form.needed if name.startswith("grades")]
    cells = plain_cells(chunk, lists, [name for name in form.wanted if name not in lists])
    return None if cells is None else Sheet(where, cells, lambda row: f"{where}:{row + start}")


def _lines(begun: bytes, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Whole lines, of about so many bytes at a time; lines may end in a carriage return alone."""
    waiting, size = [begun], len(begun)
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size >= BYTES:
            whole, end, rest = b"".join(waiting).rpartition(b"\n")
            if end:
                yield whole + end
            waiting, size = [rest], len(rest)
    last = b"".join(waiting)
    yield last if b"\n" in last else last.replace(b"\r", b"\n")


def _whole(data: bytes, where: str, form: Form) -> Sheet | None:
    parquet = is_parquet(data)
    if not parquet and b"\n" not in data:  # lines may end in a carriage return alone
        data = data.replace(b"\r", b"\n")
    if form.layout is not None:
        return form.layout(data, where)
    if parquet:  # compressed once more
        tables = [table for _, table in parquet_batches(data, where, form.wanted, ROWS)]
        return sheet_of_rows(pl.concat(tables), form, where) if tables else None
    if is_json(data):
        return sheet_of_json(data, where, form.wanted)
    if b"\n" not in data.strip():  # nothing, or a header alone
        return None
    _refuse_semicolons(data, where, form.wanted)
    return sheet_of(data, where)


def _refuse_semicolons(data: bytes, where: str, wanted: Sequence[str]) -> None:
    r"""Refuse a table whose header has semicolons between names that are wanted, as spreadsheets write it.

    Its rows may hold commas (0,5), so that what is wrong with them would say nothing of the semicolons.

    Examples
    --------
    >>> _refuse_semicolons(b"grades,satisfaction\n1;0,3\n", "log.csv", ("grades", "satisfaction"))
    >>> _refuse_semicolons(b"grades;satisfaction\n1 0;3\n", "log.csv", ("grades", "satisfaction"))
    Traceback (most recent call last):
    metameter.errors.MetameterError: log.csv: cells are separated by semicolons (given 'grades;satisfaction', allowed:
    commas or tabs). Save it with commas or tabs, or give the data frame of pandas.read_csv(path, sep=";").
    """
    header = data.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0].decode(errors="replace").strip()
    names = {column_key(name) for name in header.split(";")}
    if len(names.intersection(wanted)) > 1:
        fix = 'Save it with commas or tabs, or give the data frame of pandas.read_csv(path, sep=";").'
        what = "cells are separated by semicolons"
        raise MetameterError(what, where=where, given=header, allowed="commas or tabs", fix=fix)


def sheet_of_rows(frame: Any, form: Form, where: str | None = None) -> Sheet:
    """The wanted columns as Polars has them; where it cannot take them (lists beside text), as text."""
    name = where or form.name
    try:
        table = table_of(frame, "", form.fix)
    except MetameterError:
        raise
    except (ValueError, TypeError, pl.exceptions.PolarsError):  # pyarrow's errors are such, too
        return sheet_of_records(_records(frame), name, form.wanted)
    if not table.height:
        return Sheet(name, pl.DataFrame(), str)
    if any(dtype == pl.Object for dtype in table.dtypes):
        return sheet_of_records(table.iter_rows(named=True), name, form.wanted)
    return sheet_of_frame(table, name, form.fix)


def _records(frame: Any) -> Iterator[dict[str, Any]]:
    import narwhals as nw

    eager = nw.from_native(frame)
    rows = eager.collect() if isinstance(eager, nw.LazyFrame) else eager
    return rows.iter_rows(named=True)
