"""Verdicts in charts: each has its colour and its shape, a close call is hollow and its lines are dashed."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from metameter.view.charts.core.parts import data_of, field_name, value
from metameter.view.charts.core.theme import PAPER
from metameter.view.charts.core.verdict_styles import MEANINGS, in_order_of_news

if TYPE_CHECKING:
    import polars as pl


#: What a chart says below its title where it shows close calls.
HOLLOW = "Hollow and dashed: a close call, which other random draws could turn."


def verdict_keys(column: str, verdicts: Collection[str]) -> dict[str, Any]:
    """The channels of colour and shape, with one legend for both; none if some are no verdicts.

    Parameters
    ----------
    column : str
        The column of verdicts.
    verdicts : collection of str
        Those that the legend shows.

    Examples
    --------
    >>> verdict_keys("verdict", ["no-evidence", "worse"])["color"]["scale"]
    {'domain': ['worse', 'no-evidence'], 'range': ['#B33A00', '#949494']}
    >>> verdict_keys("group", ["AP"])
    {}
    """
    names = in_order_of_news(verdicts)
    if not names or not set(names) <= set(MEANINGS):
        return {}
    legend = {"orient": "top", "direction": "horizontal", "title": None, "columns": 4, "symbolSize": 90}
    # Hyphens are for programs.
    shown = {**legend, "labelExpr": "replace(datum.label, /-/g, ' ')", "symbolStrokeWidth": 0}
    key = {"field": field_name(column), "type": "nominal", "title": None, "legend": shown}
    scales = {"color": [MEANINGS[name].colour for name in names], "shape": [MEANINGS[name].shape for name in names]}
    return {channel: {**key, "scale": {"domain": names, "range": each}} for channel, each in scales.items()}


def verdict_dots(
    frame: pl.DataFrame, place: dict[str, Any], keys: dict[str, Any], close: str, size: int = 95
) -> list[dict[str, Any]]:
    """A mark for each row; those of close calls are hollow.

    Parameters
    ----------
    frame : polars.DataFrame
    place : dict
        The channels that say where a mark stands, and what shows when hovering over it.
    keys : dict
        As `verdict_keys` gives them.
    close : str
        The column that says whether a row is a close call.
    size : int
        In square pixels.
    """
    whole = {"type": "point", "size": size, "opacity": 1, "stroke": PAPER, "strokeWidth": 0.7}
    layers = [{"data": data_of(frame), "mark": whole, "encoding": {**place, **keys}}]
    some = frame.filter(frame[close])
    if some.height:
        hollow = {
            "type": "point",
            "filled": False,
            "fill": PAPER,
            "size": size * 0.85,
            "strokeWidth": 1.8,
            "opacity": 1,
        }
        layers.append({"data": data_of(some), "mark": hollow, "encoding": {**place, **keys}})
    return layers


def dashes(close: str) -> dict[str, Any]:
    """The channel by which the lines of close calls are dashed."""
    return {"condition": {"test": f"datum['{close}']", **value([3, 2])}, **value([1, 0])}
