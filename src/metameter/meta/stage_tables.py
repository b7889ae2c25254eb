"""Results of a study's stage: tables of one collection, without a column for it, which the study adds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from metameter.meta.shown_rows import ALL

if TYPE_CHECKING:
    import polars as pl

    from metameter.view.result import Result

__all__ = ["without_collection"]

R = TypeVar("R", bound="Result")


def without_collection(result: R) -> R:
    """The result with tables that neither name the collection nor sum over it.

    Parameters
    ----------
    result : Result
        Of one collection. A field ``resampled`` has a column for every row of its last table.

    Examples
    --------
    >>> import polars as pl
    >>> from metameter.view.result import Result
    >>> without_collection(Result({"t": pl.DataFrame({"collection": ["a", "All"], "p": [0.5, 0.5]})})).table.rows()
    [(0.5,)]
    """
    *_, last = result.tables.values()
    resampled = getattr(result, "resampled", None)
    fields: dict[str, Any] = {} if resampled is None else {"resampled": resampled[:, _single(last)]}
    return replace(result, tables={name: _alone(table) for name, table in result.tables.items()}, **fields)


def _single(table: pl.DataFrame) -> Any:
    return np.asarray((table["collection"] != ALL).to_numpy())


def _alone(table: pl.DataFrame) -> pl.DataFrame:
    return table.filter(table["collection"] != ALL).drop("collection")
