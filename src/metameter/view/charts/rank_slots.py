"""Where ranks stand in a bump chart: a place for every series in every column, whether it shares its rank or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

__all__ = ["SLOT", "leading", "slots", "ties"]

#: The column that is added: the place from the top.
SLOT = "place"


def slots(frame: pl.DataFrame, x: str, rank: str, series: str, columns: Sequence[Any]) -> pl.DataFrame:
    """The rows with their places: by rank; among equals as in the column before, so that lines cross only if they must.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"turn": [1, 1, 2, 2], "metric": ["a", "b"] * 2, "rank": [2, 1, 1, 1]})
    >>> slots(frame, "turn", "rank", "metric", [1, 2]).rows()
    [(1, 'b', 1, 1), (1, 'a', 2, 2), (2, 'b', 1, 1), (2, 'a', 1, 2)]
    """
    import polars as pl

    known = frame.filter(pl.col(rank).is_not_null())
    # In the first column equals stand as they rank on the whole.
    before = {name: place for place, name in enumerate(leading(known, rank, series))}
    rows: list[dict[str, Any]] = []
    for column in columns:
        found = known.filter(pl.col(x) == column).rows(named=True)
        found.sort(key=lambda row: (row[rank], before[row[series]]))
        before |= {row[series]: place for place, row in enumerate(found)}
        rows += [{**row, SLOT: place} for place, row in enumerate(found, start=1)]
    return pl.DataFrame(rows, schema={**frame.schema, SLOT: pl.Int64})


def ties(placed: pl.DataFrame, x: str, rank: str) -> pl.DataFrame:
    """From which place to which there is the same rank: a row for each rank that several series share.

    Examples
    --------
    >>> import polars as pl
    >>> ties(pl.DataFrame({"turn": [1, 1, 1], "rank": [1, 2, 2], "place": [1, 2, 3]}), "turn", "rank").rows()
    [(1, 2, 2, 3)]
    """
    import polars as pl

    ends = (pl.col(SLOT).min().alias("from"), pl.col(SLOT).max().alias("to"))
    return placed.group_by(x, rank, maintain_order=True).agg(*ends).filter(pl.col("from") < pl.col("to"))


def leading(frame: pl.DataFrame, rank: str, series: str, facet: str | None = None) -> list[Any]:
    """The series by their mean ranks in the panel that is best for them, then by those over all panels.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"set": [1, 1, 2, 2], "metric": ["a", "b"] * 2, "rank": [2, 3, 4, 1]})
    >>> leading(frame, "rank", "metric", "set"), leading(frame, "rank", "metric")
    (['b', 'a'], ['b', 'a'])
    """
    import polars as pl

    by = [series] if facet is None else [facet, series]
    means = frame.group_by(*by, maintain_order=True).agg(pl.col(rank).mean().alias("mean"))
    best = means.group_by(series, maintain_order=True).agg(
        pl.col("mean").min().alias("best"), pl.col("mean").mean().alias("whole")
    )
    return best.sort("best", "whole", nulls_last=True, maintain_order=True)[series].to_list()
