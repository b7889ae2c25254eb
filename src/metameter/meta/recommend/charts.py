"""The charts of `recommend`: all metrics, gains in consistency and power, and thirds of the topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.recommend.metrics_chart import metrics_chart
from metameter.meta.recommend.pareto_chart import pareto_chart
from metameter.meta.recommend.thirds_chart import tercile_chart

if TYPE_CHECKING:
    import polars as pl

__all__ = ["recommendation_charts"]


def recommendation_charts(tables: dict[str, pl.DataFrame]) -> dict[str, Any]:
    """All metrics side by side, gains over each reference, and hard to easy topics; each unless it is empty."""
    import polars as pl

    from metameter.meta.recommend.comparisons import BY_NAME

    # Metrics held against each other have no one reference that a panel could be about: the first chart is theirs.
    held = tables["recommendation"].filter(pl.col("group") != BY_NAME)
    terciles = tables["recommendation_terciles"]
    metrics = tables["metrics"]
    # A study of an earlier version has no such column.
    metrics = metrics.filter(~pl.col("diagnostic")) if "diagnostic" in metrics.columns else metrics
    drawn = {"metrics": metrics_chart(metrics)} if metrics.height else {}
    drawn |= {"recommendation": pareto_chart(held)} if held.height else {}
    return drawn | ({"recommendation_terciles": tercile_chart(terciles)} if terciles.height else {})
