"""Results of a study's stage: tables without a column for the collection, which the study adds."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from metameter.view.result import Result

__all__ = ["without_collection"]

R = TypeVar("R", bound=Result)


def without_collection(result: R) -> R:
    """The result with tables that do not name the collection.

    Examples
    --------
    >>> import polars as pl
    >>> without_collection(Result({"t": pl.DataFrame({"collection": ["a"], "p": [0.5]})})).table.columns
    ['p']
    """
    return replace(result, tables={name: table.drop("collection") for name, table in result.tables.items()})
