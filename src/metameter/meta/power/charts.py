"""The charts of `power`: curves of p-values, metrics in order, and how their power converged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.colours import aggregation_colours
from metameter.meta.groups import group_of, is_canonical
from metameter.meta.power.tables import curve_labels

if TYPE_CHECKING:
    import polars as pl

    from metameter.stats.checks import Floats

__all__ = ["convergence_chart", "curves_chart", "ordered_chart"]

_ACROSS = "pairs with at least this p"
_MOST_STEPS = 120


def curves_chart(metrics: Sequence[str], falling: Floats, curve: pl.DataFrame, alpha: float) -> Any:
    """The panels of Figure 2 of Chen and Sakai (2023): one curve per metric, equal ones once, canonical ones thick.

    Only p-values of interest are drawn: verdicts are decided near alpha. All panels share their scales.
    """
    import polars as pl

    from metameter.view.charts import curves

    top = min(1.0, max(0.15, 3.0 * alpha))
    by_metric = {name: part for (name,), part in curve.partition_by("metric", as_dict=True).items()}
    parts, thick = [], []
    for group, labels in curve_labels(metrics, falling).items():
        for label, alike in labels.items():
            points = _points(by_metric[metrics[alike[0]]], falling.shape[1], top)
            parts.append(points.with_columns(pl.lit(group).alias("panel"), pl.lit(label).alias("metric")))
            if any(is_canonical(metrics[i]) for i in alike):
                thick.append(label)
    frame = pl.concat(parts)
    title = f"Achieved significance levels, p up to {top:g}: the closer to the origin, the more a metric discriminates"
    chart = curves(frame, _ACROSS, "p", "metric", "panel", thick, title=title, domain=(0.0, top))
    ends = (int(frame[_ACROSS].to_numpy().min()), falling.shape[1])
    chart.concat = [_with_alpha(panel, ends, alpha) for panel in chart.concat]
    return chart


def _with_alpha(panel: Any, ends: tuple[int, int], alpha: float) -> Any:
    import altair as alt
    import polars as pl

    from metameter.view.charts.parts import chart_of
    from metameter.view.charts.theme import MUTED

    panel.encoding.x.scale = alt.Scale(domain=list(ends), nice=False, zero=False)
    panel.encoding.x.axis = alt.Axis(tickCount=6, labelOverlap=True)
    colour = panel.encoding.color["scale"]
    colour["range"] = aggregation_colours(colour["domain"]) or colour["range"]
    line = chart_of(pl.DataFrame({"p": [alpha]})).mark_rule(color=MUTED, strokeDash=[5, 4])
    heading, panel.title = panel.title, alt.Undefined
    return alt.layer(line.encode(alt.Y(field="p", type="quantitative")), panel).properties(title=heading)


def _points(curve: pl.DataFrame, pairs: int, top: float) -> pl.DataFrame:
    import polars as pl

    shown = curve.filter(pl.col("p") <= top)
    # A panel has no room for more steps; the last is always kept.
    every = 1 + shown.height // _MOST_STEPS
    shown = shown.filter((pl.int_range(pl.len()) % every == 0) | (pl.int_range(pl.len()) == pl.len() - 1))
    ends = np.stack([shown["first"].to_numpy(), shown["last"].to_numpy()], axis=1).reshape(-1)
    # The line comes from above the frame: it begins where it enters it, or at the last pair if it never does.
    x = np.concatenate([ends[:1], ends]) if len(ends) else np.array([pairs, pairs])
    y = np.concatenate([[top], np.repeat(shown["p"].to_numpy(), 2)]) if len(ends) else np.array([top, top])
    return pl.DataFrame({_ACROSS: x.astype(np.int64), "p": y})


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


def convergence_chart(metrics: Sequence[str], falling: Floats, convergence: pl.DataFrame) -> Any:
    """How far power was from its final value after more and more trials; metrics with equal curves are drawn once."""
    import polars as pl

    from metameter.view import charts

    labels = [
        (metrics[alike[0]], panel, label)
        for panel, names in curve_labels(metrics, falling).items()
        for label, alike in names.items()
    ]
    shown = pl.DataFrame(labels, schema=["metric", "panel", "label"], orient="row")
    frame = shown.join(convergence, on="metric", maintain_order="left").drop("metric").rename({"label": "metric"})
    columns = ("trials", "power", "power_error", "metric", "panel")
    title = "Power after increasing numbers of trials"
    return charts.convergence(frame, *columns, title=title, colours=aggregation_colours)
