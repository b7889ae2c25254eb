"""Results of a study's stage: tables of one collection, without a column for it, which the study adds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from metameter.meta.framework.table_rows import ALL, without_repeats

if TYPE_CHECKING:
    import polars as pl

    from metameter.view.result import Result


MOST_SHOWN = 60
_LESS_READ = ("cases", "p_topics", "p_topics_se", "p_table_se", "close_call")

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


def at_a_glance(table: pl.DataFrame, alpha: float = 0.05) -> pl.DataFrame:
    """The rows of the last iteration, or for all of them; of many pairs those with p_table below alpha.

    Parameters
    ----------
    table : polars.DataFrame
        With a column ``iteration``.
    alpha : float

    Examples
    --------
    >>> import polars as pl
    >>> at_a_glance(pl.DataFrame({"iteration": [1, 2], "cases": [3, 3], "p_table": [0.5, 0.5]})).rows()
    [(2, 0.5)]
    >>> at_a_glance(pl.DataFrame({"iteration": ["1", "2", "All"], "rank": [1, 2, 3]})).rows()
    [('All', 3)]
    """
    import polars as pl

    table = without_repeats(table)
    numbered = table.schema["iteration"].is_integer()
    whole = pl.col("iteration") == (pl.col("iteration").max() if numbered else pl.lit(ALL))
    rows = table.filter(whole) if numbered or (table["iteration"] == ALL).any() else table
    if "p_table" not in rows.columns:
        return rows
    if rows.height > MOST_SHOWN:
        sure = rows.filter(pl.col("p_table") < alpha)
        rows = (sure if sure.height else rows).head(MOST_SHOWN)
    single = ["collection"] if "collection" in rows.columns and rows["collection"].n_unique() < 2 else []
    return rows.drop(*_LESS_READ, *single, strict=False)
