"""Metrics in order, with intervals: canonical ones as stars, and all in the colours of their aggregations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.framework.colours import aggregation_colours
from metameter.meta.framework.metric_groups import aggregation_of, is_canonical, product_of

if TYPE_CHECKING:
    import polars as pl


# Metrics that are no products have no aggregation, and are ink.
_SERIES, _OTHER = "aggregation", "other metrics"


def ordered_metrics(table: pl.DataFrame, value: str, low: str, high: str, *, title: str) -> Any:
    """One row per metric, the highest value first.

    Parameters
    ----------
    table : polars.DataFrame
        With a column ``metric``.
    value, low, high : str
        Its columns: a value and the ends of its interval.
    title : str
    """
    import polars as pl

    from metameter.view.charts import ordered_intervals

    metrics = table["metric"].to_list()
    labels = [metric + " (canonical)" * is_canonical(metric) for metric in metrics]
    series = [aggregation_of(metric) if product_of(metric) else _OTHER for metric in metrics]
    named = pl.Series("metric", labels, dtype=pl.String), pl.Series(_SERIES, series, dtype=pl.String)
    return ordered_intervals(
        table.select(*named, value, low, high),
        *("metric", value, low, high),
        title=title,
        series=_SERIES if set(series) != {_OTHER} else None,
        colours=aggregation_colours,
        reference=[label for label in labels if label.endswith(" (canonical)")],
    )
