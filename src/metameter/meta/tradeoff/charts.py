"""Stability against agreement with users: a dot for each metric, and the metrics that none beats in both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.meta.framework.metric_charts import aggregation_colours
from metameter.meta.framework.metric_names import aggregation_of, is_canonical, product_of
from metameter.stats.pareto_front import front, stairs
from metameter.view.charts.axes import beyond, clipped, padded, robust_span
from metameter.view.charts.channels import data_of, number, tooltips, value
from metameter.view.charts.label_positions import LETTER, LINE, Panel, label_positions, step_boxes
from metameter.view.charts.specification import finished
from metameter.view.charts.theme import INK, LETTERS, MUTED, PAPER
from metameter.view.mark_styles import STAR

if TYPE_CHECKING:
    import polars as pl


#: With more dots only those of the front, and those beyond the frame, are named.
MOST_LABELS = 14
# A name so many pixels from its dot needs no line.
_NEAR = 16
_OTHER = "other metrics"

# Two abreast fill a page of usual width.
_WIDE, _ALONE, _NARROW, _HIGH = 345, 700, 235, 340
_NAMED = [{"filter": "datum.label !== ''"}]
_AXIS = {"tickCount": 5, "labelOverlap": True}
_ACROSS = {
    "consistency": "consistency (mean tau)",
    "power": "power (share of pairs)",
}
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
    """Every metric a dot: how stable it is, and how well it agrees with users; a panel for each kind of label.

    Parameters
    ----------
    frame : polars.DataFrame
        ``metric``, ``consistency`` or ``power``, and the agreement: ``tau_b`` with ``tau_low`` and ``tau_high``, or
        ``satisfaction`` and ``preference`` with ``_low`` and ``_high``, of which one may be missing or empty. Where
        ``front`` is true the dot is ringed.
        A metric without both numbers of a panel is not in it, and the chart says how many are missing.
    across : str
        ``consistency`` or ``power``: what stands across.

    Returns
    -------
    altair.ConcatChart or None
        None if no metric has both numbers.
    """
    kinds = [name for name in _UP if name in frame.columns and _known(frame, across, name).height]
    if not kinds:
        return None
    wide = _WIDE if len(kinds) > 1 else _ALONE
    made = [_panel(frame, across, kind, wide) for kind in kinds]
    laid = {"columns": 2, "params": [{"name": "narrow", "value": False}], "usermeta": {"legend": 2, "least": 200}}
    below = " ".join([_HOW, *_ringed(frame), *_missing(frame, across, kinds)])
    return finished({"concat": made, **laid}, _TITLE, [below])


def _ringed(frame: pl.DataFrame) -> list[str]:
    return [_RINGED] if "front" in frame.columns and frame["front"].any() else []


def _missing(frame: pl.DataFrame, across: str, kinds: Sequence[str]) -> list[str]:
    """How many metrics have no dot, in every panel that lacks some."""
    left = {kind: frame.height - _known(frame, across, kind).height for kind in kinds}
    if not any(left.values()):
        return []
    told = (f"{number_} in {kind}" if len(kinds) > 1 else str(number_) for kind, number_ in left.items() if number_)
    return [f"Metrics without a value, which have no dot: {', '.join(told)}."]


def _known(frame: pl.DataFrame, across: str, kind: str) -> pl.DataFrame:
    return frame.filter(*(frame[name].is_not_null() & frame[name].cast(float).is_finite() for name in (across, kind)))


def _panel(frame: pl.DataFrame, across: str, kind: str, wide: int) -> dict[str, Any]:
    rows = dots(_known(frame, across, kind), across, kind)
    scales = [
        padded(robust_span([row["value_x"]] for row in rows), 0.1),
        padded(robust_span([row["value_y"], row["low"], row["high"]] for row in rows), 0.1),
    ]
    panels = [Panel(scales[0], scales[1], width, _HIGH) for width in (wide, _NARROW)]
    shown = placed(rows, panels)
    x, y = (
        number(side, title=title, scale={"domain": list(ends), "nice": False, "zero": False}, axis=_AXIS)
        for side, title, ends in zip("xy", (_ACROSS[across], _UP[kind]), scales, strict=True)
    )
    place = {"x": x, "y": y, "tooltip": _hover(shown, across, kind)}
    few = shown.height <= MOST_LABELS
    layers = [_steps(rows, panels[0], x, y), _whiskers(few, x, y), _leaders(x, y), _points(shown, place), *_names(x, y)]
    return {"data": data_of(shown), "layer": layers, "width": wide, "height": _HIGH}


def _hover(shown: pl.DataFrame, across: str, kind: str) -> list[dict[str, Any]]:
    titles = {"value_x": across, "value_y": kind}
    made = tooltips(shown, ("metrics", "value_x", "value_y", "low", "high"))
    return [{**each, "title": titles.get(each["title"], each["title"])} for each in made]


def _steps(rows: list[dict[str, Any]], panel: Panel, x: dict[str, Any], y: dict[str, Any]) -> dict[str, Any]:
    steps = [{"x": a, "y": b, "order": i} for i, (a, b) in enumerate(corners(rows, panel))]
    mark = {"type": "line", "color": MUTED, "strokeDash": [5, 3], "strokeWidth": 1.2, "interpolate": "step-before"}
    return {"data": {"values": steps}, "mark": mark, "encoding": {"x": x, "y": y, "order": number("order")}}


def _whiskers(few: bool, x: dict[str, Any], y: dict[str, Any]) -> dict[str, Any]:
    """Intervals of those on the front: with all of them, many metrics would be a thicket."""
    which = [{"filter": f"isValid(datum.bottom) && isValid(datum.top){'' if few else ' && datum.front'}"}]
    upright = {"x": x, "y": {**y, "field": "bottom"}, "y2": {"field": "top"}}
    return {"mark": {"type": "rule", "strokeWidth": 1, "color": MUTED}, "transform": which, "encoding": upright}


def _points(shown: pl.DataFrame, place: dict[str, Any]) -> dict[str, Any]:
    names = list(dict.fromkeys(shown["aggregation"].to_list()))
    scale = {"domain": names, "range": aggregation_colours(names)}
    legend = {"orient": "top", "direction": "horizontal", "columns": 8, "title": None, "symbolType": "circle"}
    colour = {"field": "aggregation", "type": "nominal", "scale": scale, "legend": legend if len(names) > 1 else None}
    sizes = [{"test": "datum.front", **value(140)}, {"test": "datum.canonical", **value(85)}]
    shape = {"condition": {"test": "datum.canonical", **value(STAR)}, **value("circle")}
    mark = {"type": "point", "opacity": 1}
    rim = {"condition": {"test": "datum.ringed", **value(INK)}, **value(PAPER)}
    thick = {"condition": {"test": "datum.ringed", **value(1.6)}, **value(0.7)}
    # Filled dots: their colour is that of the fill, their rim is free to say something else.
    size = {"condition": sizes, **value(50)}
    drawn = {"fill": colour, "stroke": rim, "strokeWidth": thick, "size": size, "shape": shape}
    return {"mark": mark, "encoding": {**place, **drawn}}


def _leaders(x: dict[str, Any], y: dict[str, Any]) -> dict[str, Any]:
    """Lines to the names that stand further off."""
    ends = {f"{side}2Offset": {"expr": f"narrow ? datum.to_{side}_narrow : datum.to_{side}"} for side in ("x", "y")}
    encoding = {"x": x, "y": y, "x2": {"field": "x"}, "y2": {"field": "y"}}
    mark = {"type": "rule", "color": MUTED, "strokeWidth": 0.8, **ends}
    return {"mark": mark, "transform": _NAMED, "encoding": encoding}


def _names(x: dict[str, Any], y: dict[str, Any]) -> list[dict[str, Any]]:
    moved = {side: {"expr": f"narrow ? datum.{side}_narrow : datum.{side}"} for side in ("dx", "dy")}
    text = {"type": "text", "fontSize": LETTERS, **moved}
    rim = {"color": PAPER, "stroke": PAPER, "strokeWidth": 3, "strokeJoin": "round"}
    encoding = {"x": x, "y": y, "text": {"field": "label", "type": "nominal"}}
    return [{"mark": {**text, **style}, "transform": _NAMED, "encoding": encoding} for style in (rim, {"color": INK})]


def dots(known: pl.DataFrame, across: str, kind: str) -> list[dict[str, Any]]:
    """A row per dot: metrics with the same numbers share one; whether it is on the front of this panel."""
    stem = "tau" if kind == "tau_b" else kind
    low, high = f"{stem}_low", f"{stem}_high"
    found: dict[tuple[float, float], dict[str, Any]] = {}
    for row in known.iter_rows(named=True):
        key = (round(row[across], 9), round(row[kind], 9))
        if key in found:
            found[key]["metrics"] += f" = {row['metric']}"
            found[key]["alike"] += 1
            found[key]["ringed"] |= bool(row.get("front"))
            continue
        numbers = {"value_x": row[across], "value_y": row[kind], "low": row.get(low), "high": row.get(high)}
        told = {"metrics": row["metric"], "alike": 0, "ringed": bool(row.get("front"))}
        found[key] = {"metric": row["metric"], **told, **numbers}
    kept = set(front(list(found)))
    return [{**row, "front": key in kept} for key, row in found.items()]


def placed(rows: list[dict[str, Any]], panels: Sequence[Panel]) -> pl.DataFrame:
    """The dots within the frame, with what is written beside them, and where."""
    import polars as pl

    across, up = panels[0].across, panels[0].up
    for row in rows:
        far = [beyond(row["value_x"], across), beyond(row["value_y"], up, "↓↑")]
        row |= {"x": clipped(row["value_x"], across), "y": clipped(row["value_y"], up), "far": any(far)}
        row |= {"bottom": clipped(row["low"], up), "top": clipped(row["high"], up)}
        name = row["metric"] + (f" and {row['alike']} alike" if row["alike"] else "")
        row |= {"label": " ".join(filter(None, [name, *far])), "canonical": is_canonical(row["metric"])}
        row["aggregation"] = aggregation_of(row["metric"]) if product_of(row["metric"]) else _OTHER
    for i in set(range(len(rows))) - _named(rows):
        rows[i]["label"] = ""
    for suffix, panel in zip(("", "_narrow"), panels, strict=True):
        for row, moved in zip(rows, _moves(rows, panel), strict=True):
            row |= {f"{key}{suffix}": number_ for key, number_ in moved.items()}
    ends = dict.fromkeys(("low", "high", "bottom", "top"), pl.Float64)
    # More digits than can be seen would only make pages larger.
    shown = pl.DataFrame(rows, infer_schema_length=None, schema_overrides=ends)
    return shown.with_columns(pl.col(pl.Float64).round(5))


def _named(rows: list[dict[str, Any]]) -> set[int]:
    """The dots that carry their names: the front first; the names of most others are left to the tooltips."""
    wanted = sorted(range(len(rows)), key=lambda i: (not rows[i]["front"], not rows[i]["far"]))
    few = len(rows) <= MOST_LABELS
    return {i for i in wanted[:MOST_LABELS] if few or rows[i]["front"] or rows[i]["far"]}


def _moves(rows: list[dict[str, Any]], panel: Panel) -> list[dict[str, float]]:
    """How far from its dot each name stands, and where the line to it ends."""
    middles_of = [panel.pixels(row["x"], row["y"]) for row in rows]
    order = sorted(range(len(rows)), key=lambda i: not rows[i]["label"])
    lines = step_boxes(corners(rows, panel), panel)
    lines += [panel.box(row["x"], row["x"], row["bottom"], row["top"]) for row in rows if row["bottom"] is not None]
    labels = [rows[i]["label"] for i in order]
    middles = label_positions([middles_of[i] for i in order], labels, (panel.width, panel.height), lines, far=True)
    moved: dict[int, dict[str, float]] = {}
    for i, label, (x, y) in zip(order, labels, middles, strict=True):
        dx, dy = x - middles_of[i][0], y - middles_of[i][1]
        end = _end(dx, dy, label)
        moved[i] = {"dx": round(dx, 1), "dy": round(dy, 1), "to_x": round(end[0], 1), "to_y": round(end[1], 1)}
    return [moved[i] for i in range(len(rows))]


def _end(dx: float, dy: float, label: str) -> tuple[float, float]:
    """Where the line to a name ends: at the nearest point of its box; where it began, if that is near."""
    half = LETTER * len(label) / 2
    across = dx - half if dx > half else dx + half if dx < -half else 0.0
    up = dy - LINE / 2 if dy > LINE / 2 else dy + LINE / 2 if dy < -LINE / 2 else 0.0
    return (across, up) if math.hypot(across, up) > _NEAR else (0.0, 0.0)


def corners(rows: list[dict[str, Any]], panel: Panel) -> list[tuple[float, float]]:
    """The corners of the front, within the frame."""
    values = [(row["value_x"], row["value_y"]) for row in rows if row["front"]]
    steps = stairs(values, panel.across[0], panel.up[0]) if values else []
    return [(clipped(a, panel.across) or 0.0, clipped(b, panel.up) or 0.0) for a, b in steps]
