"""The charts of `power` beside its curves: metrics in order, and how their power settled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.convergence import convergence_chart
from metameter.meta.groups import group_of, is_canonical
from metameter.meta.power.curves import curve_labels

if TYPE_CHECKING:
    import polars as pl

    from metameter.stats.checks import Floats

__all__ = ["ordered_chart", "settling_chart"]


def ordered_chart(table: pl.DataFrame, column: str, name: str, title: str) -> Any:
    """A column with its Monte-Carlo error, the metric with the highest value first."""
    import polars as pl

    from metameter.view.charts import ordered_intervals

    error = 1.96 * pl.col(f"{column}_error").fill_null(0.0)
    metrics = table["metric"].to_list()
    frame = table.select(
        pl.Series("metric", [metric + " (canonical)" * is_canonical(metric) for metric in metrics]),
        pl.col(column).alias(name),
        (pl.col(column) - error).alias("low"),
        (pl.col(column) + error).alias("high"),
        pl.Series("browsing model", [group_of(metric) for metric in metrics]),
    )
    return ordered_intervals(frame, "metric", name, "low", "high", "browsing model", title=title)


def settling_chart(metrics: list[str], falling: Floats, settling: pl.DataFrame) -> Any:
    """Power after the first so many trials; metrics with the same curve of p-values once."""
    import polars as pl

    labels = [
        (metrics[alike[0]], panel, label)
        for panel, names in curve_labels(metrics, falling).items()
        for label, alike in names.items()
    ]
    shown = pl.DataFrame(labels, schema=["metric", "panel", "label"], orient="row")
    frame = shown.join(settling, on="metric", maintain_order="left").drop("metric").rename({"label": "metric"})
    columns = ("trials", "power", "power_error", "metric", "panel")
    return convergence_chart(frame, *columns, title="Power after the first so many trials")
