"""Stability against agreement with users: a dot for each metric, and the metrics that none beats in both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.meta.framework.front_charts import (
    NARROW_PARAMETER,
    SUFFIXES,
    Channel,
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
from metameter.meta.framework.metric_names import is_canonical
from metameter.stats.pareto_front import front
from metameter.view.charts.axes import beyond, clipped, padded, robust_span
from metameter.view.charts.channels import data_of, number, tooltips, value
from metameter.view.charts.label_positions import Panel, step_boxes
from metameter.view.charts.specification import finished
from metameter.view.charts.theme import INK, MUTED, PAPER

if TYPE_CHECKING:
    import polars as pl


#: With more dots only those of the front, and those beyond the frame, are labelled.
MOST_LABELS = 14

# Two panels side by side fill a page of usual width.
_WIDE, _ALONE, _NARROW, _HIGH = 345, 700, 235, 340
_LABELLED = [{"filter": "datum.label !== ''"}]
_AXIS = {"tickCount": 5, "labelOverlap": True}
_ACROSS = {"consistency": "consistency (mean tau)", "power": "power (share of pairs)"}
_UP = {
    "tau_b": "agreement with users (tau_b)",
    "satisfaction": "agreement with satisfaction (concordance)",
    "preference": "agreement with preferences (concordance)",
}
_TITLE = "Stable, or in agreement with users?"
_HOW = (
    "Up and to the right is better. Dashed steps: the front of the panel, whose metrics (large dots, named) none beats "
    "in both. Upright lines: 95% intervals of their agreement (of all, if they are few). Stars are canonical metrics. "
    "A small distance says little: the table tells what is shown to differ."
)
_RINGED = "Ringed: no metric is higher in all that the table compares."


def tradeoff_chart(frame: pl.DataFrame, across: str = "consistency") -> Any:
    """Return a chart of stability and agreement with users: a dot per metric, a panel per kind of label.

    Parameters
    ----------
    frame : polars.DataFrame
        ``metric``, ``consistency`` or ``power``, and the agreement: ``tau_b`` with ``tau_low`` and ``tau_high``, or
        ``satisfaction`` and ``preference`` with ``_low`` and ``_high``, of which one may be missing or empty. Dots are
        ringed where ``front`` is true. A metric without both numbers of a panel is not in it, and the chart says how
        many are missing.
    across : {"consistency", "power"}
        The horizontal axis.

    Returns
    -------
    altair.ConcatChart or None
        None if no metric has both numbers.
    """
    kinds = [name for name in _UP if name in frame.columns and _known(frame, across, name).height]
    if not kinds:
        return None
    wide = _WIDE if len(kinds) > 1 else _ALONE
    panels = [_panel(frame, across, kind, wide) for kind in kinds]
    layout = {"columns": 2, "params": [NARROW_PARAMETER], "usermeta": {"legend": 2, "least": 200}}
    below = " ".join([_HOW, *_ringed(frame), *_missing(frame, across, kinds)])
    return finished({"concat": panels, **layout}, _TITLE, [below])


def _ringed(frame: pl.DataFrame) -> list[str]:
    return [_RINGED] if "front" in frame.columns and frame["front"].any() else []


def _missing(frame: pl.DataFrame, across: str, kinds: Sequence[str]) -> list[str]:
    """Say how many metrics have no dot, for every panel that lacks some."""
    missing = {kind: frame.height - _known(frame, across, kind).height for kind in kinds}
    counts = [f"{count} in {kind}" if len(kinds) > 1 else str(count) for kind, count in missing.items() if count]
    return [f"Metrics without a value, which have no dot: {', '.join(counts)}."] if counts else []


def _known(frame: pl.DataFrame, across: str, kind: str) -> pl.DataFrame:
    return frame.filter(*(frame[name].is_not_null() & frame[name].cast(float).is_finite() for name in (across, kind)))


def _panel(frame: pl.DataFrame, across: str, kind: str, wide: int) -> dict[str, Any]:
    rows = dots(_known(frame, across, kind), across, kind)
    scales = [
        padded(robust_span([row["value_x"]] for row in rows), 0.1),
        padded(robust_span([row["value_y"], row["low"], row["high"]] for row in rows), 0.1),
    ]
    panels = [Panel(scales[0], scales[1], width, _HIGH) for width in (wide, _NARROW)]
    labelled = labelled_dots(rows, panels)
    x, y = (
        number(side, title=title, scale={"domain": list(ends), "nice": False, "zero": False}, axis=_AXIS)
        for side, title, ends in zip("xy", (_ACROSS[across], _UP[kind]), scales, strict=True)
    )
    layers = [
        front_layer(corners(rows, panels[0]), x, y),
        _whiskers(labelled.height <= MOST_LABELS, x, y),
        _labelled_only(label_lines(x, y)),
        _points(labelled, {"x": x, "y": y, "tooltip": _hover(labelled, across, kind)}),
        *map(_labelled_only, label_texts(x, y)),
    ]
    return {"data": data_of(labelled), "layer": layers, "width": wide, "height": _HIGH}


def _labelled_only(layer: dict[str, Any]) -> dict[str, Any]:
    return {"mark": layer["mark"], "transform": _LABELLED, "encoding": layer["encoding"]}


def _hover(labelled: pl.DataFrame, across: str, kind: str) -> list[Channel]:
    titles = {"value_x": across, "value_y": kind}
    channels = tooltips(labelled, ("metrics", "value_x", "value_y", "low", "high"))
    return [{**each, "title": titles.get(each["title"], each["title"])} for each in channels]


def _whiskers(few: bool, x: Channel, y: Channel) -> dict[str, Any]:
    """The intervals of all metrics if they are few; else of those on the front, since many would hide the dots."""
    which = [{"filter": f"isValid(datum.bottom) && isValid(datum.top){'' if few else ' && datum.front'}"}]
    upright = {"x": x, "y": {**y, "field": "bottom"}, "y2": {"field": "top"}}
    return {"mark": {"type": "rule", "strokeWidth": 1, "color": MUTED}, "transform": which, "encoding": upright}


def _points(labelled: pl.DataFrame, position: dict[str, Any]) -> dict[str, Any]:
    """Filled dots: the fill says the aggregation, the rim whether no metric is higher in all figures."""
    colour = aggregation_channel(list(dict.fromkeys(labelled["aggregation"].to_list())))
    rim = {"condition": {"test": "datum.ringed", **value(INK)}, **value(PAPER)}
    thick = {"condition": {"test": "datum.ringed", **value(1.6)}, **value(0.7)}
    style = {"fill": colour, "stroke": rim, "strokeWidth": thick, "size": dot_size(), "shape": dot_shape()}
    return {"mark": {"type": "point", "opacity": 1}, "encoding": {**position, **style}}


def dots(known: pl.DataFrame, across: str, kind: str) -> list[dict[str, Any]]:
    """A row per dot: metrics with the same numbers share one; whether it is on the front of this panel."""
    stem = "tau" if kind == "tau_b" else kind
    by_position: dict[Point, dict[str, Any]] = {}
    for row in known.iter_rows(named=True):
        position, ringed = (round(row[across], 9), round(row[kind], 9)), bool(row.get("front"))
        if position in by_position:
            dot = by_position[position]
            dot["metrics"] += f" = {row['metric']}"
            dot["alike"] += 1
            dot["ringed"] |= ringed
            continue
        names = {"metric": row["metric"], "metrics": row["metric"], "alike": 0, "ringed": ringed}
        ends = {end: row.get(f"{stem}_{end}") for end in ("low", "high")}
        by_position[position] = {**names, "value_x": row[across], "value_y": row[kind], **ends}
    on_front = set(front(list(by_position)))
    return [{**dot, "front": position in on_front} for position, dot in by_position.items()]


def labelled_dots(rows: list[dict[str, Any]], panels: Sequence[Panel]) -> pl.DataFrame:
    """The dots within the frame, with their labels and the offsets of these."""
    import polars as pl

    across, up = panels[0].across, panels[0].up
    series = aggregation_series([row["metric"] for row in rows])
    for row, aggregation in zip(rows, series, strict=True):
        far = [beyond(row["value_x"], across), beyond(row["value_y"], up, "↓↑")]
        row |= {"x": clipped(row["value_x"], across), "y": clipped(row["value_y"], up), "far": any(far)}
        row |= {"bottom": clipped(row["low"], up), "top": clipped(row["high"], up)}
        name = row["metric"] + (f" and {row['alike']} alike" if row["alike"] else "")
        row |= {"label": " ".join(filter(None, [name, *far])), "canonical": is_canonical(row["metric"])}
        row["aggregation"] = aggregation
    for i in set(range(len(rows))) - _with_label(rows):
        rows[i]["label"] = ""
    for suffix, panel in zip(SUFFIXES, panels, strict=True):
        for row, offsets in zip(rows, _offsets(rows, panel), strict=True):
            row |= {f"{key}{suffix}": offset for key, offset in offsets.items()}
    ends = dict.fromkeys(("low", "high", "bottom", "top"), pl.Float64)
    # More digits than can be seen would only make pages larger.
    table = pl.DataFrame(rows, infer_schema_length=None, schema_overrides=ends)
    return table.with_columns(pl.col(pl.Float64).round(5))


def _with_label(rows: list[dict[str, Any]]) -> set[int]:
    """The dots with a label, the front first; with many dots the names of most others are in the tooltips only."""
    order = sorted(range(len(rows)), key=lambda i: (not rows[i]["front"], not rows[i]["far"]))
    few = len(rows) <= MOST_LABELS
    return {i for i in order[:MOST_LABELS] if few or rows[i]["front"] or rows[i]["far"]}


def _offsets(rows: list[dict[str, Any]], panel: Panel) -> list[dict[str, float]]:
    pixels = [panel.pixels(row["x"], row["y"]) for row in rows]
    lines = step_boxes(corners(rows, panel), panel)
    lines += [panel.box(row["x"], row["x"], row["bottom"], row["top"]) for row in rows if row["bottom"] is not None]
    return label_offsets(pixels, [row["label"] for row in rows], panel, lines)


def corners(rows: list[dict[str, Any]], panel: Panel) -> list[Point]:
    """The corners of the front, within the frame."""
    return front_corners([(row["value_x"], row["value_y"]) for row in rows if row["front"]], panel)
