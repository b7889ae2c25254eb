"""The charts of `recommend`: all metrics, gains in consistency and power, and thirds of the topics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from metameter.meta.framework.metric_charts import aggregation_colours
from metameter.meta.framework.metric_names import aggregation_of, is_canonical, product_of
from metameter.meta.recommend.gains_chart import gains_chart
from metameter.meta.recommend.terciles import tercile_chart
from metameter.stats.pareto_front import stairs
from metameter.view.charts.axes import beyond, clipped, padded, robust_span
from metameter.view.charts.channels import data_of, in_order, number, tooltips, value
from metameter.view.charts.label_positions import LETTER, LINE, Panel, label_positions, step_boxes
from metameter.view.charts.specification import finished
from metameter.view.charts.theme import INK, LETTERS, MUTED, PAPER
from metameter.view.mark_styles import STAR

if TYPE_CHECKING:
    import polars as pl


_WIDE, _NARROW, _HIGH = 760, 235, 460
_X, _Y = "consistency", "power"
_ENDS = ("consistency_low", "consistency_high", "power_low", "power_high")
_GROUPS = ("consistency_group", "power_group", "beats", "beaten_by")
_OTHER = "other metrics"
_TITLE = "All metrics: how consistent, and how discriminating?"
_HOW = (
    "Up and to the right is better. Dashed steps: the front, whose metrics (large dots) no metric beats in both. They "
    "and metrics with names of their own are labelled; point at another dot to see its name. Stars are canonical "
    "metrics. A small distance says little: the letters in the table of metrics show which are not shown to differ."
)
_MOST_LABELS = 24
# A label this many pixels from its dot needs no line.
_NEAR = 16


def recommendation_charts(tables: dict[str, pl.DataFrame]) -> dict[str, Any]:
    """Return the charts that are not empty: all metrics, gains over each reference, and hard to easy topics."""
    import polars as pl

    from metameter.meta.recommend.references import BY_NAME

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
    table = _merged(table)
    ends = [padded(robust_span([each] for each in table[column]), 0.07) for column in (_X, _Y)]
    panels = [Panel(ends[0], ends[1], width, _HIGH) for width in (_WIDE, _NARROW)]
    shown = _dots(table, panels)
    axis = {"tickCount": 7, "labelOverlap": True}
    scales = [{"domain": list(each), "nice": False, "zero": False} for each in ends]
    x = number("x", title="consistency (mean tau of split halves)", scale=scales[0], axis=axis)
    y = number("y", title="power (share of pairs separated)", scale=scales[1], axis=axis)
    hover = [name for name in ("metrics", _X, _Y, *_ENDS, *_GROUPS) if name in table.columns]
    position = {"x": x, "y": y, "tooltip": tooltips(table, hover)}
    layers = [_steps(table, panels[0], x, y), _leaders(shown, x, y), _points(shown, position), *_names(shown, x, y)]
    sized = {"width": _WIDE, "height": _HIGH, "params": [{"name": "narrow", "value": False}]}
    return finished({"layer": layers, **sized}, _TITLE, [_HOW])


def _merged(table: pl.DataFrame) -> pl.DataFrame:
    """One dot for metrics with the same numbers; its name is that of the first, and ``alike`` counts the others."""
    import polars as pl

    same = [pl.col(column).round(9) for column in (_X, _Y)]
    names = pl.col("metric").str.join(" = ").alias("metrics")
    rest = pl.all().exclude("metrics").first(), (pl.len() - 1).alias("alike")
    return table.group_by(*(each.alias(f"same {i}") for i, each in enumerate(same)), maintain_order=True).agg(
        names, *rest
    )


def _dots(table: pl.DataFrame, panels: list[Panel]) -> pl.DataFrame:
    """The position of each dot within the frame, its label, and the position of the label."""
    import polars as pl

    rows = table.rows(named=True)
    across, up = panels[0].across, panels[0].up
    middles = [(clipped(row[_X], across), clipped(row[_Y], up)) for row in rows]
    labels = _labels(rows, panels[0])
    metrics = [row["metric"] for row in rows]
    columns: dict[str, Any] = {
        "x": [x for x, _ in middles],
        "y": [y for _, y in middles],
        "label": labels,
        "aggregation": [aggregation_of(name) if product_of(name) else _OTHER for name in metrics],
        "canonical": [is_canonical(name) for name in metrics],
    }
    lines = _corners(table, panels[0])
    for suffix, panel in zip(("", "_narrow"), panels, strict=True):
        dots = [panel.pixels(x or 0.0, y or 0.0) for x, y in middles]
        columns |= {f"{side}{suffix}": each for side, each in _moves(dots, labels, panel, lines).items()}
    return table.with_columns(pl.DataFrame(columns).get_columns())


def _moves(
    dots: list[tuple[float, float]], labels: list[str], panel: Panel, corners: list[tuple[float, float]]
) -> dict[str, list[float]]:
    """The offset of each label from its dot, and the end of the line to it."""
    named = [i for i, label in enumerate(labels) if label]
    # Dots without a label are obstacles for the labels of others.
    order = [*named, *(i for i, label in enumerate(labels) if not label)]
    middles = label_positions(
        [dots[i] for i in order],
        [labels[i] for i in order],
        (panel.width, panel.height),
        step_boxes(corners, panel),
        far=True,
    )
    moves = dict(zip(order, middles, strict=True))
    offsets = [(moves[i][0] - dot[0], moves[i][1] - dot[1]) for i, dot in enumerate(dots)]
    ends = [_end(*offset, label) for offset, label in zip(offsets, labels, strict=True)]
    columns = {"dx": offsets, "dy": offsets, "to_x": ends, "to_y": ends}
    return {name: [round(pair[name.endswith("y")], 1) for pair in pairs] for name, pairs in columns.items()}


def _end(dx: float, dy: float, label: str) -> tuple[float, float]:
    """The end of the line to a label: the nearest point of its box, or the dot itself if that is near."""
    half = LETTER * len(label) / 2
    across = dx - half if dx > half else dx + half if dx < -half else 0.0
    up = dy - LINE / 2 if dy > LINE / 2 else dy + LINE / 2 if dy < -LINE / 2 else 0.0
    return (across, up) if math.hypot(across, up) > _NEAR else (0.0, 0.0)


def _labels(rows: list[dict[str, Any]], panel: Panel) -> list[str]:
    far = [" ".join(filter(None, [beyond(row[_X], panel.across), beyond(row[_Y], panel.up, "↓↑")])) for row in rows]
    # The front comes first: with very many metrics, the others are named in tooltips only.
    labelled = [i for i, row in enumerate(rows) if row["front"]]
    labelled += [i for i, row in enumerate(rows) if far[i] and i not in labelled]
    labelled += [i for i, row in enumerate(rows) if _is_named(row) and i not in labelled]
    kept = set(labelled[:_MOST_LABELS])
    return [" ".join(filter(None, [_name(row), far[i]])) if i in kept else "" for i, row in enumerate(rows)]


def _is_named(row: dict[str, Any]) -> bool:
    named = row.get("named")
    return not product_of(row["metric"]) if named is None else bool(named)


def _name(row: dict[str, Any]) -> str:
    return str(row["metric"]) + (f" and {row['alike']} alike" if row["alike"] else "")


def _steps(table: pl.DataFrame, panel: Panel, x: dict[str, Any], y: dict[str, Any]) -> dict[str, Any]:
    rows = [{"x": a, "y": b, "order": i} for i, (a, b) in enumerate(_corners(table, panel))]
    mark = {"type": "line", "color": MUTED, "strokeDash": [5, 3], "strokeWidth": 1.2, "interpolate": "step-before"}
    return {"data": {"values": rows}, "mark": mark, "encoding": {"x": x, "y": y, "order": number("order")}}


def _corners(table: pl.DataFrame, panel: Panel) -> list[tuple[float, float]]:
    """The corners of the front, within the frame."""
    known = table.filter(table["front"] & table[_X].is_not_null() & table[_Y].is_not_null())
    corners = stairs(known.select(_X, _Y).rows(), panel.across[0], panel.up[0]) if known.height else []
    return [(clipped(a, panel.across) or 0.0, clipped(b, panel.up) or 0.0) for a, b in corners]


def _points(shown: pl.DataFrame, position: dict[str, Any]) -> dict[str, Any]:
    names = in_order(shown, "aggregation")
    scale = {"domain": names, "range": aggregation_colours(names)}
    legend = {"orient": "top", "direction": "horizontal", "columns": 8, "title": None, "symbolType": "circle"}
    colour = {"field": "aggregation", "type": "nominal", "scale": scale, "legend": legend if len(names) > 1 else None}
    sizes = [{"test": "datum.front", **value(140)}, {"test": "datum.canonical", **value(85)}]
    size = {"condition": sizes, **value(50)}
    shape = {"condition": {"test": "datum.canonical", **value(STAR)}, **value("circle")}
    mark = {"type": "point", "opacity": 1, "stroke": PAPER, "strokeWidth": 0.7}
    return {
        "data": data_of(shown),
        "mark": mark,
        "encoding": {**position, "color": colour, "size": size, "shape": shape},
    }


def _leaders(shown: pl.DataFrame, x: dict[str, Any], y: dict[str, Any]) -> dict[str, Any]:
    """Lines to the names that stand further off."""
    ends = {f"{side}2Offset": {"expr": f"narrow ? datum.to_{side}_narrow : datum.to_{side}"} for side in ("x", "y")}
    encoding = {"x": x, "y": y, "x2": {"field": "x"}, "y2": {"field": "y"}}
    mark = {"type": "rule", "color": MUTED, "strokeWidth": 0.8, **ends}
    return {"data": data_of(shown.filter(shown["label"] != "")), "mark": mark, "encoding": encoding}


def _names(shown: pl.DataFrame, x: dict[str, Any], y: dict[str, Any]) -> list[dict[str, Any]]:
    data = data_of(shown.filter(shown["label"] != ""))
    moved = {side: {"expr": f"narrow ? datum.{side}_narrow : datum.{side}"} for side in ("dx", "dy")}
    text = {"type": "text", "fontSize": LETTERS, **moved}
    rim = {"color": PAPER, "stroke": PAPER, "strokeWidth": 3, "strokeJoin": "round"}
    encoding = {"x": x, "y": y, "text": {"field": "label", "type": "nominal"}}
    return [{"data": data, "mark": {**text, **style}, "encoding": encoding} for style in (rim, {"color": INK})]
