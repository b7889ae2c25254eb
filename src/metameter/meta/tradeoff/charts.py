"""Stability against agreement with users: a dot for each metric, and the metrics that none beats in both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.meta.colours import aggregation_colours
from metameter.meta.recommend.pareto_labels import Panel
from metameter.meta.tradeoff.dots import MOST_LABELS, corners, dots, placed
from metameter.view.charts.drawing import finished
from metameter.view.charts.meanings import MEANINGS, REFERENCE
from metameter.view.charts.parts import data_of, number, tooltips, value
from metameter.view.charts.robust import padded, robust_span
from metameter.view.charts.theme import INK, LETTERS, MUTED, PAPER

if TYPE_CHECKING:
    import polars as pl

__all__ = ["tradeoff_chart"]

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
    shape = {"condition": {"test": "datum.canonical", **value(MEANINGS[REFERENCE].shape)}, **value("circle")}
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
