"""The chart of gains in consistency and in power over each reference, and the positions of its labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.meta.framework.front_charts import NARROW_PARAMETER, SUFFIXES, Channel, label_texts
from metameter.meta.framework.metric_groups import shared_short_names
from metameter.meta.framework.verdicts import REFERENCE, VERDICT_COLUMN
from metameter.stats.pareto_front import stairs
from metameter.view.charts.axes import beyond, clipped, padded, robust_span
from metameter.view.charts.channels import data_of, in_order, number, panels, tooltips
from metameter.view.charts.label_positions import Box, Panel, label_positions, step_boxes
from metameter.view.charts.specification import finished
from metameter.view.charts.styles import dashed_where, mark_channels, mark_layers
from metameter.view.charts.theme import INK, MUTED

if TYPE_CHECKING:
    import polars as pl


X, Y = "consistency_difference", "power_difference"
ENDS = ("consistency_low", "consistency_high", "power_low", "power_high")
_SAME = 1e-9

# Two abreast fill a page of usual width; on a narrow one panels stand one below the other, and are narrower.
WIDE, NARROW, HIGH = 345, 235, 290
MOST_PANELS = 12
_LETTERS = 12
_TITLE = "Alternatives to each reference (the star at 0, 0)"
_HOW = (
    "Up and to the right is better. Bars: simultaneous 95% intervals for other topics. "
    "Dashed steps: the front, whose metrics no metric beats in both."
)
_ARROWS = "An arrow points to a metric beyond the frame; its value is written beside it."


def gains_chart(table: pl.DataFrame) -> Any:
    """One panel per reference: dots with 95% intervals, and the Pareto front.

    Parameters
    ----------
    table : polars.DataFrame
        ``recommendation``. At most the first twelve references are drawn.

    Returns
    -------
    altair.ConcatChart
    """
    import polars as pl

    parts = table.partition_by("canonical", maintain_order=True)
    dots = pl.concat([points(part) for part in parts[:MOST_PANELS]])
    marks = mark_channels(VERDICT_COLUMN, in_order(dots, "verdict"))
    chart = panels(dots, "panel", lambda part: _panel(part, marks), wide=WIDE + 65)
    far = any(_beyond(part) for _, part in dots.group_by("panel"))
    below = [_HOW, *([VERDICT_COLUMN.hollow_note] if dots["close_call"].any() else []), *([_ARROWS] if far else [])]
    if len(parts) > MOST_PANELS:
        below.append(f"The first {MOST_PANELS} of {len(parts)} references; the table has all.")
    return finished({**chart, "params": [NARROW_PARAMETER]}, _TITLE, below)


def _ends(part: pl.DataFrame) -> tuple[tuple[float, float], tuple[float, float]]:
    across, up = (
        padded(robust_span(part.select(columns).iter_rows(), within=(0.0,)), 0.1)
        for columns in ((X, *ENDS[:2]), (Y, *ENDS[2:]))
    )
    return across, up


def _beyond(part: pl.DataFrame) -> bool:
    return any(
        clipped(value, ends) != value
        for column, ends in zip((X, Y), _ends(part), strict=True)
        for value in part[column]
    )


def _panel(part: pl.DataFrame, marks: dict[str, Channel]) -> dict[str, Any]:
    ends = _ends(part)
    sizes = [Panel(*ends, width, HIGH) for width in (WIDE, NARROW)]
    dots = label_offsets(part, sizes)
    data = data_of(dots)
    axes = _axes(sizes[0])
    hover = tooltips(part, ("metric", "verdict", "close_call", "tau_to_canonical", X, Y, *ENDS))
    position: dict[str, Any] = {"x": {**axes["x"], "field": "x"}, "y": {**axes["y"], "field": "y"}, "tooltip": hover}
    layers = [
        *_zero_lines(axes),
        _staircase(part, sizes[0], axes),
        *_whiskers(data, axes, marks["color"]),
        *mark_layers(dots, position, marks, VERDICT_COLUMN.hollow),
        *({"data": data, **layer} for layer in label_texts(position["x"], position["y"], _LETTERS)),
    ]
    return {"layer": layers, "width": WIDE, "height": HIGH}


def _axes(panel: Panel) -> dict[str, Channel]:
    ticks = {"tickCount": 5, "labelOverlap": True, "labelFontSize": _LETTERS}
    across, up = ({"domain": list(ends), "nice": False} for ends in (panel.across, panel.up))
    return {
        "x": number(X, scale=across, axis=ticks, title="difference in consistency (mean tau)"),
        "y": number(Y, scale=up, axis={"labelFontSize": _LETTERS}, title="difference in power (share of pairs)"),
    }


def _whiskers(data: dict[str, Any], axes: dict[str, Channel], colour: Channel) -> list[dict[str, Any]]:
    style = {"color": colour, "strokeDash": dashed_where(VERDICT_COLUMN.hollow)}
    upright = {"x": {**axes["x"], "field": "x"}, "y": {**axes["y"], "field": "bottom"}, "y2": {"field": "top"}}
    level = {"x": {**axes["x"], "field": "left"}, "x2": {"field": "right"}, "y": {**axes["y"], "field": "y"}}
    mark = {"type": "rule", "strokeWidth": 1.2}
    return [{"data": data, "mark": mark, "encoding": {**position, **style}} for position in (upright, level)]


def _zero_lines(axes: dict[str, Channel]) -> list[dict[str, Any]]:
    data = {"values": [{X: 0.0, Y: 0.0}]}
    mark = {"type": "rule", "color": MUTED, "strokeWidth": 1}
    return [{"data": data, "mark": mark, "encoding": {side: axes[side]}} for side in ("x", "y")]


def _staircase(part: pl.DataFrame, panel: Panel, axes: dict[str, Channel]) -> dict[str, Any]:
    steps = stairs(part.select(X, Y).rows(), panel.across[0], panel.up[0])
    rows = [{X: clipped(x, panel.across), Y: clipped(y, panel.up), "order": i} for i, (x, y) in enumerate(steps)]
    # From each dot straight down, then across to the next: dots below the steps are beaten in both.
    mark = {"type": "line", "color": INK, "strokeDash": [5, 3], "strokeWidth": 1, "interpolate": "step-before"}
    return {"data": {"values": rows}, "mark": mark, "encoding": {**axes, "order": number("order")}}


def points(part: pl.DataFrame) -> pl.DataFrame:
    """One row per dot, that of the reference first.

    Parameters
    ----------
    part : polars.DataFrame
        The rows of ``recommendation`` that have one reference.

    Returns
    -------
    polars.DataFrame
        ``metric``, ``verdict``, ``close_call``, ``tau_to_canonical``, the differences and the ends of their
        intervals; ``label``, what is written beside the dot; ``panel``, the reference.
    """
    import polars as pl

    reference = str(part["canonical"][0])
    labels = shared_short_names([reference, *part["metric"].to_list()])
    zeros = dict.fromkeys((X, Y, *ENDS), 0.0)
    first = {"metric": reference, "verdict": REFERENCE, "close_call": False, "tau_to_canonical": 1.0, **zeros}
    close = part["close_call"] if "close_call" in part.columns else pl.lit(False).alias("close_call")
    columns = ("metric", "verdict", "close_call", "tau_to_canonical", *zeros)
    rows: list[dict[str, Any]] = [first, *part.with_columns(close).select(columns).rows(named=True)]
    dots: list[dict[str, Any]] = []
    for row in rows:
        alike = [dot for dot in dots if all(_equal(dot[key], row[key]) for key in zeros)]
        label = labels[row["metric"]] + "*" * (row["metric"] == reference)
        if alike:
            alike[0]["label"] += f" = {label}"
            alike[0]["metric"] += f", {row['metric']}"
            alike[0]["close_call"] |= bool(row["close_call"])
        else:
            dots.append({**row, "close_call": bool(row["close_call"]), "label": label, "panel": reference})
    return pl.DataFrame(dots, schema_overrides=dict.fromkeys(zeros, pl.Float64), infer_schema_length=None)


def _equal(a: float | None, b: float | None) -> bool:
    # Without intervals, metrics are distinguished by their differences only.
    return a is None or b is None or abs(a - b) < _SAME


def label_offsets(part: pl.DataFrame, panels: Sequence[Panel]) -> pl.DataFrame:
    """The dots, clipped to the frame, with the offsets of their labels.

    Parameters
    ----------
    part : polars.DataFrame
        One row per dot: ``label``, both differences and their intervals; the first is the reference.
    panels : sequence of Panel
        The same panel, wide and narrow.

    Returns
    -------
    polars.DataFrame
        With ``x``, ``y`` and the ends of the whiskers (``left``, ``right``, ``bottom``, ``top``) within the frame;
        ``dx``, ``dy``, ``dx_narrow``, ``dy_narrow``, in pixels; what lies beyond is added to ``label`` in words.
    """
    import polars as pl

    rows = [_within_frame(row, panels[0]) for row in part.iter_rows(named=True)]
    columns: dict[str, list[Any]] = {}
    for suffix, panel in zip(SUFFIXES, panels, strict=True):
        dots = [panel.pixels(row["x"], row["y"]) for row in rows]
        lines = [*_whisker_boxes(rows, panel), *_zero_line_boxes(dots[0], panel), *_front_boxes(rows, panel)]
        middles = label_positions(dots, [row["label"] for row in rows], (panel.width, panel.height), lines)
        moves = [(round(x - a, 1), round(y - b, 1)) for (a, b), (x, y) in zip(dots, middles, strict=True)]
        columns |= {f"dx{suffix}": [x for x, _ in moves], f"dy{suffix}": [y for _, y in moves]}
    within = {key: [row[key] for row in rows] for key in ("x", "y", "left", "right", "bottom", "top", "label")}
    kinds = dict.fromkeys(("x", "y", "left", "right", "bottom", "top"), pl.Float64)
    return part.with_columns(pl.DataFrame({**within, **columns}, schema_overrides=kinds).get_columns())


def _within_frame(row: dict[str, Any], panel: Panel) -> dict[str, Any]:
    far = [beyond(row[X], panel.across), beyond(row[Y], panel.up, "↓↑")]
    across = {key: clipped(row[end], panel.across) for key, end in (("x", X), ("left", ENDS[0]), ("right", ENDS[1]))}
    up = {key: clipped(row[end], panel.up) for key, end in (("y", Y), ("bottom", ENDS[2]), ("top", ENDS[3]))}
    # A whisker along the edge would look like a part of the frame.
    hidden = dict.fromkeys([*(("bottom", "top") if far[0] else ()), *(("left", "right") if far[1] else ())])
    return {**across, **up, **hidden, "label": " ".join(filter(None, [row["label"], *far]))}


def _whisker_boxes(rows: list[dict[str, Any]], panel: Panel) -> list[Box]:
    boxes = []
    for row in rows:
        # Without an interval there is only the dot.
        left, right = (row["x"] if row[end] is None else row[end] for end in ("left", "right"))
        low, high = (row["y"] if row[end] is None else row[end] for end in ("bottom", "top"))
        boxes += [panel.box(left, right, row["y"], row["y"]), panel.box(row["x"], row["x"], low, high)]
    return boxes


def _zero_line_boxes(reference: tuple[float, float], panel: Panel) -> list[Box]:
    """The zero lines cross at the reference."""
    right, down = reference
    corner = Box(right - 1, down - 1, right + 1, down + 1)
    return [corner._replace(left=0, right=panel.width), corner._replace(top=0, bottom=panel.height)]


def _front_boxes(rows: list[dict[str, Any]], panel: Panel) -> list[Box]:
    return step_boxes(stairs([(row["x"], row["y"]) for row in rows], panel.across[0], panel.up[0]), panel)
