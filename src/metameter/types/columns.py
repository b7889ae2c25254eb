"""Checks of the columns of tables, by name and type, and of system names."""

from __future__ import annotations

from typing import Any

from metameter.errors import MetameterError


def check_columns(
    owner: Any, texts: tuple[str, ...] = (), numbers: tuple[str, ...] = (), lists: tuple[str, ...] = ()
) -> None:
    """Refuse an object without a data frame, or with missing or mistyped columns; rows are not checked.

    Parameters
    ----------
    owner : object
        The object with the ``table``.
    texts, numbers, lists : tuple of str
        The columns that it must have.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import polars as pl
    >>> check_columns(SimpleNamespace(table=pl.DataFrame({"topic": ["401"]})), ("topic",))
    >>> check_columns(SimpleNamespace(table=pl.DataFrame({"topic": [401]})), ("topic",))
    Traceback (most recent call last):
    metameter.errors.MetameterError: SimpleNamespace: the column topic has the wrong type (given 'Int64'). Give texts in
    that column.
    """
    import polars as pl

    kind, table = type(owner).__name__, owner.table
    required = ", ".join((*texts, *numbers, *lists))
    fix = f"Give a Polars data frame with {required}."
    if not isinstance(table, pl.DataFrame):
        raise MetameterError(f"{kind}: the table is not a Polars data frame", given=type(table).__name__, fix=fix)
    schema = table.schema
    for name in (*texts, *numbers, *lists):
        if name not in schema:
            present = ", ".join(schema) or "no columns"
            raise MetameterError(f"{kind}: the column {name} is missing", given=present, allowed=required, fix=fix)
        expected = "texts" if name in texts else "numbers" if name in numbers else "lists of numbers"
        if not _holds(schema[name], expected):
            what, fix = f"{kind}: the column {name} has the wrong type", f"Give {expected} in that column."
            raise MetameterError(what, given=str(schema[name]), fix=fix)


def _holds(dtype: Any, expected: str) -> bool:
    import polars as pl

    if isinstance(dtype, pl.Null):  # a table without rows, or a column of nulls
        return True
    if expected == "texts":
        return isinstance(dtype, pl.String | pl.Categorical | pl.Enum)
    inner = dtype.inner if expected != "numbers" and isinstance(dtype, pl.List) else dtype
    return bool(inner.is_numeric()) and (inner is not dtype) == (expected != "numbers")


def check_name(owner: Any) -> None:
    """Refuse a system name that is not a text.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> check_name(SimpleNamespace(name=None))
    Traceback (most recent call last):
    metameter.errors.MetameterError: SimpleNamespace: the name is not a text (given 'None'). Give the system's name.
    """
    if not isinstance(owner.name, str):
        name = "None" if owner.name is None else owner.name
        fix = "Give the system's name."
        raise MetameterError(f"{type(owner).__name__}: the name is not a text", given=name, fix=fix)
