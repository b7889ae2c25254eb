"""Labelled pages wherever they are: files, folders of parts, standard input, data frames, dictionaries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from metameter.errors import MetameterError
from metameter.read.archives import Content
from metameter.read.frames import is_frame, table_of
from metameter.read.parquet import is_parquet, parquet_table
from metameter.read.serps_json import is_json, sheet_of_json, sheet_of_records
from metameter.read.serps_quoted import quoted_cells, refuse_semicolons
from metameter.read.sheets import Sheet, sheet_of, sheet_of_frame
from metameter.read.sources import find_files
from metameter.types import Fingerprint

__all__ = ["Form", "Part", "parts_of"]


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
    prepared : callable, optional
        From a table to one that has what is needed, where that follows from other columns.
    """

    name: str
    needed: tuple[str, ...]
    optional: tuple[str, ...]
    fix: str
    layout: Callable[[bytes, str], Sheet] | None = None
    max_grade: float | None = None
    prepared: Callable[[Sheet], Sheet] | None = None

    @property
    def wanted(self) -> tuple[str, ...]:
        """All columns that are looked at."""
        return self.needed + self.optional


@dataclass(frozen=True, eq=False)
class Part:
    """One of the tables: a file, or an object in memory.

    Attributes
    ----------
    sheet : Sheet or None
        None where there is not a single row: large collections have such parts.
    fingerprint : Fingerprint or None
    place : callable
        From a row's number to where it stands; opens the file again, so that no part is kept for its messages.
    """

    sheet: Sheet | None
    fingerprint: Fingerprint | None
    place: Callable[[int], str]


def parts_of(source: Any, form: Form) -> tuple[str, Iterator[Part]]:
    """What it is called in messages, and its parts, each read when it is asked for."""
    if isinstance(source, str | Path):
        return str(source), (_of_file(file, form) for file in _files([source]))
    listed = isinstance(source, Sequence) and not isinstance(source, bytes)
    if listed and source and all(isinstance(each, str | Path) for each in source):
        name = str(source[0]) if len(source) == 1 else f"{source[0]} and {len(source) - 1} more"
        return name, (_of_file(file, form) for file in _files(source))
    if form.layout is not None:
        raise MetameterError(
            "input says how a file is laid out", given=type(source).__name__, fix="Give a file, or leave input out."
        )
    if listed and all(isinstance(each, Mapping) for each in source):
        sheet = sheet_of_records(source, form.name, form.wanted)
    elif is_frame(source):
        sheet = _of_frame(source, form)
    else:
        raise MetameterError("this cannot be read", given=type(source).__name__, fix=form.fix)
    return form.name, iter([Part(sheet if sheet.cells.height else None, None, sheet.place)])


def _files(sources: Sequence[str | Path]) -> list[str]:
    """The files; in folders without those that say something of the others (``_SUCCESS``, ``_metadata``)."""
    files = []
    for source in sources:
        found = find_files([source])
        files += [file for file in found if len(found) == 1 or not Path(file).name.startswith("_")]
    return files


def _of_file(file: str, form: Form) -> Part:
    content = Content.of(file)

    def place(row: int) -> str:
        sheet = _sheet_in(Content.of(file).unpacked(), file, form)
        return sheet.place(row) if sheet else file

    return Part(_sheet_in(content.unpacked(), file, form), content.fingerprint, place)


def _sheet_in(data: bytes, where: str, form: Form) -> Sheet | None:
    parquet = is_parquet(data)
    if not parquet and b"\n" not in data:  # lines may end in a carriage return alone
        data = data.replace(b"\r", b"\n")
    if form.layout is not None:
        sheet = form.layout(data, where)
    elif parquet:
        sheet = _of_frame(parquet_table(data, where), form, where)
    elif is_json(data):
        sheet = sheet_of_json(data, where, form.wanted)
    elif b"\n" not in data.strip():  # nothing, or a header alone
        return None
    else:
        refuse_semicolons(data, where, form.wanted)
        cells = quoted_cells(data)
        sheet = sheet_of(data, where) if cells is None else Sheet(where, cells, lambda row: f"{where}:{row + 2}")
    return sheet if sheet.cells.height else None


def _of_frame(frame: Any, form: Form, where: str | None = None) -> Sheet:
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
