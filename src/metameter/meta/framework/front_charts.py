"""Metrics as labelled dots with their Pareto front: what the charts of `recommend` and `tradeoff` share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

from metameter.meta.framework.metric_charts import aggregation_colours
from metameter.stats.pareto_front import stairs
from metameter.view.charts.axes import clipped
from metameter.view.charts.channels import number, value
from metameter.view.charts.label_positions import LETTER, LINE, Box, Panel, label_positions
from metameter.view.charts.theme import INK, LETTERS, MUTED, PAPER
from metameter.view.mark_styles import STAR

Point: TypeAlias = tuple[float, float]
Channel: TypeAlias = dict[str, Any]

#: A parameter of the chart: a page sets it to true for narrow panels, which have other offsets of labels.
NARROW_PARAMETER = {"name": "narrow", "value": False}
#: Suffixes of column names: for wide panels, and for narrow panels.
SUFFIXES = ("", "_narrow")
# A label this many pixels from its dot needs no line.
_NEAR = 16


def front_corners(points: list[Point], panel: Panel) -> list[Point]:
    """The corners of the front of some points, within the frame."""
    corners = stairs(points, panel.across[0], panel.up[0]) if points else []
    return [(clipped(x, panel.across) or 0.0, clipped(y, panel.up) or 0.0) for x, y in corners]


def front_layer(corners: Sequence[Point], x: Channel, y: Channel) -> dict[str, Any]:
    """The layer of the front: dashed steps, from each dot straight down, then across to the next."""
    rows = [{"x": a, "y": b, "order": i} for i, (a, b) in enumerate(corners)]
    mark = {"type": "line", "color": MUTED, "strokeDash": [5, 3], "strokeWidth": 1.2, "interpolate": "step-before"}
    return {"data": {"values": rows}, "mark": mark, "encoding": {"x": x, "y": y, "order": number("order")}}


def label_offsets(
    dots: Sequence[Point], labels: Sequence[str], panel: Panel, lines: Sequence[Box]
) -> list[dict[str, float]]:
    """The offset of each label from its dot (``dx``, ``dy``), and the end of the line to it (``to_x``, ``to_y``).

    Parameters
    ----------
    dots : sequence of (x, y), in pixels
    labels : sequence of str
        Empty for a dot without a label, which is an obstacle for the labels of others.
    panel : Panel
    lines : sequence of Box
        Lines that labels should not cover.
    """
    order = sorted(range(len(dots)), key=lambda i: not labels[i])
    size = (panel.width, panel.height)
    middles = label_positions([dots[i] for i in order], [labels[i] for i in order], size, lines, far=True)
    offsets: dict[int, dict[str, float]] = {}
    for i, (x, y) in zip(order, middles, strict=True):
        dx, dy = x - dots[i][0], y - dots[i][1]
        to_x, to_y = _line_end(dx, dy, labels[i])
        offsets[i] = {"dx": round(dx, 1), "dy": round(dy, 1), "to_x": round(to_x, 1), "to_y": round(to_y, 1)}
    return [offsets[i] for i in range(len(dots))]


def _line_end(dx: float, dy: float, label: str) -> Point:
    """The end of the line to a label: the nearest point of its box, or the dot itself if that is near."""
    half = LETTER * len(label) / 2
    across = dx - half if dx > half else dx + half if dx < -half else 0.0
    up = dy - LINE / 2 if dy > LINE / 2 else dy + LINE / 2 if dy < -LINE / 2 else 0.0
    return (across, up) if math.hypot(across, up) > _NEAR else (0.0, 0.0)


def label_lines(x: Channel, y: Channel) -> dict[str, Any]:
    """Mark and encoding of the lines from dots to the labels that are further away."""
    ends = {f"{side}2Offset": {"expr": f"narrow ? datum.to_{side}_narrow : datum.to_{side}"} for side in ("x", "y")}
    encoding = {"x": x, "y": y, "x2": {"field": "x"}, "y2": {"field": "y"}}
    return {"mark": {"type": "rule", "color": MUTED, "strokeWidth": 0.8, **ends}, "encoding": encoding}


def label_texts(x: Channel, y: Channel, size: int = LETTERS) -> list[dict[str, Any]]:
    """Mark and encoding of the labels: first a rim in the colour of the paper, which keeps them legible over lines."""
    moved = {side: {"expr": f"narrow ? datum.{side}_narrow : datum.{side}"} for side in ("dx", "dy")}
    text = {"type": "text", "fontSize": size, **moved}
    rim = {"color": PAPER, "stroke": PAPER, "strokeWidth": 3, "strokeJoin": "round"}
    encoding = {"x": x, "y": y, "text": {"field": "label", "type": "nominal"}}
    return [{"mark": {**text, **style}, "encoding": encoding} for style in (rim, {"color": INK})]


def aggregation_channel(series: Sequence[str]) -> Channel:
    """The channel of the colour of each aggregation; with a legend if there are several.

    Parameters
    ----------
    series : sequence of str
        The values of the column ``aggregation``, each once.
    """
    scale = {"domain": list(series), "range": aggregation_colours(series)}
    legend = {"orient": "top", "direction": "horizontal", "columns": 8, "title": None, "symbolType": "circle"}
    return {"field": "aggregation", "type": "nominal", "scale": scale, "legend": legend if len(series) > 1 else None}


def dot_size() -> Channel:
    """The channel of the size of dots: those of the front are the largest, then those of canonical metrics."""
    sizes = [{"test": "datum.front", **value(140)}, {"test": "datum.canonical", **value(85)}]
    return {"condition": sizes, **value(50)}


def dot_shape() -> Channel:
    """The channel of the shape of dots: stars for canonical metrics."""
    return {"condition": {"test": "datum.canonical", **value(STAR)}, **value("circle")}
