"""Rows that are listed twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from metameter.errors import MetameterError

__all__ = ["refuse_repeats"]


def refuse_repeats(table: pl.DataFrame, key: Sequence[str], place: Callable[[int], str]) -> None:
    """Refuse a second row for the same key; the message says where both stand.

    Examples
    --------
    >>> refuse_repeats(pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "a"]}), ("topic", "doc"), "q:{}".format)
    Traceback (most recent call last):
    metameter.errors.MetameterError: q:1: topic '1', doc 'a' is listed twice, first at q:0. Remove one of them.
    """
    repeated = (~table.select(pl.struct(key).is_first_distinct()).to_series()).arg_true()
    if not repeated.len():
        return
    second = int(repeated[0])
    values = table.select(key).row(second, named=True)
    same = pl.all_horizontal(pl.col(name) == value for name, value in values.items())
    first = int(table.select(same.arg_true().first()).item())
    what = ", ".join(f"{name} {_shown(value)}" for name, value in values.items())
    raise MetameterError(
        f"{what} is listed twice, first at {place(first)}", where=place(second), fix="Remove one of them."
    )


def _shown(value: str | float) -> str:
    return f"{value:g}" if isinstance(value, float) else repr(value)
