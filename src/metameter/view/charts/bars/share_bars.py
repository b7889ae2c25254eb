"""Shares of three answers along a number: stacked bars, as wide as their bins, above how many cases each bin has."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.view.charts.core.drawing import finished
from metameter.view.charts.core.parts import data_of, number, panels, span, tooltips
from metameter.view.charts.core.robust_axes import padded
from metameter.view.charts.core.theme import MUTED, PAPER

if TYPE_CHECKING:
    import polars as pl


_WIDE, _HIGH = 340, 300
# From sand over grey to slate, of no verdict; on a dark page they stay as they are.
_SHADES = ("#C9A25C", "#D9D9D9", "#4A627B")
# Below the shares: the gap, and how far the highest count reaches down, in shares.
_GAP, _DEEP = 0.06, 0.24
# A bin of a single value is still so wide, as a share of the axis.
_THIN = 0.012
# Only shares have numbers: how many cases a bin has is told when pointing at it.
_AXIS = {"values": [0, 0.25, 0.5, 0.75, 1], "format": "%", "grid": False}


def share_bars(
    frame: pl.DataFrame,
    ends: tuple[str, str],
    shares: Sequence[tuple[str, str]],
    count: str,
    facet: str,
    *,
    title: str = "",
    below: Sequence[str] = (),
    titles: tuple[str, str] = ("", ""),
) -> Any:
    """A stack per bin: the first share at the bottom; hanging below it a grey bar for the number of cases.

    Parameters
    ----------
    frame : polars.DataFrame
        One row per bin.
    ends : pair of str
        The columns with the ends of the bin.
    shares : three pairs of str
        The columns with the shares, and what they are called in the legend.
    count, facet : str
        The columns with the number of cases, and of the panes; bars of counts are to be compared within a pane.
    title : str
    below : sequence of str
        What stands below the title.
    titles : pair of str
        What is said at the axes.

    Returns
    -------
    altair.ConcatChart
    """
    names = [name for _, name in shares]
    scale = {"domain": names, "range": list(_SHADES)}
    legend = {"orient": "top", "direction": "horizontal", "title": None, "columns": 3, "symbolStrokeWidth": 0}
    colour = {"field": "answer", "type": "nominal", "sort": names, "scale": scale, "legend": legend}

    def panel(part: pl.DataFrame) -> dict[str, Any]:
        edges = padded(span(part, *ends), 0.02)
        rows = _stacks(part, ends, shares, count, edges)
        across = number("from", title=titles[0], scale={"domain": list(edges), "nice": False, "zero": False})
        spans: dict[str, Any] = {"x": across, "x2": {"field": "to"}}
        up = number("bottom", title=titles[1], scale={"domain": [-_GAP - _DEEP, 1], "nice": False}, axis=_AXIS)
        bars = {**spans, "y": up, "y2": {"field": "top"}, "color": colour, "tooltip": _hover(rows, ends, count)}
        hanging = {**spans, "y": {**up, "field": "hung"}, "y2": {"datum": -_GAP}, "tooltip": _hover(rows, ends, count)}
        # One bar a bin, not one for each answer.
        once = [{"filter": f"datum.answer === {json.dumps(names[0])}"}]
        layers = [
            {"mark": {"type": "rect", "stroke": PAPER, "strokeWidth": 0.4}, "encoding": bars},
            {"mark": {"type": "rect", "fill": MUTED}, "encoding": hanging, "transform": once},
        ]
        most = f"{max(part[count].to_list()):,}"
        sized = {
            "width": _WIDE,
            "height": _HIGH,
            "title": {"text": str(part[facet][0]), "subtitle": f"{most} {count} at most in a bar"},
        }
        return {"data": data_of(rows), "layer": layers, **sized}

    chart = panels(frame, facet, panel, wide=_WIDE + 70)
    return finished({**chart, "usermeta": {"legend": 2, "least": 180}}, title, below)


def _hover(rows: pl.DataFrame, ends: tuple[str, str], count: str) -> list[dict[str, Any]]:
    return tooltips(rows, (*ends, "answer", "share", count))


def _stacks(
    part: pl.DataFrame, ends: tuple[str, str], shares: Sequence[tuple[str, str]], count: str, edges: tuple[float, float]
) -> pl.DataFrame:
    """A row for each bin and answer, with where its bar begins and ends."""
    import polars as pl

    least = _THIN * (edges[1] - edges[0]) / 2
    most = max([*part[count].to_list(), 1])
    rows: list[dict[str, Any]] = []
    for bin_ in part.sort(*ends).iter_rows(named=True):
        low, high = (bin_[end] for end in ends)
        middle, half = (low + high) / 2, max((high - low) / 2, least)
        bottom = 0.0
        told = {ends[0]: low, ends[1]: high, count: bin_[count], "from": middle - half, "to": middle + half}
        for column, name in shares:
            share = bin_[column] or 0.0
            hung = -_GAP - _DEEP * bin_[count] / most
            rows.append({**told, "answer": name, "share": share, "bottom": bottom, "top": bottom + share, "hung": hung})
            bottom += share
    floats = dict.fromkeys((*ends, "from", "to", "share", "bottom", "top", "hung"), pl.Float64)
    # More digits than can be seen would only make pages larger.
    return pl.DataFrame(rows, schema_overrides=floats).with_columns(pl.col(pl.Float64).round(5))
