"""A run is one system: a table of several is refused rather than merged."""

from __future__ import annotations

import polars as pl

from metameter.errors import MetameterError
from metameter.read.columns import find_column

__all__ = ["one_system"]

_SHOWN = 3


def one_system(table: pl.DataFrame, where: str) -> str | None:
    """The system that the rows of a run name; None if no column does. Several are refused.

    Examples
    --------
    >>> one_system(pl.DataFrame({"doc": ["d1", "d2"], "name": ["BM25", "BM25"]}), "run")
    'BM25'
    >>> one_system(pl.DataFrame({"doc": ["d1", "d1"], "name": ["BM25", "QL"]}), "runs.csv")
    Traceback (most recent call last):
    metameter.errors.MetameterError: runs.csv: 2 systems are in the column name (given 'BM25, QL', allowed: one system).
    Give each system a file of its own; in Python, the data frame itself is split by that column.
    """
    column = find_column("system", table.columns, where)
    # What is neither text nor a number names nothing.
    if column is None or table[column].dtype.is_nested() or isinstance(table[column].dtype, pl.Object | pl.Duration):
        return None
    named = _named_in(table[column])
    if len(named) <= 1:
        return named[0] or None if named else None
    further = ", ..." if len(named) > _SHOWN else ""
    raise MetameterError(
        f"{len(named)} systems are in the column {column}",
        where=where,
        given=", ".join(named[:_SHOWN]) + further,
        allowed="one system",
        fix="Give each system a file of its own; in Python, the data frame itself is split by that column.",
    )


def _named_in(column: pl.Series) -> list[str]:
    # To compare all with the first takes a fraction of the time of finding the distinct ones.
    if column.dtype == pl.String and column.len() and not column.null_count() and (column == column[0]).all():
        return [column[0]]
    return column.unique(maintain_order=True).cast(pl.String, strict=False).fill_null("").to_list()
