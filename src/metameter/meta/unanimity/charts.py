"""The chart of `unanimity`: how metrics rank as sessions go on."""

from __future__ import annotations

from metameter.meta.ranking_charts import ranking_chart

__all__ = ["ranking_chart"]
