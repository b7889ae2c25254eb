"""Rows one by one, with the file and line of each: what defines how a file is read, and finds the row that is wrong."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

import polars as pl

from metameter.errors import MetameterError
from metameter.read.columns import column_key
from metameter.read.files.content import Content, regular_file
from metameter.read.frames import is_frame, place_in_frame, table_of
from metameter.read.labels.form import Batch, Form
from metameter.read.labels.values import text_of
from metameter.types import counted

__all__ = ["batch_of_memory", "batches_of", "damaged_parquet", "kind_of", "whole_lines"]

#: Rows, and bytes of text, that are in memory at a time.
ROWS, BYTES = 50_000, 1 << 23
_NAMED = 30  # columns that are remembered although nobody wants them, to name them in messages
_BOM = b"\xef\xbb\xbf"
_FIX = "Give an object a line, or a list of objects."
_TIANGONG = ("reformulation", "clicks", "usefulness", "satisfaction")
_Lines = Iterator[tuple[int, str]]


def kind_of(head: bytes) -> str:
    r"""What a file is, by its first bytes: ``parquet``, ``json`` (an object a line), ``list`` (of objects) or ``csv``.

    Examples
    --------
    >>> kind_of(b'{"grades": [1]}\n'), kind_of(b'\n[{"grades": [1]}]'), kind_of(b"[1, 0]\t3"), kind_of(b"PAR1")
    ('json', 'list', 'csv', 'parquet')
    """
    if head.startswith(b"PAR1"):
        return "parquet"
    start = head.removeprefix(_BOM)[:1000].lstrip()
    if start.startswith(b"["):
        return "list" if start[1:].lstrip()[:1] in (b"{", b"]", b"") else "csv"
    return "json" if start.startswith(b"{") else "csv"


def batches_of(source: str, form: Form) -> Iterator[Batch]:
    r"""The rows of a file, in batches; none where there is not a single row, as large collections have such parts.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "log.csv"
    >>> _ = path.write_text('grades,satisfaction\n\n"1, 0",3\n')
    >>> [batch] = batches_of(path, Form("pages", ("grades", "satisfaction"), (), ""))
    >>> batch.cells.rows(), batch.place(0).rpartition("/")[2]
    ([('1, 0', '3')], 'log.csv:3')
    """
    source = str(source)
    content = Content.of(source)
    pieces = content.pieces()
    begun = next(pieces, b"")
    kind = "tiangong" if form.tiangong else kind_of(begun)
    if kind == "parquet":
        path = regular_file(source)
        stored = None if path is None else _stored(path)
        yield from _parquet(
            path if path and stored == b"PAR1" else io.BytesIO(b"".join([begun, *pieces])), source, form
        )
        return
    lines = _decoded(whole_lines(begun, pieces), source, nulls=kind != "csv")
    if kind == "json":
        yield from _json_lines(lines, source, form)
    elif kind == "list":
        yield from _json_list("".join(text for _, text in lines), source, form)
    elif kind == "tiangong":
        yield from _tiangong(lines, source)
    else:
        empty = True
        for batch in _separated(lines, source, form):
            empty = False
            yield batch
        if empty and source.lower().endswith(".parquet"):
            # A copy that was interrupted looks so; a part without rows is a Parquet file all the same.
            what = "the Parquet file is empty or cut short"
            raise MetameterError(what, where=source, fix="Fetch or write the file again.")


def _stored(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(4)


def whole_lines(begun: bytes, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Whole lines, of about so many bytes at a time; lines may end in a carriage return alone."""
    waiting, size, ended = [begun], len(begun), False
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size >= BYTES and b"\n" in piece:
            whole, end, rest = b"".join(waiting).rpartition(b"\n")
            ended = True
            yield whole + end
            waiting, size = [rest], len(rest)
    last = b"".join(waiting)
    yield last if ended or b"\n" in last else last.replace(b"\r", b"\n")


def _decoded(chunks: Iterable[bytes], where: str, *, nulls: bool) -> _Lines:
    """The text of whole lines, and the number of the first of them."""
    start = 1
    for number, chunk in enumerate(chunks):
        data = chunk.removeprefix(_BOM) if not number else chunk
        what, at = "the text holds a null byte", -1 if nulls else data.find(b"\0")
        try:
            text = data.decode()
        except UnicodeDecodeError as problem:
            what, at = "the text is not UTF-8", problem.start
        if at >= 0:
            line = start + data.count(b"\n", 0, at)
            raise MetameterError(what, where=f"{where}:{line}", fix="Convert the file to UTF-8.")
        yield start, text
        start += chunk.count(b"\n")


def _separated(chunks: _Lines, where: str, form: Form) -> Iterator[Batch]:
    """Text with a header: a tab in its first line makes it TSV, else it is CSV."""
    first = next(chunks, (1, ""))
    header = first[1].lstrip("\r\n").partition("\n")[0]
    separator = "\t" if "\t" in header else ","
    lines = (line for _, text in chain([first], chunks) for line in io.StringIO(text.replace("\r\n", "\n"), newline=""))
    reader = csv.reader(lines, delimiter=separator)
    rows = _numbered(reader, where)
    names = [column_key(name) for name in next(rows, (0, []))[1]]
    row = next(rows, None)
    if row is None:
        return
    _refuse_semicolons(header, where, form)
    _refuse_twice(names, where)
    checked = (_of_width(line, cells, len(names), where) for line, cells in chain([row], rows))
    while batch := list(islice(checked, ROWS)):
        schema = {str(at): pl.String for at in range(len(names))}
        table = pl.DataFrame([row for _, row in batch], schema, orient="row")
        cells = pl.DataFrame({name: column for name, column in zip(names, table, strict=True) if name})
        yield Batch(where, cells, _at_lines(where, [line for line, _ in batch]))


def _numbered(reader: Any, where: str) -> Iterator[tuple[int, list[str]]]:
    while True:
        try:
            row = next(reader, None)
        except csv.Error as problem:
            place = f"{where}:{reader.line_num}"
            what = f"the table cannot be read: {problem}"
            raise MetameterError(what, where=place, fix="Correct the line.") from None
        if row is None:
            return
        if row:
            yield reader.line_num, row


def _of_width(line: int, cells: list[str], width: int, where: str) -> tuple[int, list[str]]:
    if len(cells) != width:
        what, allowed = f"the row has {counted(len(cells), 'cell')}", f"{width}, as the header"
        raise MetameterError(what, where=f"{where}:{line}", allowed=allowed, fix="Correct the row.")
    return line, cells


def _refuse_twice(names: Sequence[str], where: str) -> None:
    twice = next((name for at, name in enumerate(names) if name and name in names[:at]), None)
    if twice is not None:
        raise MetameterError(f"the header names {twice!r} twice", where=where, fix="Rename one of the columns.")


def _refuse_semicolons(header: str, where: str, form: Form) -> None:
    r"""Refuse a table whose header has semicolons between names that are wanted, as spreadsheets write it.

    Its rows may hold commas (0,5), so that what is wrong with them would say nothing of the semicolons.

    Examples
    --------
    >>> _refuse_semicolons("grades;satisfaction", "log.csv", Form("pages", ("grades", "satisfaction"), (), ""))
    Traceback (most recent call last):
    metameter.errors.MetameterError: log.csv: cells are separated by semicolons (given 'grades;satisfaction', allowed:
    commas or tabs). Save it with commas or tabs, or give the data frame of pandas.read_csv(path, sep=";").
    """
    if len({column_key(name) for name in header.split(";")}.intersection(form.wanted)) > 1:
        fix = 'Save it with commas or tabs, or give the data frame of pandas.read_csv(path, sep=";").'
        what, given = "cells are separated by semicolons", header.strip()
        raise MetameterError(what, where=where, given=given, allowed="commas or tabs", fix=fix)


def _at_lines(where: str, lines: Sequence[int]) -> Callable[[int], str]:
    return lambda row: f"{where}:{lines[row]}"


def _tiangong(chunks: _Lines, where: str) -> Iterator[Batch]:
    """Clicks, usefulness (as the grades) and satisfaction of TianGong-QRef; empty lines are skipped."""
    for start, text in chunks:
        lines, rows = [], []
        for number, line in enumerate(text.split("\n"), start):
            if not line.strip():
                continue
            cells = line.split("\t")
            if len(cells) != len(_TIANGONG):
                what, fix = f"the line has {counted(len(cells), 'cell')}", "Correct the line, or leave input out."
                allowed = f"{len(_TIANGONG)}, with tabs between them: {', '.join(_TIANGONG)}"
                raise MetameterError(what, where=f"{where}:{number}", given=line, allowed=allowed, fix=fix)
            lines.append(number)
            rows.append(cells[1:])
        if rows:
            table = pl.DataFrame(rows, dict.fromkeys(("clicks", "grades", "satisfaction"), pl.String), orient="row")
            yield Batch(where, table, _at_lines(where, lines))


def _json_lines(chunks: _Lines, where: str, form: Form) -> Iterator[Batch]:
    named: set[str] = set()
    made: set[str] = set()
    batch = None
    for start, text in chunks:
        numbered = [(number, line) for number, line in enumerate(text.split("\n"), start) if line.strip()]
        objects = (_object(line, f"{where}:{number}") for number, line in numbered)
        batch = batch_of_records(objects, where, form, _at_lines(where, [number for number, _ in numbered]))
        here = set(batch.cells.columns)
        for name in made & here:
            # A file means one thing, wherever it is cut into pieces.
            what = f"lines have {name} here, and only {form.made_of[name]} before"
            raise MetameterError(what, where=batch.place(0), fix=f"Give {name} in the first lines, or nowhere.")
        named |= here
        made |= {name for name in form.made(here) if name not in named}
        absent = [name for name in form.needed if name not in here | made]
        if batch.cells.height:
            # What one piece of a file lacks, another may have.
            nothing = [pl.lit(None, pl.String).alias(name) for name in absent]
            yield Batch(where, batch.cells.with_columns(nothing), batch.place)
    if batch is not None and batch.cells.height and not (named | made).issuperset(form.needed):
        yield batch  # without the column: this is refused


def _object(line: str, place: str) -> Mapping[str, Any]:
    try:
        value = json.loads(line)
    except json.JSONDecodeError as problem:
        raise MetameterError(f"this is not JSON: {problem.msg}", where=place, given=line, fix=_FIX) from None
    except (ValueError, RecursionError):  # a number of thousands of digits, thousands of brackets
        raise MetameterError("this JSON cannot be read", where=place, given=line, fix=_FIX) from None
    if not isinstance(value, Mapping):
        raise MetameterError("this is no JSON object", where=place, given=line, fix=_FIX)
    return value


def _json_list(text: str, where: str, form: Form) -> Iterator[Batch]:
    try:
        rows = json.loads(text)
    except json.JSONDecodeError as problem:
        line = f"{where}:{problem.lineno}"
        raise MetameterError(f"this is not JSON: {problem.msg}", where=line, fix=_FIX) from None
    except (ValueError, RecursionError):
        raise MetameterError("this JSON cannot be read", where=where, fix=_FIX) from None

    def place(row: int) -> str:
        return f"{where}:{_line_in_list(text, row)}"

    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise MetameterError("this is no JSON object", where=place(number), given=row, fix=_FIX)
    if rows:
        yield batch_of_records(rows, where, form, place)


def _line_in_list(text: str, row: int) -> int:
    """The line on which an object of the list begins; computed for messages only."""
    decoder, at = json.JSONDecoder(), text.index("[") + 1
    for skipped in range(row + 1):
        while text[at] in ", \t\r\n":
            at += 1
        if skipped < row:
            at = decoder.raw_decode(text, at)[1]
    return text.count("\n", 0, at) + 1


def batch_of_records(
    records: Iterable[Mapping[Any, Any]], source: str, form: Form, place: Callable[[int], str] | None = None
) -> Batch:
    """The wanted columns of dictionaries, as text; what a row does not have is missing there.

    Examples
    --------
    >>> rows = [{"Grades": (1, 0), "user": 7}, {"grades": "2 1"}]
    >>> batch_of_records(rows, "pages", Form("pages", ("grades",), ("user",), "")).cells.rows()
    [('[1, 0]', '7'), ('2 1', None)]
    """
    place = place or place_in_frame(source)
    parts: list[pl.DataFrame] = []
    named: dict[str, None] = {}
    seen: dict[Any, str] = {}
    rows = iter(records)
    while chunk := list(islice(rows, ROWS)):
        spelled: dict[str, list[Any]] = {}
        for key in dict.fromkeys(key for record in chunk for key in record):
            spelled.setdefault(column_key(str(key)), []).append(key)
        named |= dict.fromkeys(list(spelled)[:_NAMED]) | {name: None for name in form.wanted if name in spelled}
        columns = {name: _texts(chunk, spelled.get(name, []), seen) for name in form.wanted}
        parts.append(_frame(columns, sum(part.height for part in parts), place))
    cells = pl.concat(parts) if parts else pl.DataFrame()
    others = [name for name in named if name not in form.wanted]
    # The others first: without a single wanted column there would be no rows left to refuse.
    cells = cells.with_columns(pl.lit(None, pl.String).alias(name) for name in others)
    return Batch(source, cells.select(*(name for name in form.wanted if name in named), *others), place)


def _texts(chunk: list[Mapping[Any, Any]], keys: list[Any], seen: dict[Any, str]) -> list[str | None]:
    if len(keys) == 1:
        return [text_of(record.get(keys[0]), seen) for record in chunk]
    # Spelt in several ways (Grades, grades), or not there at all.
    found = ((record[key] for key in keys if record.get(key) is not None) for record in chunk)
    return [text_of(next(values, None), seen) for values in found]


def _frame(columns: dict[str, list[str | None]], before: int, place: Callable[[int], str]) -> pl.DataFrame:
    try:
        return pl.DataFrame(columns, dict.fromkeys(columns, pl.String))
    except UnicodeEncodeError:
        rows = zip(*columns.values(), strict=True)
        row = next(i for i, row in enumerate(rows) if any(_halved(text) for text in row))
        what, fix = "the text holds half a character (a lone surrogate)", "Correct the text."
        raise MetameterError(what, where=place(before + row), fix=fix) from None


def _halved(text: str | None) -> bool:
    return any("\ud800" <= each <= "\udfff" for each in text or "")


def damaged_parquet(where: str) -> MetameterError:
    """The refusal of a Parquet file that cannot be read."""
    return MetameterError("the Parquet file is damaged or cut short", where=where, fix="Fetch or write the file again.")


def _parquet(file: Path | io.BytesIO, where: str, form: Form) -> Iterator[Batch]:
    """So many rows of a Parquet file at a time; of columns that are not wanted only the names."""
    try:
        scan = pl.scan_parquet(file, glob=False, hive_partitioning=False)
        named = scan.collect_schema().names()
        wanted = [name for name in named if column_key(name) in form.wanted]
        height = scan.select(pl.len()).collect().item()
        for start in range(0, height, ROWS):
            table = scan.select(wanted).slice(start, ROWS).collect()
            nothing = pl.DataFrame({name: [None] * min(ROWS, height - start) for name in named})
            yield _of_table(nothing.with_columns(table), where, start)
    except MetameterError:
        raise
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError):
        raise damaged_parquet(where) from None


def _of_table(table: pl.DataFrame, where: str, before: int = 0) -> Batch:
    names = [column_key(name) for name in table.columns]
    _refuse_twice(names, where)
    place = place_in_frame(where)
    cells = pl.DataFrame({name: column for name, column in zip(names, table, strict=True) if name})
    return Batch(where, cells, lambda row: place(row + before))


def batch_of_memory(source: Any, form: Form) -> Batch:
    """The rows of a data frame or of a list of dictionaries."""
    listed = isinstance(source, Sequence) and not isinstance(source, str | bytes)
    if listed and all(isinstance(each, Mapping) for each in source):
        return batch_of_records(source, form.name, form)
    if not is_frame(source):
        raise MetameterError("this cannot be read", given=type(source).__name__, fix=form.fix)
    try:
        table = table_of(source, "", form.fix)
    except MetameterError:
        raise
    except (ValueError, TypeError, pl.exceptions.PolarsError):  # pyarrow's errors are such, too
        return batch_of_records(_records(source), form.name, form)
    if any(dtype == pl.Object for dtype in table.dtypes):
        return batch_of_records(table.iter_rows(named=True), form.name, form)
    return _of_table(table, form.name)


def _records(frame: Any) -> Iterator[dict[str, Any]]:
    import narwhals as nw

    eager = nw.from_native(frame)
    rows = eager.collect() if isinstance(eager, nw.LazyFrame) else eager
    return rows.iter_rows(named=True)
