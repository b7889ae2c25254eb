"""From the distinct cells of a table to numbers: each text is read once, however many rows hold it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from metameter.parameters import LARGEST
from metameter.read.labels.values import grades_in, number_in, text_of

__all__ = ["grade_column", "is_plain_list", "label_column", "raw_column", "user_column"]

# Numbers without exponents; the digits are few enough to be read alike by everyone.
_NUMBER = r"(?:-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,17})?|null)"
_PLAIN = rf"^\[ ?(?:{_NUMBER}(?: ?, ?{_NUMBER})*)? ?\]$"
_Read = Callable[[str], tuple[Any, str | None]]


def raw_column(column: pl.Series) -> pl.Series:
    """A column as text, numbers or lists of numbers; whatever else it is, as text.

    Examples
    --------
    >>> raw_column(pl.Series([["1", None]])).to_list(), raw_column(pl.Series([[1, None]])).to_list()
    (['["1", null]'], [[1, None]])
    """
    if isinstance(column.dtype, pl.Array):
        column = column.arr.to_list()
    dtype = column.dtype
    if dtype == pl.Categorical or isinstance(dtype, pl.Enum) or dtype == pl.Null:
        return column.cast(pl.String)
    inner = dtype.inner if isinstance(dtype, pl.List) else dtype
    numeric = inner.is_numeric() or inner == pl.Boolean or (inner == pl.Null and inner is not dtype)
    if numeric or dtype == pl.String:
        return column
    seen: dict[Any, str] = {}
    return pl.Series(column.name, [text_of(value, seen) for value in column.to_list()], pl.String)


def grade_column(column: pl.Series) -> tuple[pl.Series, pl.Series]:
    """The lists of grades, null where there is none, and what stands there that is no grade.

    Examples
    --------
    >>> lists, wrong = grade_column(pl.Series(["[2, null]", "1 x", "", None]))
    >>> lists.to_list(), wrong.to_list()
    ([[2.0, None], None, None, None], [None, 'x', None, None])
    """
    if not isinstance(column.dtype, pl.List):
        texts = column.cast(pl.String)
        if not texts.null_count() and is_plain_list(texts).all():
            return _plain_lists(texts), pl.Series([None], dtype=pl.String).new_from_index(0, len(texts))
        return _each_once(texts, grades_in, pl.List(pl.Float64))
    lists = column.cast(pl.List(pl.Float64))
    if column.dtype.inner.is_integer():
        return lists, pl.Series([None], dtype=pl.String).new_from_index(0, len(lists))
    lists = lists.list.eval(pl.element() + 0.0)  # -0 is 0
    wrong = lists.list.eval(pl.element().filter(~pl.element().is_finite())).list.first().cast(pl.String)
    return lists, wrong


def is_plain_list(texts: pl.Series) -> pl.Series:
    """Which texts are lists of JSON that hold numbers and null alone."""
    return texts.str.contains(_PLAIN)


def _plain_lists(texts: pl.Series) -> pl.Series:
    """Lists of JSON that hold numbers and null alone, all at once: Python would read them one by one."""
    words = texts.str.strip_chars("[] ").str.split(",").list.eval(pl.element().str.strip_chars().replace("null", None))
    return words.list.eval(pl.element().filter(pl.element().ne_missing("")).cast(pl.Float64) + 0.0)  # -0 is 0


def label_column(column: pl.Series) -> tuple[pl.Series, pl.Series]:
    """The labels, null where there is none, and what stands there that is no number.

    Examples
    --------
    >>> labels, wrong = label_column(pl.Series(["4", "good", " "]))
    >>> labels.to_list(), wrong.to_list()
    ([4.0, None, None], [None, 'good', None])
    """
    if column.dtype == pl.String or isinstance(column.dtype, pl.List):
        texts = column if column.dtype == pl.String else column.cast(pl.List(pl.String)).list.join(" ")
        return _each_once(texts, number_in, pl.Float64)
    labels = column.cast(pl.Float64) + 0.0
    wrong = pl.select(pl.when(~(labels.abs() <= LARGEST)).then(labels.cast(pl.String))).to_series()
    return labels, wrong


def user_column(column: pl.Series) -> pl.Series:
    """Users, or other names, as text; null where there is none.

    Examples
    --------
    >>> user_column(pl.Series([1.0, None])).to_list(), user_column(pl.Series([" u1", ""])).to_list()
    (['1', None], ['u1', None])
    """
    if column.dtype.is_float():  # whole numbers become such where one of them is missing
        whole = column.is_finite() & (column == column.floor()) & (column.abs() < 2.0**53)
        numbers = pl.select(pl.when(whole).then(column).cast(pl.Int64)).to_series().cast(pl.String)
        column = numbers.fill_null(column.cast(pl.String))
    texts = raw_column(column)
    if isinstance(texts.dtype, pl.List):
        texts = texts.cast(pl.List(pl.String)).list.join(" ")
    texts = texts.cast(pl.String).str.strip_chars()
    return pl.select(pl.when(~texts.str.to_lowercase().is_in(["", "null", "none"])).then(texts)).to_series()


def _each_once(column: pl.Series, read: _Read, dtype: Any) -> tuple[pl.Series, pl.Series]:
    texts = column.unique()
    found = [(None, None) if text is None else read(text) for text in texts.to_list()]
    values = pl.Series("value", [value for value, _ in found], dtype)
    wrong = pl.Series("wrong", [wrong for _, wrong in found], pl.String)
    read_once = pl.DataFrame([texts.alias("text"), values, wrong])
    every = column.alias("text").to_frame()
    rows = every.join(read_once, on="text", how="left", nulls_equal=True, maintain_order="left")
    return rows["value"], rows["wrong"]
