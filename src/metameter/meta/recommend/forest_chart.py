"""The same comparisons on several collections: which differences are found in all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from metameter.meta.framework.verdicts import DIFFERENCES, IDENTICAL, VERDICT_COLUMN

if TYPE_CHECKING:
    import polars as pl


MOST_ROWS = 20
_SIDES = {
    "difference in consistency": ("consistency_difference", "consistency_low", "consistency_high"),
    "difference in power": ("power_difference", "power_low", "power_high"),
}
_TITLE = "Differences from the reference on each collection, with simultaneous 95% intervals"


def forest_chart(tables: Mapping[str, pl.DataFrame], most: int = MOST_ROWS) -> Any:
    """The comparisons that gave a verdict on some collection first, then the others, at most `most` of them.

    Comparisons of identical metrics, which differ in nothing, are left out.

    Parameters
    ----------
    tables : mapping of polars.DataFrame
        By collection, the table ``recommendation``.
    most : int
        How many comparisons are drawn.

    Returns
    -------
    altair.ConcatChart or None
        None if there are fewer than two collections, or nothing to compare.
    """
    import polars as pl

    from metameter.view.charts import forest

    stacked = [_lines(table, name) for name, table in tables.items() if table.height]
    if len(stacked) < 2:
        return None
    frame = pl.concat(stacked, how="diagonal_relaxed").filter(pl.col("verdict") != IDENTICAL)
    rows = _chosen(frame)
    if not rows:
        return None
    place = {row: i for i, row in enumerate(rows[:most])}
    kept = frame.filter(pl.col("row").is_in(list(place)))
    order = pl.col("row").replace_strict(place, return_dtype=pl.Int64)
    left = len(rows) - len(place)
    title = _TITLE + (f"; {left} more comparisons stand in the table" if left else "")
    return forest(kept.sort(order, maintain_order=True), "row", "collection", _SIDES, VERDICT_COLUMN, title=title)


def _lines(table: pl.DataFrame, name: str) -> pl.DataFrame:
    import polars as pl

    close = pl.col("close_call").fill_null(False) if "close_call" in table.columns else pl.lit(False)
    numbers = [column for side in _SIDES.values() for column in side]
    row = pl.format("{}\nvs {}", "metric", "canonical").alias("row")
    return table.select(row, pl.lit(name).alias("collection"), *numbers, "verdict", close.alias("close_call"))


def _chosen(frame: pl.DataFrame) -> list[str]:
    """The rows: the best news first, those that are news on most collections before others; else as they come."""
    import polars as pl

    news = {verdict: place for place, verdict in enumerate(DIFFERENCES)}
    rank = pl.col("verdict").replace_strict(news, default=len(news), return_dtype=pl.Int64)
    found = pl.col("verdict").is_in(DIFFERENCES).sum()
    counted = frame.group_by("row", maintain_order=True).agg(rank.min().alias("news"), found.alias("found"))
    return counted.sort("news", "found", descending=[False, True], maintain_order=True)["row"].to_list()
