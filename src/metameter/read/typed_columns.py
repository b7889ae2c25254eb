"""A table from elsewhere (Parquet, a data frame) made into ours: right columns, right types, nothing missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite

import polars as pl

from metameter.errors import MetameterError
from metameter.read.columns import find_column, with_our_names
from metameter.read.one_system import one_system
from metameter.read.parquet import chosen_columns
from metameter.read.separated import separated_cells
from metameter.utf8 import in_utf8

__all__ = ["holds_numbers", "names_in", "names_of", "read_headed", "read_parquet", "typed_columns"]


def read_parquet(data: bytes, texts: tuple[str, ...], numbers: tuple[str, ...], where: str) -> pl.DataFrame:
    """The wanted columns of a Parquet file.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> pl.DataFrame({"topic": [401], "doc": ["d1"], "grade": [1]}).write_parquet(file)
    >>> read_parquet(file.getvalue(), ("topic", "doc"), ("grade",), "qrels.parquet").rows()
    [('401', 'd1', 1.0)]
    """

    def choose(there: Sequence[str]) -> list[str] | None:
        system = find_column("system", there, where) if "score" in numbers else None
        wanted = [*texts, *numbers, *([system] if system else [])]
        # With other names all are read; also for the message, which says what is there instead.
        return wanted if set(wanted) <= set(there) else None

    return typed_columns(chosen_columns(data, where, choose), texts, numbers, where)


def read_headed(
    data: bytes, texts: tuple[str, ...], numbers: tuple[str, ...], where: str
) -> tuple[pl.DataFrame, Sequence[int]]:
    r"""The wanted columns of comma- or tab-separated text with a header, and the line of each row.

    Examples
    --------
    >>> beir = b"query-id\tcorpus-id\tscore\n1\td1\t2\n"
    >>> table, lines = read_headed(beir, ("topic", "doc"), ("grade",), "qrels.tsv")
    >>> table.rows(), list(lines)
    ([('1', 'd1', 2.0)], [2])
    """
    names, cells, lines = separated_cells(data, where)
    named = [in_utf8(name.strip(' "')) for name in names]
    twice = next((name for place, name in enumerate(named) if name in named[:place]), None)
    if twice is not None:
        raise MetameterError(f"the header names {twice!r} twice", where=where, fix="Rename one of the columns.")
    table = cells.rename(dict(zip(cells.columns, named, strict=True)))
    return typed_columns(table, texts, numbers, where, lambda row: f"{where}:{lines[row]}"), lines


def typed_columns(
    table: pl.DataFrame,
    texts: tuple[str, ...],
    numbers: tuple[str, ...],
    where: str,
    place: Callable[[int], str] | None = None,
) -> pl.DataFrame:
    """The wanted columns as String and Float64, whatever `columns.SPELLINGS` they have.

    A missing cell, or one that is not a finite number, is refused. A name that is a whole number is its digits, also
    where pandas made it a float. Where the rows of a run name their system, it is the column ``tag``.

    Examples
    --------
    >>> typed_columns(pl.DataFrame({"topic": [401]}), ("topic",), ("grade",), "table")
    Traceback (most recent call last):
    metameter.errors.MetameterError: table: the column grade is missing (given 'topic', allowed: topic (or query_id,
    qid, q_id, topic_id, query), grade (or relevance, label, rel)). Give the columns these names.
    >>> typed_columns(pl.DataFrame({"qid": [401.0, 402.0]}), ("topic",), (), "table").rows()
    [('401',), ('402',)]
    """
    wanted = texts + numbers
    system = one_system(table, where) if "score" in numbers else None
    table = with_our_names(table, wanted, where)
    if not table.height:
        raise MetameterError("the table is empty", where=where, fix=f"Give rows with {', '.join(wanted)}.")
    at = place or (lambda row: f"{where}: row {row + 1}")
    casts = [_cast(table[name], pl.String, where, at) for name in texts]
    casts += [_cast(table[name], pl.Float64, where, at) for name in numbers]
    tag = [] if system is None else [pl.Series("tag", [system]).new_from_index(0, table.height)]
    return pl.DataFrame([*casts, *tag])


def _cast(column: pl.Series, dtype: type[pl.DataType], where: str, place: Callable[[int], str]) -> pl.Series:
    name = column.name
    if dtype == pl.String:
        cast = names_of(column, where)
    elif holds_numbers(column.dtype):
        cast = column.cast(dtype, strict=False)
    else:
        raise _wrong_type(column, dtype, where)
    if _is_whole(cast):
        return cast
    bad = cast.is_null() if dtype == pl.String else ~(cast.is_finite().fill_null(False))
    if bad.any():
        row = bad.arg_max() or 0
        raise MetameterError(
            f"the {name} is missing or not a {'name' if dtype == pl.String else 'finite number'}",
            where=place(row),
            given=column[row],
            fix=f"Correct the {name}, or leave the row out.",
        )
    return cast


def _is_whole(cast: pl.Series) -> bool:
    """Whether nothing is missing and every number is finite, as far as one sum tells; False if each must be seen."""
    # What is added to an infinity or NaN stays one of them; but large numbers, too, may add up to an infinity.
    return not cast.null_count() and (cast.dtype == pl.String or isfinite(cast.sum()))


def names_in(column: pl.Series) -> pl.Series:
    """The cells as texts: a whole number is its digits, also where it is a float; NaN is missing.

    Examples
    --------
    >>> names_in(pl.Series([401.0, 1.5, float("nan")])).to_list()
    ['401', '1.5', None]
    """
    if column.dtype.is_decimal():
        return column.cast(pl.String).str.replace(r"\.0+$", "")
    if not column.dtype.is_float():
        return column.cast(pl.String, strict=False)
    # Whole numbers beside missing ones are floats in pandas; NaN is what is missing.
    whole = column.cast(pl.Int64, strict=False)
    whole = whole.set(whole.cast(column.dtype) != column, None)
    return whole.cast(pl.String).fill_null(column.fill_nan(None).cast(pl.String))


def names_of(column: pl.Series, where: str) -> pl.Series:
    """The same of a column that may have any type; one that holds no names (lists, durations) is refused.

    Examples
    --------
    >>> names_of(pl.Series("topic", [[401]]), "scores")
    Traceback (most recent call last):
    metameter.errors.MetameterError: scores: the column topic has the wrong type (given 'List(Int64)'). Give text in
    that column.
    """
    if _is_text(column.dtype):
        try:
            return names_in(column)
        except pl.exceptions.PolarsError:
            pass
    raise _wrong_type(column, pl.String, where)


def holds_numbers(dtype: pl.DataType) -> bool:
    """Whether a column may hold numbers: a date is none, although it is stored as one.

    Examples
    --------
    >>> [holds_numbers(dtype()) for dtype in (pl.Int8, pl.Decimal, pl.String, pl.Date, pl.Duration, pl.Binary)]
    [True, True, True, False, False, False]
    """
    return dtype.is_numeric() or isinstance(dtype, pl.Boolean | pl.String | pl.Null)


def _is_text(dtype: pl.DataType) -> bool:
    return not (dtype.is_nested() or isinstance(dtype, pl.Object | pl.Duration))


def _wrong_type(column: pl.Series, dtype: type[pl.DataType], where: str) -> MetameterError:
    return MetameterError(
        f"the column {column.name} has the wrong type",
        where=where,
        given=str(column.dtype),
        fix=f"Give {'text' if dtype == pl.String else 'numbers'} in that column.",
    )
