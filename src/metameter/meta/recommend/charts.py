"""The charts of `recommend`: gains in consistency and power, and thirds of the topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.recommend.pareto_chart import pareto_chart
from metameter.meta.recommend.thirds_chart import tercile_chart

if TYPE_CHECKING:
    import polars as pl

__all__ = ["recommendation_charts"]


def recommendation_charts(recommendation: pl.DataFrame, terciles: pl.DataFrame) -> dict[str, Any]:
    """The Pareto front (``recommendation``) and hard to easy topics (``recommendation_terciles``), unless empty."""
    drawn = {"recommendation": pareto_chart(recommendation)} if recommendation.height else {}
    return drawn | ({"recommendation_terciles": tercile_chart(terciles)} if terciles.height else {})
