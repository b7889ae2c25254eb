"""What charts of metrics share: the colour of each aggregation, and rows of metrics in order of a value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.meta.framework.metric_names import aggregation_of, is_canonical, product_of
from metameter.registry import find

if TYPE_CHECKING:
    import polars as pl


# "PE(beta=0.5)* = fin" begins with an aggregation, "ERR*ERR@10" with a browsing model.
_FIRST = re.compile(r"(\w+)(\([^)]*\))?\*?(?= |$)")

_SERIES = "aggregation"
#: Metrics without an aggregation, which are drawn in ink.
OTHER = "other metrics"


def aggregation_colours(labels: Sequence[str]) -> list[str]:
    """Return the colours of labels that begin with an aggregation; ink and greys for the others.

    Aggregations that differ only in a parameter have the same colour and differently dashed lines.

    Examples
    --------
    >>> aggregation_colours(["max", "ERG (canonical) = ETG"]) == aggregation_colours(["max", "ERG"])
    True
    >>> aggregation_colours(["AP", "ERR*ERR@10", "max"])
    ['#222222', '#6B6B6B', '#B8B80A']
    """
    from metameter.view.charts.theme import PALETTE, SERIES

    positions = [_palette_position(label) for label in labels]
    colours = []
    for position in positions:
        if position is not None and position < len(PALETTE):
            colours.append(PALETTE[position])
        else:
            colours.append(SERIES[sum(each in SERIES for each in colours) % len(SERIES)])
    return colours


def _palette_position(label: str) -> int | None:
    first = _FIRST.match(label)
    aggregation = find("aggregate", first[1]) if first else None
    position: int | None = None if aggregation is None else aggregation.colour
    return position


def aggregation_series(metrics: Sequence[str]) -> list[str]:
    """Return the aggregation of each metric; ``other metrics`` for those without one.

    Examples
    --------
    >>> aggregation_series(["RBP(p=0.8)*max", "AP"])
    ['max', 'other metrics']
    """
    return [aggregation_of(metric) if product_of(metric) else OTHER for metric in metrics]


def ordered_metrics(table: pl.DataFrame, value: str, low: str, high: str, *, title: str) -> Any:
    """Return a chart with one row per metric, the highest value first.

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
    series = aggregation_series(metrics)
    named = pl.Series("metric", labels, dtype=pl.String), pl.Series(_SERIES, series, dtype=pl.String)
    return ordered_intervals(
        table.select(*named, value, low, high),
        *("metric", value, low, high),
        title=title,
        series=_SERIES if set(series) != {OTHER} else None,
        colours=aggregation_colours,
        reference=[label for label in labels if label.endswith(" (canonical)")],
    )
