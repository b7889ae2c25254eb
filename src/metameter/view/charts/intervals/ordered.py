"""Dots and whiskers in order: estimates with their confidence intervals."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

from metameter.view.charts.core.drawing import finished
from metameter.view.charts.core.parts import data_of, field_name, in_order, number, tooltips, value
from metameter.view.charts.core.robust_axes import beyond, clipped, padded, robust_span
from metameter.view.charts.core.theme import INK, LETTERS, MUTED
from metameter.view.charts.core.verdict_styles import MEANINGS, REFERENCE

if TYPE_CHECKING:
    import polars as pl


# Columns that are added; no table has columns of these names.
_LOW, _VALUE, _HIGH, _BEYOND = "low shown", "value shown", "high shown", "beyond"
Colours = Callable[[Sequence[str]], list[str] | None]


def ordered_intervals(
    frame: pl.DataFrame,
    label: str,
    value: str,
    low: str,
    high: str,
    group: str | None = None,
    highlight: Collection[str] = (),
    *,
    title: str = "",
    series: str | None = None,
    colours: Colours = lambda names: None,
    reference: Collection[str] = (),
    within: Sequence[float] = (),
) -> Any:
    """One dot and whisker per row, the largest value at the top; legible with 129 rows.

    A row far from all others does not squeeze them: it stands at the edge, with an arrow and its value in words.

    Parameters
    ----------
    frame : polars.DataFrame
        One row per dot; no label twice.
    label, value, low, high : str
        Its columns.
    group : str, optional
        Written beside the rows, such as the letters of systems that do not differ.
    highlight : collection of str
        The labels that stand out in ink; the others are grey.
    title : str
    series : str, optional
        The column that the rows are coloured by, if `colours` knows the colours of its values.
    colours : callable
        Given the values of `series`, their colours; None if they have none.
    reference : collection of str
        The labels of what others are held against: their dots are stars.
    within : sequence of float
        What the axis must hold in any case, marked by a line: 0 for differences.

    Returns
    -------
    altair.LayerChart
    """
    step = 17 if frame.height <= 50 else 14
    ends = padded(robust_span(frame.select(value, low, high).iter_rows(), within))
    shown = _shown(frame, value, low, high, ends)
    data = data_of(shown)
    columns = (label, value, low, high, *(each for each in (group, series) if each))
    base = {"y": _rows(frame, label, value), "tooltip": tooltips(frame, columns)}
    colour = _colour(frame, label, series, colours, highlight)
    scale = {"domain": list(ends), "nice": False, "zero": False}
    across = {"title": value, "scale": scale, "axis": {"tickCount": 6, "labelOverlap": True}}
    rule = {**base, "x": number(_LOW, **across), "x2": {"field": _HIGH}, "color": colour}
    dot = {**base, "x": number(_VALUE, **across), "color": colour, "shape": _shape(label, reference)}
    layers = [
        *(_line(each, across) for each in within),
        {"data": data, "mark": {"type": "rule", "strokeWidth": 1.5}, "encoding": rule},
        {"data": data, "mark": {"type": "point", "size": 3.4 * step, "opacity": 1}, "encoding": dot},
        *_written(shown, data, base, across, group),
    ]
    return finished({"layer": layers, "width": 420, "height": step * frame.height}, title)


def _line(at: float, across: dict[str, Any]) -> dict[str, Any]:
    encoding = {"x": {"datum": at, "type": "quantitative", **across}}
    return {"data": {"values": [{}]}, "mark": {"type": "rule", "color": INK}, "encoding": encoding}


def _shown(frame: pl.DataFrame, value: str, low: str, high: str, ends: tuple[float, float]) -> pl.DataFrame:
    """The rows as far as they are on the axis, and in words what is beyond it."""
    import polars as pl

    names = {_VALUE: value, _LOW: low, _HIGH: high}
    numbers = {
        name: pl.Series([clipped(each, ends) for each in frame[column].to_list()], dtype=pl.Float64)
        for name, column in names.items()
    }
    words = pl.Series([beyond(each, ends) for each in frame[value].to_list()], dtype=pl.String)
    return frame.with_columns(**numbers, **{_BEYOND: words})


def _rows(frame: pl.DataFrame, label: str, value: str) -> dict[str, Any]:
    order = frame.sort(value, descending=True, nulls_last=True)[label].to_list()
    axis = {"labelFontSize": LETTERS, "labelOverlap": False, "grid": True, "ticks": False, "domain": False}
    return {"field": field_name(label), "type": "nominal", "sort": order, "title": None, "axis": axis}


def _written(
    shown: pl.DataFrame, data: dict[str, Any], base: dict[str, Any], across: dict[str, Any], group: str | None
) -> list[dict[str, Any]]:
    """What is beyond the axis, and the groups."""
    text = {"type": "text", "fontSize": LETTERS, "color": INK}
    layers: list[dict[str, Any]] = []
    if group is not None:
        beside = {**base, "x": number(_HIGH, **across), "text": {"field": field_name(group), "type": "nominal"}}
        layers.append({"data": data, "mark": {**text, "align": "left", "dx": 6}, "encoding": beside})
    for arrow, align, dx in (("←", "left", 9), ("→", "right", -9)):
        some = shown.filter(shown[_BEYOND].str.starts_with(arrow))
        if some.height:
            where = {**base, "x": number(_VALUE, **across), "text": {"field": _BEYOND, "type": "nominal"}}
            layers.append({"data": data_of(some), "mark": {**text, "align": align, "dx": dx}, "encoding": where})
    return layers


def _shape(label: str, reference: Collection[str]) -> dict[str, Any]:
    if not reference:
        return value("circle")
    chosen = {"field": field_name(label), "oneOf": sorted(reference)}
    return {"condition": {"test": chosen, **value(MEANINGS[REFERENCE].shape)}, **value("circle")}


def _colour(
    frame: pl.DataFrame, label: str, series: str | None, colours: Colours, highlight: Collection[str]
) -> dict[str, Any]:
    if highlight:
        chosen = {"field": field_name(label), "oneOf": sorted(highlight)}
        return {"condition": {"test": chosen, **value(INK)}, **value(MUTED)}
    names = in_order(frame, series) if series is not None else []
    known = colours(names) if names else None
    if series is None or not known:
        return value(INK)
    scale = {"domain": names, "range": known}
    return {"field": field_name(series), "type": "nominal", "title": series, "scale": scale}
