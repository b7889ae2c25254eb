"""The charts of `power`: curves of p-values, metrics in order, and how their power converged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.framework.metric_charts import aggregation_colours, ordered_metrics
from metameter.meta.framework.metric_names import is_canonical
from metameter.meta.power.tables import curve_labels

if TYPE_CHECKING:
    import polars as pl

    from metameter.stats.checks import Floats


_ACROSS = "pairs with at least this p"
_MOST_STEPS = 120


def curves_chart(metrics: Sequence[str], falling: Floats, curve: pl.DataFrame, alpha: float) -> Any:
    """The panels of Figure 2 of Chen and Sakai (2023): one curve per metric, equal ones once, canonical ones thick.

    Only small p-values are drawn, since verdicts are decided near alpha. All panels have the same scales, from the
    origin on: the closer to the origin, the better.
    """
    import polars as pl

    from metameter.view.charts import curves

    top = min(1.0, max(0.15, 3.0 * alpha))
    by_metric = {name: part for (name,), part in curve.partition_by("metric", as_dict=True).items()}
    canonical = {name for name in metrics if is_canonical(name)}
    parts, thick = [], []
    for group, labels in curve_labels(metrics, falling).items():
        for label, alike in labels.items():
            points = _points(by_metric[metrics[alike[0]]], falling.shape[1], top)
            parts.append(pl.DataFrame({**points, "panel": group, "metric": label}))
            if any(metrics[i] in canonical for i in alike):
                thick.append(label)
    title = f"Achieved significance levels, p up to {top:g}: the closer to the origin, the more a metric discriminates"
    return curves(
        pl.concat(parts),
        *(_ACROSS, "p", "metric", "panel", thick),
        title=title,
        domain=(0.0, top),
        across=(0.0, float(falling.shape[1])),
        level=alpha,
        colours=aggregation_colours,
    )


def _points(curve: pl.DataFrame, pairs: int, top: float) -> dict[str, Any]:
    p, first, last = (curve[name].to_numpy() for name in ("p", "first", "last"))
    steps = np.flatnonzero(p <= top)
    # A panel has no room for more steps; the last is always among them.
    every = 1 + len(steps) // _MOST_STEPS
    steps = np.union1d(steps[::every], steps[-1:])
    ends = np.stack([first[steps], last[steps]], axis=1).reshape(-1)
    # The line begins where it enters the frame from above, or at the last pair if it never does.
    x = np.concatenate([ends[:1], ends]) if len(ends) else np.array([pairs, pairs])
    y = np.concatenate([[top], np.repeat(p[steps], 2)]) if len(ends) else np.array([top, top])
    return {_ACROSS: x.astype(np.int64), "p": y}


def ordered_chart(table: pl.DataFrame, column: str, name: str, title: str) -> Any:
    """A column of shares with its Monte-Carlo error, the highest value first."""
    import polars as pl

    error = 1.96 * pl.col(f"{column}_error").fill_null(0.0)
    frame = table.select(
        "metric",
        pl.col(column).alias(name),
        (pl.col(column) - error).clip(0.0).alias("low"),
        pl.min_horizontal(pl.col(column) + error, pl.max_horizontal(pl.col(column), 1.0)).alias("high"),
    )
    return ordered_metrics(frame, name, "low", "high", title=title)


def convergence_chart(metrics: Sequence[str], falling: Floats, convergence: pl.DataFrame) -> Any:
    """Power after increasing numbers of trials; metrics with equal curves are drawn once."""
    import polars as pl

    from metameter.view import charts

    labels = [
        (metrics[alike[0]], panel, label)
        for panel, names in curve_labels(metrics, falling).items()
        for label, alike in names.items()
    ]
    labelled = pl.DataFrame(labels, schema=["metric", "panel", "label"], orient="row")
    frame = labelled.join(convergence, on="metric", maintain_order="left").drop("metric").rename({"label": "metric"})
    columns = ("trials", "power", "power_error", "metric", "panel")
    title = "Power after increasing numbers of trials"
    return charts.convergence(frame, *columns, title=title, colours=aggregation_colours)
