"""The chart of `similarity`: a heat map with one panel per browsing model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.similarity.tables import marked_names

if TYPE_CHECKING:
    import polars as pl


def similarity_chart(table: pl.DataFrame) -> Any:
    """One square per pair of metrics of a group; the tooltip has the interval."""
    from metameter.view.charts import heat_map

    coefficient = str(table["coefficient"][0])
    return heat_map(
        _squares(table, coefficient),
        x="metric",
        y="with",
        value=coefficient,
        tooltip=("low", "high", "systems", "metric_a", "metric_b"),
        facet="group",
        title=f"How alike metrics rank the systems: {coefficient} (* canonical)",
    )


def _squares(table: pl.DataFrame, coefficient: str) -> pl.DataFrame:
    """Both halves of every matrix and its diagonal, row by row."""
    import polars as pl

    parts = [_square(part) for part in table.partition_by("group", maintain_order=True)]
    return pl.concat(parts).rename({"statistic": coefficient})


def _square(part: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    group = str(part["group"][0])
    names = pl.concat([part["metric_a"], part["metric_b"]]).unique(maintain_order=True).to_list()
    label = dict(zip(names, marked_names(names, group), strict=True))
    position = {name: number for number, name in enumerate(names)}
    mirrored = part.with_columns(metric_a=pl.col("metric_b"), metric_b=pl.col("metric_a"))
    itself = pl.DataFrame({"metric_a": names, "metric_b": names, "statistic": [1.0] * len(names)})
    whole = pl.concat([part, mirrored, itself.with_columns(group=pl.lit(group))], how="diagonal")
    return whole.sort(*(pl.col(side).replace_strict(position) for side in ("metric_b", "metric_a"))).with_columns(
        pl.col("metric_a").replace(label).alias("metric"), pl.col("metric_b").replace(label).alias("with")
    )
