"""The charts of `recommend`: all metrics, gains in consistency and power, and thirds of the topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.framework.front_charts import (
    NARROW_PARAMETER,
    SUFFIXES,
    Point,
    aggregation_channel,
    dot_shape,
    dot_size,
    front_corners,
    front_layer,
    label_lines,
    label_offsets,
    label_texts,
)
from metameter.meta.framework.metric_charts import aggregation_series
from metameter.meta.framework.metric_groups import BY_NAME
from metameter.meta.framework.metric_names import is_canonical, product_of
from metameter.meta.recommend.gains_chart import gains_chart
from metameter.meta.recommend.terciles import tercile_chart
from metameter.view.charts.axes import beyond, clipped, padded, robust_span
from metameter.view.charts.channels import data_of, in_order, number, tooltips
from metameter.view.charts.label_positions import Panel, step_boxes
from metameter.view.charts.specification import finished
from metameter.view.charts.theme import PAPER

if TYPE_CHECKING:
    import polars as pl


_WIDE, _NARROW, _HIGH = 760, 235, 460
_X, _Y = "consistency", "power"
_ENDS = ("consistency_low", "consistency_high", "power_low", "power_high")
_GROUPS = ("consistency_group", "power_group", "beats", "beaten_by")
_TITLE = "All metrics: how consistent, and how discriminating?"
_HOW = (
    "Up and to the right is better. Dashed steps: the front, whose metrics (large dots) no metric beats in both. They "
    "and metrics with names of their own are labelled; point at another dot to see its name. Stars are canonical "
    "metrics. A small distance says little: the letters in the table of metrics show which are not shown to differ."
)
_MOST_LABELS = 24


def recommendation_charts(tables: dict[str, pl.DataFrame]) -> dict[str, Any]:
    """Return the charts that are not empty: all metrics, gains over each reference, and hard to easy topics."""
    import polars as pl

    # Metrics that are compared with each other have no single reference for a panel: they are in the first chart.
    compared = tables["recommendation"].filter(pl.col("group") != BY_NAME)
    terciles = tables["recommendation_terciles"]
    metrics = tables["metrics"]
    # A study of an earlier version has no such column.
    metrics = metrics.filter(~pl.col("diagnostic")) if "diagnostic" in metrics.columns else metrics
    charts = {"metrics": metrics_chart(metrics)} if metrics.height else {}
    charts |= {"recommendation": gains_chart(compared)} if compared.height else {}
    return charts | ({"recommendation_terciles": tercile_chart(terciles)} if terciles.height else {})


def metrics_chart(table: pl.DataFrame) -> Any:
    """Return a chart with a dot per metric and the front as a line; the front and metrics with own names are labelled.

    Parameters
    ----------
    table : polars.DataFrame
        ``metrics``: metric, consistency, power, front (whether no metric beats it in both), and where there are any
        named (whether it goes by a name of its own), consistency_group, power_group, beats, beaten_by and the ends of
        intervals.

    Returns
    -------
    altair.LayerChart
    """
    table = _merge_rows(table)
    ends = [padded(robust_span([each] for each in table[column]), 0.07) for column in (_X, _Y)]
    panels = [Panel(ends[0], ends[1], width, _HIGH) for width in (_WIDE, _NARROW)]
    corners = [_corners(table, panel) for panel in panels]
    dots = _dots(table, panels, corners)
    axis = {"tickCount": 7, "labelOverlap": True}
    scales = [{"domain": list(each), "nice": False, "zero": False} for each in ends]
    x = number("x", title="consistency (mean tau of split halves)", scale=scales[0], axis=axis)
    y = number("y", title="power (share of pairs separated)", scale=scales[1], axis=axis)
    hover = [name for name in ("metrics", _X, _Y, *_ENDS, *_GROUPS) if name in table.columns]
    position: dict[str, Any] = {"x": x, "y": y, "tooltip": tooltips(table, hover)}
    labelled = data_of(dots.filter(dots["label"] != ""))
    layers = [
        front_layer(corners[0], x, y),
        {"data": labelled, **label_lines(x, y)},
        _points(dots, position),
        *({"data": labelled, **layer} for layer in label_texts(x, y)),
    ]
    sized = {"width": _WIDE, "height": _HIGH, "params": [NARROW_PARAMETER]}
    return finished({"layer": layers, **sized}, _TITLE, [_HOW])


def _merge_rows(table: pl.DataFrame) -> pl.DataFrame:
    """One dot for metrics with the same numbers; its name is that of the first, and ``alike`` counts the others."""
    import polars as pl

    same = [pl.col(column).round(9) for column in (_X, _Y)]
    names = pl.col("metric").str.join(" = ").alias("metrics")
    rest = pl.all().exclude("metrics").first(), (pl.len() - 1).alias("alike")
    return table.group_by(*(each.alias(f"same {i}") for i, each in enumerate(same)), maintain_order=True).agg(
        names, *rest
    )


def _dots(table: pl.DataFrame, panels: list[Panel], corners: list[list[Point]]) -> pl.DataFrame:
    """The position of each dot within the frame, its label, and the position of the label."""
    import polars as pl

    rows = table.rows(named=True)
    middles = [(clipped(row[_X], panels[0].across), clipped(row[_Y], panels[0].up)) for row in rows]
    labels = _labels(rows, panels[0])
    metrics = [row["metric"] for row in rows]
    columns: dict[str, Any] = {
        "x": [x for x, _ in middles],
        "y": [y for _, y in middles],
        "label": labels,
        "aggregation": aggregation_series(metrics),
        "canonical": [is_canonical(name) for name in metrics],
    }
    for suffix, panel, steps in zip(SUFFIXES, panels, corners, strict=True):
        pixels = [panel.pixels(x or 0.0, y or 0.0) for x, y in middles]
        offsets = label_offsets(pixels, labels, panel, step_boxes(steps, panel))
        columns |= {f"{name}{suffix}": [each[name] for each in offsets] for name in ("dx", "dy", "to_x", "to_y")}
    return table.with_columns(pl.DataFrame(columns).get_columns())


def _labels(rows: list[dict[str, Any]], panel: Panel) -> list[str]:
    """The label of each dot, empty for those that are named in tooltips only."""
    far = [" ".join(filter(None, [beyond(row[_X], panel.across), beyond(row[_Y], panel.up, "↓↑")])) for row in rows]
    front = [i for i, row in enumerate(rows) if row["front"]]
    outside = [i for i in range(len(rows)) if far[i]]
    named = [i for i, row in enumerate(rows) if _is_named(row)]
    # The front comes first: with very many metrics, not all have a label.
    labelled = set(list(dict.fromkeys([*front, *outside, *named]))[:_MOST_LABELS])
    return [" ".join(filter(None, [_name(row), far[i]])) if i in labelled else "" for i, row in enumerate(rows)]


def _is_named(row: dict[str, Any]) -> bool:
    named = row.get("named")
    return not product_of(row["metric"]) if named is None else bool(named)


def _name(row: dict[str, Any]) -> str:
    return str(row["metric"]) + (f" and {row['alike']} alike" if row["alike"] else "")


def _corners(table: pl.DataFrame, panel: Panel) -> list[Point]:
    """The corners of the front, within the frame."""
    known = table.filter(table["front"] & table[_X].is_not_null() & table[_Y].is_not_null())
    return front_corners(known.select(_X, _Y).rows(), panel)


def _points(dots: pl.DataFrame, position: dict[str, Any]) -> dict[str, Any]:
    colour = aggregation_channel(in_order(dots, "aggregation"))
    mark = {"type": "point", "opacity": 1, "stroke": PAPER, "strokeWidth": 0.7}
    encoding = {**position, "color": colour, "size": dot_size(), "shape": dot_shape()}
    return {"data": data_of(dots), "mark": mark, "encoding": encoding}
