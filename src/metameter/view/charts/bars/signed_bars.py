"""Bars up and down from zero, the largest first: differences topic by topic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.view.charts.core.drawing import finished
from metameter.view.charts.core.parts import data_of, field_name, number, tooltips, value
from metameter.view.charts.core.theme import ACROSS, INK, LETTERS, MUTED
from metameter.view.tables.cells import plain

if TYPE_CHECKING:
    import polars as pl


_HIGH, _LEAST = 260, 200
# How wide a bar with its name is, and with how many bars they no longer have names.
_STEP, _MOST_NAMED = 16, 60
# Above and below zero, told apart by everyone; neither is the colour of a verdict.
_ABOVE, _BELOW = "#4A627B", "#C9A25C"


def signed_bars(
    frame: pl.DataFrame,
    label: str,
    value: str,
    tooltip: Sequence[str] = (),
    *,
    title: str = "",
    below: Sequence[str] = (),
    titles: tuple[str, str] = ("", ""),
) -> Any:
    """One bar per row, the largest value first, and a line at their mean; names below them where there is room.

    Parameters
    ----------
    frame : polars.DataFrame
        One row per bar; no label twice.
    label, value : str
        Its columns.
    tooltip : sequence of str
        Further columns to show when hovering over a bar.
    title : str
    below : sequence of str
        What stands below the title.
    titles : pair of str
        What is said at the axes.

    Returns
    -------
    altair.LayerChart
    """
    order = frame.sort(value, descending=True, nulls_last=True, maintain_order=True)
    named = frame.height <= _MOST_NAMED
    # Where a chart is narrower than it was made for, names that would run into each other are left out.
    axis = {"labelAngle": -90, "labelOverlap": True, "ticks": False, "labels": named, "labelLimit": 120}
    x = {
        "field": field_name(label),
        "type": "nominal",
        "sort": order[label].to_list(),
        "title": titles[0],
        "axis": axis,
        # Many bars have no room between them.
        "scale": {"paddingInner": 0.2 if named else 0},
    }
    y = number(value, title=titles[1], scale={"zero": True}, axis={"tickCount": 7})
    shown = {"x": x, "y": y, "color": _colour(value), "tooltip": tooltips(frame, (label, value, *tooltip))}
    layers = [
        {"data": data_of(order), "mark": {"type": "bar"}, "encoding": shown},
        _line(0.0, {"color": MUTED}),
        *_mean(order, value),
    ]
    wide = max(_LEAST, _STEP * frame.height) if named else ACROSS
    return finished({"layer": layers, "width": wide, "height": _HIGH, "usermeta": {"least": _LEAST}}, title, below)


def _colour(column: str) -> dict[str, Any]:
    return {"condition": {"test": {"field": field_name(column), "gt": 0}, **value(_ABOVE)}, **value(_BELOW)}


def _line(at: float, mark: dict[str, Any]) -> dict[str, Any]:
    encoding = {"y": {"datum": at, "type": "quantitative"}}
    return {"data": {"values": [{}]}, "mark": {"type": "rule", **mark}, "encoding": encoding}


def _mean(frame: pl.DataFrame, column: str) -> list[dict[str, Any]]:
    """A line at the mean with its number, at the end where the bars leave room: they fall from left to right."""
    known = [each for each in map(plain, frame[column].to_list()) if each is not None]
    if not known:
        return []
    mean = sum(known) / len(known)
    aligned = (
        {"align": "left", "baseline": "top", "dy": 4}
        if mean < 0
        else {"align": "right", "baseline": "bottom", "dy": -3}
    )
    x = {"value": 2 if mean < 0 else "width"}
    at = {"y": {"datum": mean, "type": "quantitative"}, "x": x, "text": value(f"mean {mean:+.4f}")}
    return [
        _line(mean, {"color": INK, "strokeDash": [4, 3]}),
        {
            "data": {"values": [{}]},
            "mark": {"type": "text", "fontSize": LETTERS, "color": INK, **aligned},
            "encoding": at,
        },
    ]
