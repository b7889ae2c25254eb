"""Scatter plots: two numbers of the same thing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from metameter.view.charts.core.drawing import finished
from metameter.view.charts.core.parts import data_of, field_name, in_order, number, panels, span, tooltips, value
from metameter.view.charts.core.theme import INK, LETTERS, MUTED, PAPER, SERIES
from metameter.view.charts.core.verdicts import verdict_keys

if TYPE_CHECKING:
    import polars as pl


_WIDE, _HIGH = 360, 260


def scatter(
    frame: pl.DataFrame,
    x: str,
    y: str,
    label: str,
    group: str | None = None,
    facet: str | None = None,
    highlight: Collection[str] = (),
    *,
    tooltip: Sequence[str] = (),
    diagonal: bool = False,
    title: str = "",
) -> Any:
    """One dot per row; highlighted ones carry their names.

    Parameters
    ----------
    frame : polars.DataFrame
    x, y, label : str
        Its columns.
    group : str, optional
        Verdicts give the dots their colours and shapes; any other groups are told apart by greys.
    facet : str, optional
        One panel per value of this column.
    highlight : collection of str
        The labels that are written beside their dots.
    tooltip : sequence of str
        Further columns to show when hovering over a dot.
    diagonal : bool
        Draw the line on which both numbers are equal.
    title : str

    Returns
    -------
    altair.LayerChart or altair.ConcatChart
    """
    keys = _keys(frame, label, group, highlight)
    axes = {side: number(column, title=column, scale={"zero": False}) for side, column in (("x", x), ("y", y))}

    def panel(part: pl.DataFrame) -> dict[str, Any]:
        shown = tooltips(part, (label, x, y, *([group] if group else []), *tooltip))
        base = {**axes, "tooltip": shown}
        mark = {"type": "point", "size": 60, "opacity": 1, "stroke": PAPER, "strokeWidth": 0.6}
        dots = {"data": data_of(part), "mark": mark, "encoding": {**base, **keys}}
        layers = [*([_equal(part, x, y, axes)] if diagonal else []), dots, _names(part, base, label, highlight)]
        return {"layer": layers, "width": _WIDE, "height": _HIGH}

    return finished(panels(frame, facet, panel), title)


def _keys(frame: pl.DataFrame, label: str, group: str | None, highlight: Collection[str]) -> dict[str, Any]:
    if group is None:
        chosen = {"field": field_name(label), "oneOf": sorted(highlight)}
        return {"color": {"condition": {"test": chosen, **value(INK)}, **value(MUTED if highlight else INK)}}
    names = in_order(frame, group)
    if keys := verdict_keys(group, names):
        return keys
    shades = [SERIES[i % len(SERIES)] for i in range(len(names))]
    return {"color": {"field": field_name(group), "type": "nominal", "scale": {"domain": names, "range": shades}}}


def _names(part: pl.DataFrame, base: dict[str, Any], label: str, highlight: Collection[str]) -> dict[str, Any]:
    some = part.filter(part[label].is_in(sorted(highlight)))
    mark = {"type": "text", "align": "left", "dx": 7, "fontSize": LETTERS, "color": INK}
    text = {"field": field_name(label), "type": "nominal"}
    return {"data": data_of(some), "mark": mark, "encoding": {**base, "text": text}}


def _equal(part: pl.DataFrame, x: str, y: str, axes: dict[str, Any]) -> dict[str, Any]:
    ends = span(part, x, y)
    mark = {"type": "line", "color": MUTED, "strokeDash": [4, 4]}
    return {"data": {"values": [{x: end, y: end} for end in ends]}, "mark": mark, "encoding": axes}
