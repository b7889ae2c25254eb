"""Parquet files: measured before they are read, and read so that a damaged one is an error like any other."""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

import polars as pl
from polars import selectors as cs

from metameter.errors import MetameterError
from metameter.read.files.limits import memory_left, size_in_words, too_large, unpack_limit
from metameter.read.parquet_notes import notes_of

# What Polars prints when it panics goes to standard error, which belongs to the whole process: it is not redirected.
# The notes of a file are checked before, so that few damaged files get that far.
_PANIC = pl.exceptions.PanicException
# Polars has decimals of so many digits at most.
_DIGITS = 38
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
    """
    return chosen_columns(data, where, lambda named: columns)


def chosen_columns(data: bytes, where: str, choose: Callable[[Sequence[str]], Collection[str] | None]) -> pl.DataFrame:
    """The columns of a Parquet file that are chosen from the names of all; None chooses all."""
    with _explained(where):
        notes = notes_of(data)
        scan = pl.scan_parquet(io.BytesIO(data))
        schema = scan.collect_schema()
        columns = choose(schema.names())
        size = notes.size(data, columns)
        _check_size(size, data, where)
        _check_digits(schema, columns, where)
        table = scan.select(_among(schema.names(), columns)).collect()
        # Rows may share one long text, which each of them gets for itself later on.
        texts = table.select(cs.string().str.len_bytes().cast(pl.UInt64).sum())
        _check_size(size + sum(filter(None, texts.row(0))) if texts.width else size, data, where)
        return table


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


def _check_digits(schema: pl.Schema, columns: Collection[str] | None, where: str) -> None:
    for name in _among(schema.names(), columns):
        kind = schema[name]
        if isinstance(kind, pl.Decimal) and kind.precision > _DIGITS:
            what = f"the column {name} holds decimals of {kind.precision} digits"
            fix = "Write the column as float64."
            raise MetameterError(what, where=where, allowed=f"at most {_DIGITS} digits", fix=fix)


def _check_size(size: int, data: bytes, where: str) -> None:
    """Refuse a file of which so many bytes are to be read, if these are too many."""
    limit, needed, room = unpack_limit(), _BESIDES * size, memory_left()
    if size > limit:
        raise too_large(where, limit, f"the Parquet file unpacks to {size_in_words(size)}")
    if needed > room:
        # Where memory is short, Polars does not raise an error: it ends the process.
        what = f"there is not enough memory to read the Parquet file: it takes about {size_in_words(needed)}"
        left = f"{size_in_words(int(room))} are left"
        raise MetameterError(what, where=where, allowed=left, fix="Allow this process more memory.")
    if needed > limit and size > _CREDIBLE * len(data):
        # A few bytes may stand for millions of equal rows; each of them takes room besides what it unpacks to.
        what = f"reading the Parquet file, of {size_in_words(len(data))}, takes about {size_in_words(needed)}"
        raise too_large(where, limit, what)
