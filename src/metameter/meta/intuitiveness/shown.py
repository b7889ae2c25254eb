"""The table of `intuitiveness` for the eye: far more rows than anybody reads, unless the sure ones are picked."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

__all__ = ["MOST_SHOWN", "at_a_glance"]

MOST_SHOWN = 60
_LESS_READ = ("cases", "p_topics", "p_topics_se", "p_table_se")


def at_a_glance(table: pl.DataFrame, alpha: float) -> pl.DataFrame:
    """The rows of the last iteration; where these are too many, those with p_table below alpha, and no more than fit.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"iteration": [1, 2], "cases": [3, 3], "p_table": [0.5, 0.5]})
    >>> at_a_glance(table, 0.05).rows()
    [(2, 0.5)]
    """
    import polars as pl

    last = table.filter(pl.col("iteration") == pl.col("iteration").max())
    sure = last.filter(pl.col("p_table") < alpha)
    rows = sure.head(MOST_SHOWN) if last.height > MOST_SHOWN and sure.height else last.head(MOST_SHOWN)
    single = ["collection"] if "collection" in rows.columns and rows["collection"].n_unique() < 2 else []
    return rows.drop(*_LESS_READ, *single, strict=False)
