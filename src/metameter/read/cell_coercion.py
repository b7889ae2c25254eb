"""Coercion of Python names and numbers to what a table can hold: valid UTF-8 and 64 bits."""

from __future__ import annotations

from datetime import date, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.errors import MetameterError, in_utf8

if TYPE_CHECKING:
    import polars as pl


#: Polars would take them for the number of their days or microseconds.
TIMES = (date, time, timedelta, np.datetime64, np.timedelta64)
_SCALAR = (str, bytes, bool, np.bool_, *TIMES)
_NESTED = (list, tuple, dict, np.ndarray)
#: No column holds whole numbers that are larger.
_WIDEST = 2**127


def name_of(value: Any, what: str) -> str:
    """The text for the name of a topic or a document, in UTF-8."""
    if value is None or value != value:  # NaN is what pandas puts where nothing was
        raise MetameterError(f"a {what} has no name", given=str(value), fix="Name it, or leave it out.")
    try:
        if isinstance(value, bool | np.bool_):
            return str(bool(value)).lower()
        return in_utf8(str(int(value) if is_number(value) and value == int(value) else value))
    except OverflowError:  # infinity
        return str(value)
    except ValueError:
        fix = f"Give each {what} as a text."
        raise MetameterError(f"a {what} has more digits than can be written", given=value, fix=fix) from None


def is_number(value: Any) -> bool:
    """Whether this is a number; durations of NumPy are not."""
    return isinstance(value, Real | Decimal) and not isinstance(value, np.timedelta64)


def number_of(value: Any, what: str) -> float | None:
    """A number as a float, None where it is missing; anything else is refused."""
    if value is None:
        return None
    if not is_number(value):
        raise MetameterError(f"a {what} is not a number", given=value, fix=f"Give {what}s as numbers.")
    try:
        return float(value)
    except OverflowError:
        fix = f"Give {what}s that a float can hold, below 1e308."
        raise MetameterError(f"a {what} is too large a number", given=value, fix=fix) from None


def _storable(cell: Any, what: str) -> Any:
    """A cell of a data frame, or a list in one; an integer too wide for a column becomes its digits."""
    if isinstance(cell, list | tuple):
        return [_storable(item, what) for item in cell]
    if isinstance(cell, str):
        return in_utf8(cell)
    wide = isinstance(cell, int) and not -_WIDEST <= cell < _WIDEST
    return name_of(cell, what) if wide else cell


def column_of(name: str, cells: list[Any]) -> pl.Series:
    """A column of cells of any types; where texts, numbers and dates are mixed, all become texts.

    Polars would drop cells that differ from the first one, or take a number for a date.
    """
    import polars as pl

    types = set(map(type, cells))
    if types <= {str} or types <= {float}:
        try:
            return pl.Series(name, cells)
        except UnicodeEncodeError:  # half a character
            pass
    cells = [_storable(cell, name) for cell in cells]
    present = [cell for cell in cells if cell is not None]
    kinds = {str if isinstance(cell, str) else float if is_number(cell) else type(cell) for cell in present}
    plain = all(kind is float or issubclass(kind, _SCALAR) for kind in kinds)
    if plain and (len(kinds) > 1 or kinds & {np.datetime64, np.timedelta64}):
        return pl.Series(name, [None if cell is None or cell != cell else name_of(cell, name) for cell in cells])
    try:
        if plain or all(issubclass(kind, _NESTED) for kind in kinds):
            return pl.Series(name, cells, strict=False)
    except pl.exceptions.PolarsError:
        pass
    return pl.Series(name, cells, pl.Object)
