"""Parquet files: measured before they are read, and read so that a damaged one is an error like any other."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from threading import Lock
from typing import IO

import polars as pl

from metameter.errors import MetameterError
from metameter.read.memory_left import memory_left
from metameter.read.parquet_size import size_of_parquet
from metameter.read.unpack_limit import size_in_words, too_large, unpack_limit

__all__ = ["chosen_columns", "parquet_batches", "parquet_table"]

_PANIC = pl.exceptions.PanicException
_STDERR = 2
_one_at_a_time = Lock()
# What is needed besides the columns themselves: pages while they are unpacked, pieces before they are one, hashes.
_BESIDES = 5
# What rows of a run unpack to, at most, in terms of what they are stored in.
_CREDIBLE = 200


def parquet_table(data: bytes, where: str, columns: Collection[str] | None = None) -> pl.DataFrame:
    """The columns of a Parquet file as they are: all, or those of the ones named that it has.

    Examples
    --------
    >>> file = io.BytesIO()
    >>> pl.DataFrame({"topic": [401], "doc": ["d1"], "grade": [1]}).write_parquet(file)
    >>> parquet_table(file.getvalue(), "qrels.parquet", ["doc", "score"]).rows()
    [('d1',)]
    >>> parquet_table(file.getvalue()[:-9], "qrels.parquet")
    Traceback (most recent call last):
    metameter.errors.MetameterError: qrels.parquet: the Parquet file is damaged or cut short. Fetch or write the file
    again.
    """
    with _explained(where):
        _refuse_large(size_of_parquet(data, columns), where)
        with _without_last_words():
            named = pl.read_parquet_schema(io.BytesIO(data))
            return pl.read_parquet(io.BytesIO(data), columns=_among(named, columns))


def chosen_columns(data: bytes, where: str, choose: Callable[[Sequence[str]], Collection[str] | None]) -> pl.DataFrame:
    """The columns of a Parquet file that are chosen from the names of all; None chooses all.

    Examples
    --------
    >>> file = io.BytesIO()
    >>> pl.DataFrame({"topic": [401], "doc": ["d1"], "grade": [1]}).write_parquet(file)
    >>> chosen_columns(file.getvalue(), "qrels.parquet", lambda names: names[1:]).rows()
    [('d1', 1)]
    """
    with _explained(where), _without_last_words():
        scan = pl.scan_parquet(io.BytesIO(data))
        named = scan.collect_schema().names()
        columns = choose(named)
        size = size_of_parquet(data, columns)
        _refuse_large(size, where)
        if _BESIDES * size > unpack_limit() and size > _CREDIBLE * len(data):
            # A few bytes may stand for millions of equal rows; each of them takes room besides what it unpacks to.
            what = (
                f"reading the Parquet file, of {size_in_words(len(data))}, takes about {size_in_words(_BESIDES * size)}"
            )
            raise too_large(where, unpack_limit(), what)
        return scan.select(_among(named, columns)).collect()


def parquet_batches(data: bytes, where: str, columns: Collection[str], rows: int) -> Iterator[tuple[int, pl.DataFrame]]:
    """So many rows of a Parquet file at a time, each with the number of rows before; of other columns only the names.

    The case of names does not matter.

    Examples
    --------
    >>> file = io.BytesIO()
    >>> pl.DataFrame({"Grades": [[1], [0], [2]], "id": ["a", "b", "c"]}).write_parquet(file)
    >>> [(start, table.rows()) for start, table in parquet_batches(file.getvalue(), "pages.parquet", ["grades"], 2)]
    [(0, [([1], None), ([0], None)]), (2, [([2], None)])]
    """
    with _explained(where), _without_last_words():
        named = list(pl.read_parquet_schema(io.BytesIO(data)))
        wanted = [name for name in named if name.strip().lower() in columns]
        _refuse_large(size_of_parquet(data, wanted), where)
        height = pl.scan_parquet(io.BytesIO(data)).select(pl.len()).collect().item()
    shown = [pl.col(name) if name in wanted else pl.lit(None).alias(name) for name in named]
    for start in range(0, height, rows):
        with _explained(where), _without_last_words():
            table = pl.scan_parquet(io.BytesIO(data)).select(wanted).slice(start, rows).collect()
        nothing = pl.DataFrame({name: [None] * min(rows, height - start) for name in named})
        yield start, table.select(shown) if wanted else nothing


def _among(named: Iterable[str], columns: Collection[str] | None) -> list[str]:
    return [name for name in named if columns is None or name in columns]


@contextmanager
def _explained(where: str) -> Iterator[None]:
    try:
        yield
    except MetameterError:
        raise
    except (pl.exceptions.PolarsError, _PANIC, OSError, ValueError, LookupError, TypeError, AttributeError):
        what, fix = "the Parquet file is damaged or cut short", "Fetch or write the file again."
        raise MetameterError(what, where=where, fix=fix) from None


def _refuse_large(size: int, where: str) -> None:
    if size > unpack_limit():
        raise too_large(where, unpack_limit(), f"the Parquet file unpacks to {size_in_words(size)}")
    room = memory_left()
    if _BESIDES * size > room:
        # Where memory is short, Polars does not raise an error: it ends the process.
        needed, there = size_in_words(_BESIDES * size), size_in_words(int(room))
        what = f"there is not enough memory to read the Parquet file: it takes about {needed}"
        raise MetameterError(what, where=where, allowed=f"{there} are left", fix="Allow this process more memory.")


@contextmanager
def _without_last_words() -> Iterator[None]:
    """Keep what Polars prints when it panics off standard error; everything else is passed on at the end."""
    with _one_at_a_time, ExitStack() as opened:
        try:
            said, kept = opened.enter_context(_scratch()), os.dup(_STDERR)
        except OSError:  # it is closed, or nothing can be written anywhere: then Polars says what it says
            yield
            return
        os.dup2(said.fileno(), _STDERR)
        panicked = False
        try:
            yield
        except _PANIC:
            panicked = True
            raise
        finally:
            os.dup2(kept, _STDERR)
            os.close(kept)
            if not panicked:
                _pass_on(said)


def _scratch() -> IO[bytes]:
    """A file without a name: in memory where the system has that, as no folder may be writable."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("said"), "w+b")
    return tempfile.TemporaryFile()


def _pass_on(said: IO[bytes]) -> None:
    said.seek(0)
    with suppress(OSError):
        os.write(_STDERR, said.read())
