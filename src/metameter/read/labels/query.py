"""One DuckDB query over the files of a log: how often each distinct row occurs.

The query only reads and counts; distinct cells are interpreted once, by `cells`. Files that DuckDB may read differently
from `tables` are irregular: they are read there. Names from outside are never SQL: they are parameters, or quoted.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from metameter.errors import MetameterError
from metameter.read.columns import column_key
from metameter.read.files.content import Content
from metameter.read.formats import location_in_frame
from metameter.read.formats.parquet import check_unpacked, damaged, explained, footer_of, parquet_bytes
from metameter.read.labels.cells import is_plain_list, text_of
from metameter.read.labels.tables import Cells, Form, IrregularError, Location, kind_of, stored_as
from metameter.types import Fingerprint

R = TypeVar("R")
#: Bytes that DuckDB may take for each thread; beyond that it spills to its temporary folder.
_MEMORY = 200_000_000
#: Seconds between two reports of progress.
_STEP = 0.05
_PARQUET = "read_parquet($files, hive_partitioning = false)"
_TYPE = r"(?:U?(?:TINY|SMALL|BIG)INT|U?INTEGER|FLOAT|DOUBLE|BOOLEAN|VARCHAR)"
_JSON_NAME = re.compile(r"[A-Za-z_-]+")
#: How NaN and infinity begin in JSON without blanks: DuckDB accepts more spellings of them than Python.
_NO_NUMBER = tuple(f"{before}{word}".encode() for before in ":,[-" for word in ("nan", "inf"))


@dataclass(frozen=True)
class Table:
    """A file as DuckDB reads it."""

    source: str  # its name, for messages
    fingerprint: Fingerprint
    path: Path  # in the temporary folder: a link to it, or its content without compression
    rows: int = 0
    #: A table function in SQL; None where DuckDB may read the file differently from `tables`.
    reader: str | None = None
    columns: tuple[str, ...] = ()  # of JSON lines they follow from the rows
    #: For each wanted column its name, its SQL, and its type or its path in an object of JSON.
    cells: tuple[tuple[str, str, str], ...] = ()

    @property
    def alike(self) -> tuple[Any, ...]:
        """A key that is the same for files that one query can read together."""
        return (self.reader, self.columns, self.cells, self.path.suffix) if self.reader else (self.path,)

    @property
    def location(self) -> Location:
        """The function from a row's number, from 0, to its file and line: a row is a line."""
        if self.path.suffix == ".parquet":
            return location_in_frame(self.source)
        first = 2 if self.path.suffix == ".csv" else 1
        return lambda row: f"{self.source}:{row + first}"

    @property
    def unpacked(self) -> int:
        """Its bytes in the temporary folder."""
        return 0 if self.path.is_symlink() or not self.path.exists() else self.path.stat().st_size


class Database:
    """A database in memory, with a temporary folder of its own, which is removed.

    DuckDB never sees the name of a file: it reads links in that folder, so that no name is a pattern or an address.
    ``report`` is called with the share of the rows that are counted.
    """

    def __init__(self, threads: int = 1, report: Callable[[float], None] | None = None) -> None:
        try:
            import duckdb
        except ImportError:
            what, fix = "labelled pages are read by DuckDB, which is not installed", "Install it: pip install duckdb"
            raise MetameterError(what, fix=fix) from None
        self._duckdb, self._report, self._files = duckdb, report, 0
        self.folder = Path(tempfile.mkdtemp(prefix="metameter-"))
        self._memory = f"{_MEMORY * max(2, threads)}B"
        config: dict[str, Any] = {
            "threads": str(threads),
            "memory_limit": self._memory,
            "preserve_insertion_order": "false",
        }
        config |= {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
        try:
            self._open = duckdb.connect(":memory:", config=config)
            # Progress is tracked, not printed.
            self._open.execute("SET enable_progress_bar = true")
            self._open.execute("SET enable_progress_bar_print = false")
            self._open.execute("SET temp_directory = $folder", {"folder": str(self.folder)})
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the temporary folder."""
        with suppress(AttributeError):
            self._open.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def table(self, source: str, form: Form) -> Table:
        """Unpack a file, or link to it, and check whether it is regular."""
        content = Content.of(source)
        pieces = content.pieces()
        begun = next(pieces, b"")
        kind = "list" if form.tiangong else kind_of(begun)
        self._files += 1
        path, lines = self.folder / f"{self._files}.{kind}", _Lines(kind)
        whole = chain([begun], pieces)
        chunks = _whole_lines(whole) if lines.is_regular else whole
        stored = stored_as(source, begun)
        try:
            if stored is not None:
                path.symlink_to(stored.absolute())
            with nullcontext() if stored is not None else path.open("wb") as file:
                for chunk in chunks:
                    lines.add(chunk)
                    if file is not None:
                        file.write(chunk)
        except OSError:  # there is no room, or there are no links
            path.unlink(missing_ok=True)
            deque(chunks, maxlen=0)
            return Table(source, content.fingerprint, path)
        table = Table(source, content.fingerprint, path, lines.count)
        if kind == "parquet":
            return self._of_parquet(table, form)
        return lines.described(table, form) if lines.is_regular and lines.count > 1 else table

    def _of_parquet(self, table: Table, form: Form) -> Table:
        # DuckDB trusts the metadata.
        with explained(table.source), parquet_bytes(table.path) as data:
            footer = footer_of(data)
            names = {leaf.column for leaf in footer.leaves}
            check_unpacked(footer.size({name for name in names if column_key(name) in form.columns}), table.source)
        named = {"files": [str(table.path)]}
        try:
            types = {name: kind for name, kind, *_ in self._rows(f"DESCRIBE SELECT * FROM {_PARQUET}", named)}
            [(rows,)] = self._rows("SELECT num_rows FROM parquet_file_metadata($files)", named)
        except IrregularError:
            raise damaged(table.source) from None
        keys = [column_key(name) for name in types]
        quoted = ('"' + name.replace('"', '""') + '"' for name in types)
        columns = zip(keys, quoted, types.values(), strict=True)
        cells = tuple((key, name, kind) for key, name, kind in columns if key in form.columns)
        # DuckDB gives the second of two columns with one name another: name_1.
        numbered = any(re.sub(r"_\d+$", "", key) in {*keys} - {key} for key in keys)
        in_list = r"(?:\[\d*\])?"
        has_known_types = all(
            re.fullmatch(_TYPE + in_list * (key in (*form.lists, "clicks")), kind) for key, _, kind in cells
        )
        is_regular = has_known_types and len({*keys}) == len(keys) and not numbered and form.fits(keys)
        return replace(table, rows=rows, reader=_PARQUET if is_regular else None, columns=tuple(keys), cells=cells)

    def counted(self, tables: Sequence[Table], form: Form, *, is_located: bool = False) -> Cells:
        """The distinct rows of files that are alike; `IrregularError` where they have to be read row by row.

        The rows of a single file can be located, too: DuckDB then reads it on one core.
        """
        first = tables[0]
        if first.reader is None:
            raise IrregularError
        names = [name for name, *_ in first.cells]
        is_json = first.path.suffix == ".json"
        parameters: dict[str, Any] = {"files": [str(table.path) for table in tables]}
        parameters |= {f"path{at}": path for at, (_, _, path) in enumerate(first.cells)} if is_json else {}
        steps = _steps(first, is_located=is_located)
        try:
            for done, step in enumerate(steps):
                sql = f"CREATE OR REPLACE TEMP TABLE {step}"
                self._rows(sql, parameters if "$" in step else {}, (done, len(steps)))
            keys = self._frame("SELECT DISTINCT keys FROM counted")["keys"].to_list() if is_json else []
            self._drop("counted")
            rows = self._frame("SELECT * FROM codes").rename({f"c{at}": name for at, name in enumerate(names)})
            self._drop("codes")
            cells = [self._frame(f"SELECT cell FROM cells{at} ORDER BY code")["cell"] for at in range(len(names))]
        finally:
            self._drop(*(step.split()[0] for step in steps))
        if rows["count"].sum() != sum(table.rows for table in tables):
            raise IrregularError
        rows = rows if is_located else rows.with_columns(row=pl.lit(0, pl.UInt8))
        distinct = {name: column.alias(name) for name, column in zip(names, cells, strict=True)}
        result = Cells(first.source, first.columns, distinct, rows, first.location if is_located else None)
        return _of_json(result, keys, first.cells, form) if is_json else result

    def _drop(self, *tables: str) -> None:
        for table in tables:
            self._open.execute(f"DROP TABLE IF EXISTS {table}")
        # This makes DuckDB return unused memory to the system.
        self._open.execute(f"SET memory_limit = '{self._memory}'")

    def _rows(self, sql: str, parameters: Mapping[str, Any], done: tuple[int, int] | None = None) -> list[Any]:
        return self._watched(lambda: self._open.execute(sql, dict(parameters)).fetchall(), done)

    def _frame(self, sql: str) -> pl.DataFrame:
        return self._watched(lambda: pl.DataFrame(_Stream(self._open.sql(sql))), None)

    def _watched(self, work: Callable[[], R], done: tuple[int, int] | None) -> R:
        """Run a query, report its progress, and stop it when the user interrupts."""
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(work)
            try:
                while True:
                    try:
                        return running.result(timeout=_STEP)
                    except TimeoutError:
                        if done is not None and self._report is not None:
                            share = min(max(self._open.query_progress(), 0.0), 100.0) / 100
                            self._report((done[0] + share) / done[1])
            except self._duckdb.Error:
                raise IrregularError from None
            except BaseException:
                self._open.interrupt()
                raise


def _steps(table: Table, *, is_located: bool) -> list[str]:
    """The tables to make one after another, as SQL: distinct rows, the cells of each column, and rows of codes."""
    columns = ", ".join(f"{sql} AS c{at}" for at, (_, sql, _) in enumerate(table.cells))
    columns += ", json_keys(json) AS keys" if table.path.suffix == ".json" else ""
    row = ", row_number() OVER () - 1 AS row" if is_located else ""
    source, count, steps = f"(SELECT {columns}{row} FROM {table.reader})", "count(*)", []
    least = ", min(row) AS row" * is_located
    # With users most rows are distinct: their cells become numbers before rows are counted, in a fraction of the
    # memory. Text would be parsed once more for each column.
    if table.reader != _PARQUET or {"user", "id"}.isdisjoint(name for name, *_ in table.cells):
        but = "EXCLUDE (row)" * is_located
        steps = [f"counted AS SELECT * {but}, count(*) AS n{least} FROM {source} GROUP BY ALL"]
        source, count = "counted", "sum(n)"
    codes, joins = "", ""
    for at in range(len(table.cells)):
        code = "CAST(row_number() OVER () - 1 AS UINTEGER) AS code"
        steps.append(f"cells{at} AS SELECT {code}, cell FROM (SELECT DISTINCT c{at} AS cell FROM {source})")
        codes += f"cells{at}.code AS c{at}, "
        joins += f" JOIN cells{at} ON s.c{at} IS NOT DISTINCT FROM cells{at}.cell"
    select = f"SELECT {codes}CAST({count} AS BIGINT) AS count{least}"
    return [*steps, f"codes AS {select} FROM {source} s{joins} GROUP BY ALL"]


@dataclass(frozen=True)
class _Stream:
    """Passes on the rows of a relation: Polars would cache its type, and DuckDB complain of that at exit."""

    relation: Any

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.relation.__arrow_c_stream__(requested_schema)


def _whole_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    waiting: list[bytes] = []
    for piece in pieces:
        waiting.append(piece)
        if b"\n" in piece:
            whole, end, rest = b"".join(waiting).rpartition(b"\n")
            waiting = [rest]
            yield whole + end
    yield b"".join(waiting)


class _Lines:
    """Counts lines of text, and checks whether DuckDB reads them as `tables` does."""

    def __init__(self, kind: str) -> None:
        self._kind, self._first, self._end, self._separator = kind, b"", b"", b""
        self.count, self.is_regular, self._is_quoted = 0, kind in ("csv", "json"), False

    def add(self, chunk: bytes) -> None:
        """Take in more whole lines."""
        if not self.is_regular:
            return
        if not self.count:
            self._first = chunk[: chunk.find(b"\n") + 1]
            self._end = b"\r\n" if self._first.endswith(b"\r\n") else b"\n"
            self._separator = b"\t" if b"\t" in self._first else b","
        self.count += chunk.count(b"\n") + (not chunk.endswith(b"\n") and bool(chunk))
        try:
            _ = chunk.isascii() or chunk.decode()
        except UnicodeDecodeError:
            self.is_regular = False
        else:
            self.is_regular = self._is_csv(chunk) if self._kind == "csv" else _is_json(chunk)

    def _is_csv(self, chunk: bytes) -> bool:
        """Whether lines end alike, and quotes enclose whole cells of one line."""
        returns = chunk.count(b"\n") if self._end == b"\r\n" else 0
        if b"\0" in chunk or chunk.count(b"\r") != returns or chunk.count(b"\r\n") != returns:
            return False
        quotes, separator = chunk.count(b'"'), self._separator
        if not quotes:
            return True
        self._is_quoted = True
        text = b"\n" + chunk + (b"" if chunk.endswith(b"\n") else self._end)
        opening, closing = (separator + b'"', b'\n"'), (b'"' + separator, b'"' + self._end)
        if any(before + after[1:] in text for before in opening for after in closing):
            return False  # a quote is alone in its cell
        opened = sum(map(text.count, opening))
        return opened == sum(map(text.count, closing)) and 2 * opened == quotes

    def described(self, table: Table, form: Form) -> Table:
        """The table with the reader that its first line implies; without one if only `tables` can read it."""
        text = self._first.decode().removeprefix("\ufeff").rstrip("\r\n")
        if self._kind == "json":
            try:
                spelled = {column_key(name): name for name in json.loads(text)}
            except (ValueError, TypeError, RecursionError):
                return table
            names = {name: spelled.get(name, name) for name in form.columns}
            extracted = enumerate(names.items())
            cells = tuple((name, f"json_extract(json, $path{at})", f'$."{each}"') for at, (name, each) in extracted)
            known = all(_JSON_NAME.fullmatch(each) for each in names.values())
            return replace(table, reader="read_ndjson_objects($files)", cells=cells) if known else table
        separator = self._separator.decode()
        keys = [column_key(name) for name in next(csv.reader([text], delimiter=separator), [])]
        if len(keys) < 2 or len({*keys}) < len(keys) or not form.fits(keys):
            return table
        end, quote = self._end.decode().encode("unicode_escape").decode(), '"' if self._is_quoted else ""
        columns = ", ".join(f"c{at}: 'VARCHAR'" for at in range(len(keys)))
        reader = (
            f"read_csv($files, auto_detect = false, header = false, skip = 1, columns = {{{columns}}}, "
            f"delim = '{separator}', quote = '{quote}', escape = '{quote}', new_line = '{end}', "
            "strict_mode = true, null_padding = false, ignore_errors = false, hive_partitioning = false)"
        )
        cells = tuple((key, f"c{at}", "VARCHAR") for at, key in enumerate(keys) if key in form.columns)
        return replace(table, rows=self.count - 1, reader=reader, columns=tuple(keys), cells=cells)


def _is_json(chunk: bytes) -> bool:
    """Whether Python's parser accepts what DuckDB's does: no trailing commas, no NaN or infinity."""
    tight = chunk.translate(None, b" \t\r").lower()
    if b",]" in tight or b",}" in tight or tight.startswith(b"\xef\xbb\xbf"):
        return False
    return not (b"nan" in tight or b"inf" in tight) or not any(each in tight for each in _NO_NUMBER)


def _of_json(cells: Cells, listed: Sequence[Any], paths: Sequence[tuple[str, str, str]], form: Form) -> Cells:
    """The same with values of JSON as they would stand in a table of text."""
    spelled = {name: path[3:-1] for name, _, path in paths}
    columns: dict[str, None] = {}
    for names in listed:
        keys = {column_key(name): name for name in names or []}
        if not keys or len(keys) < len(names) or any(spelled.get(key, name) != name for key, name in keys.items()):
            raise IrregularError  # no object, or a name that is there twice or in capitals
        columns |= dict.fromkeys(keys)
    if not form.fits(columns) or any({name, other} <= columns.keys() for name, other in form.origins.items()):
        raise IrregularError
    distinct = {name: _texts(column, form) for name, column in cells.distinct.items() if name in columns}
    others = [name for name in columns if name not in distinct]
    return replace(cells, columns=(*distinct, *others), distinct=distinct)


def _texts(column: pl.Series, form: Form) -> pl.Series:
    texts = column.cast(pl.String)
    # Plain lists of grades stay as DuckDB writes them; cells that a message may show are written as Python does.
    plain = is_plain_list(texts).fill_null(True) if column.name in form.lists else texts.is_null()
    if plain.all():
        return texts
    pairs = zip(texts.to_list(), plain.to_list(), strict=True)
    written = [text if is_plain else text_of(json.loads(text)) for text, is_plain in pairs]
    return pl.Series(column.name, written, pl.String)
