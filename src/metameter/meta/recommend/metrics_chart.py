"""Stand-in."""

from __future__ import annotations

from typing import Any


def metrics_chart(table: Any) -> Any:
    """All metrics: consistency against power."""
    from metameter.view.charts import scatter

    return scatter(table, "consistency", "power", "metric", "front", title="All metrics")
