"""The charts of `consistency`: metrics in order with intervals, and how their means converged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.framework.metric_charts import aggregation_colours, ordered_metrics
from metameter.meta.framework.metric_groups import short_names

if TYPE_CHECKING:
    import polars as pl


def consistency_chart(table: pl.DataFrame) -> Any:
    """Mean tau with intervals for other topics, the most consistent metric first."""
    title = "Do halves of the topics rank the systems alike? Mean tau, 95% for other topics"
    return ordered_metrics(table, "mean_tau", "low", "high", title=title)


def convergence_chart(table: pl.DataFrame, convergence: pl.DataFrame) -> Any:
    """Each mean tau after increasing numbers of splits, one panel per group.

    Parameters
    ----------
    table, convergence : polars.DataFrame
        The tables ``consistency`` and ``consistency_convergence``.
    """
    import polars as pl

    from metameter.view import charts

    return charts.convergence(
        convergence.with_columns(pl.col("metric").replace(_labels(table))),
        *("splits", "mean_tau", "se", "metric", "group"),
        title="How the mean tau converged. Grey: 95% interval of the least certain metric",
        colours=aggregation_colours,
    )


def _labels(table: pl.DataFrame) -> dict[str, str]:
    """Metric -> its short name within its group."""
    parts = table.partition_by("group", maintain_order=True)
    members = ((part["metric"].to_list(), str(part["group"][0])) for part in parts)
    pairs = (zip(names, short_names(names, group), strict=True) for names, group in members)
    return {name: short for group in pairs for name, short in group}
