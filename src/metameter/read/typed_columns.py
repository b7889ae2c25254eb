"""A table from elsewhere (Parquet, a data frame) made into ours: right columns, right types, nothing missing."""

from __future__ import annotations

import polars as pl

from metameter.errors import MetameterError
from metameter.read.parquet import parquet_table

__all__ = ["holds_numbers", "read_parquet", "typed_columns"]


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
    table = parquet_table(data, where, texts + numbers)
    if len(table.columns) < len(texts + numbers):
        table = parquet_table(data, where)  # for the message, which says what is there instead
    return typed_columns(table, texts, numbers, where)


def typed_columns(table: pl.DataFrame, texts: tuple[str, ...], numbers: tuple[str, ...], where: str) -> pl.DataFrame:
    """The wanted columns as String and Float64; a missing cell, or one that is not a finite number, is refused.

    Examples
    --------
    >>> typed_columns(pl.DataFrame({"topic": [401]}), ("topic",), ("grade",), "table")
    Traceback (most recent call last):
    metameter.errors.MetameterError: table: the column grade is missing (given 'topic', allowed: topic, grade). Give the
    columns these names.
    """
    wanted = texts + numbers
    for name in wanted:
        if name not in table.columns:
            raise MetameterError(
                f"the column {name} is missing",
                where=where,
                given=", ".join(table.columns),
                allowed=", ".join(wanted),
                fix="Give the columns these names.",
            )
    if not table.height:
        raise MetameterError("the table is empty", where=where, fix=f"Give rows with {', '.join(wanted)}.")
    casts = [_cast(table, name, pl.String, where) for name in texts]
    casts += [_cast(table, name, pl.Float64, where) for name in numbers]
    return pl.DataFrame(casts)


def _cast(table: pl.DataFrame, name: str, dtype: type[pl.DataType], where: str) -> pl.Series:
    column = table[name]
    if not (_is_text(column.dtype) if dtype == pl.String else holds_numbers(column.dtype)):
        raise _wrong_type(column, dtype, where)
    try:
        cast = column.cast(dtype, strict=False)
    except pl.exceptions.PolarsError:
        raise _wrong_type(column, dtype, where) from None
    bad = cast.is_null() if dtype == pl.String else ~(cast.is_finite().fill_null(False))
    if bad.any():
        row = bad.arg_max() or 0
        raise MetameterError(
            f"the {name} is missing or not a {'name' if dtype == pl.String else 'finite number'}",
            where=f"{where}: row {row + 1}",
            given=column[row],
            fix=f"Correct the {name}, or leave the row out.",
        )
    return cast


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
