"""Convergence: how far simulated means were from their final values, after more and more draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from metameter.view.charts.core.drawing import finished
from metameter.view.charts.core.line_styles import line_styles
from metameter.view.charts.core.parts import data_of, field_name, in_order, number, panels, span, tooltips
from metameter.view.charts.core.theme import GRID, INK, PALETTE

if TYPE_CHECKING:
    import polars as pl


Colours = Callable[[Sequence[str]], list[str] | None]
_WIDE, _HIGH = 210, 170


def convergence(
    frame: pl.DataFrame,
    x: str,
    y: str,
    error: str,
    series: str,
    facet: str,
    *,
    title: str = "",
    colours: Colours = lambda names: None,
) -> Any:
    """How far each mean was from its final value; in grey, the 95% interval of the least certain of them.

    Parameters
    ----------
    frame : polars.DataFrame
        One row for each series and number of draws.
    x, y, error, series, facet : str
        Its columns: the number of draws, the mean so far, its standard error, what it is the mean of, and the panel.
    title : str
    colours : callable
        Given the names of a panel's series, their colours; None if they have none.

    Returns
    -------
    altair.ConcatChart
    """
    import polars as pl

    away = frame.with_columns((pl.col(y) - pl.col(y).last().over(facet, series)).alias("from the end"))
    bands = away.with_columns((1.96 * pl.col(error).max().over(facet, x)).alias("chance"))
    bands = bands.with_columns((-pl.col("chance")).alias("below"))
    ends = span(bands, "chance", "below", "from the end")
    upright = {"scale": {"domain": list(ends)}, "title": f"{y}, from where it ended"}
    chart = panels(bands, facet, lambda part: _panel(part, x, y, error, series, upright, colours), wide=_WIDE + 90)
    return finished({**chart, "resolve": {"scale": {"color": "independent", "strokeDash": "independent"}}}, title)


def _panel(
    part: pl.DataFrame, x: str, y: str, error: str, series: str, upright: dict[str, Any], colours: Colours
) -> dict[str, Any]:
    across = _across(part, x)
    widest = part.unique(x, maintain_order=True).select(x, "chance", "below")
    told = part.select(list(dict.fromkeys((series, x, y, error, "from the end"))))
    shown = tooltips(part, (series, x, y, error))
    band = {"x": across, "y": number("chance", **upright), "y2": {"field": "below"}}
    lines = {
        "x": across,
        "y": number("from the end", **upright),
        **_told_apart(part, series, colours),
        "tooltip": shown,
    }
    layers = [
        {"data": data_of(widest), "mark": {"type": "area", "color": GRID, "opacity": 1}, "encoding": band},
        {"data": data_of(told), "mark": {"type": "line", "strokeWidth": 1.6, "color": INK}, "encoding": lines},
    ]
    return {"layer": layers, "width": _WIDE, "height": _HIGH}


def _across(part: pl.DataFrame, x: str) -> dict[str, Any]:
    # The points stand at equal ratios: a linear axis would crowd the beginning, where all the movement is.
    scale, axis = {"type": "log", "nice": False}, {"values": _ticks(part, x), "labelOverlap": True}
    return number(x, title=x, scale=scale, axis=axis)


def _told_apart(part: pl.DataFrame, series: str, colours: Colours) -> dict[str, Any]:
    names = in_order(part, series)
    if len(names) > len(PALETTE):
        # More lines than colours: pointing at one tells which it is.
        return {"detail": {"field": field_name(series), "type": "nominal"}}
    return line_styles(series, names, colours(names))


def _ticks(part: pl.DataFrame, x: str) -> list[int]:
    first, last = part[x].min(), part[x].max()
    round_numbers = [step * 10**power for power in range(7) for step in (1, 2, 5)]
    return [number for number in round_numbers if first <= number <= last]
