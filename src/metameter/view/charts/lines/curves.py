"""Curves: how a value changes along an axis, one line per series."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from metameter.view.charts.core.drawing import finished
from metameter.view.charts.core.line_styles import line_styles
from metameter.view.charts.core.parts import data_of, field_name, in_order, number, panels, span, tooltips, value
from metameter.view.charts.core.theme import MUTED

if TYPE_CHECKING:
    import polars as pl


MOST_POINTS = 500
_WIDE, _HIGH = 375, 240
Colours = Callable[[Sequence[str]], list[str] | None]
Ends = tuple[float, float]


def curves(
    frame: pl.DataFrame,
    x: str,
    y: str,
    series: str,
    facet: str | None = None,
    highlight: Collection[str] = (),
    *,
    title: str = "",
    domain: Ends | None = None,
    across: Ends | None = None,
    level: float | None = None,
    colours: Colours = lambda names: None,
) -> Any:
    """One line per series, such as the p-values of a metric; a click in the legend picks one out.

    Parameters
    ----------
    frame : polars.DataFrame
        One row per point.
    x, y, series : str
        Its columns. Of a series with more than 500 points, evenly spaced ones and the last are drawn.
    facet : str, optional
        One panel per value of this column, each with its own legend; the scales are the same in all.
    highlight : collection of str
        The series that stand out by a thicker line, such as those of canonical metrics.
    title : str
    domain, across : pair of float, optional
        The ends of the vertical and of the horizontal scale; by default those of the values.
    level : float, optional
        Where to draw a dashed line across.
    colours : callable
        Given the names of a panel's series, their colours; None if they have none: then they are ink and greys.

    Returns
    -------
    altair.LayerChart or altair.ConcatChart
    """
    frame = _thin(frame, [series] if facet is None else [facet, series])
    scales = {"x": {"domain": list(across or span(frame, x)), "nice": False, "zero": False}}
    scales["y"] = {"domain": list(domain or span(frame, y))}
    # Altair would give the lines of the first panel this name, too.
    names = (f"panel_{number}" for number in count())
    picks: list[dict[str, Any]] = []

    def panel(part: pl.DataFrame) -> dict[str, Any]:
        name = next(names)
        select = {"type": "point", "fields": [field_name(series)]}
        picks.append({"name": f"picked_{name}", "select": select, "bind": "legend", "views": [name]})
        lines = _lines(part, x, y, series, highlight, scales, colours, name)
        rule = [] if level is None else [_level(level, y, scales["y"])]
        return {"data": data_of(part), "layer": [*rule, lines], "width": _WIDE, "height": _HIGH}

    chart = panels(frame, facet, panel, wide=_WIDE + 70)
    apart = {"resolve": {"scale": {"color": "independent", "strokeDash": "independent"}}}
    return finished({**chart, **({} if facet is None else apart), "params": picks}, title)


def _thin(frame: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """Every n-th point of each series, its last one among them."""
    import polars as pl

    every = 1 + (pl.len() - 1) // MOST_POINTS
    kept = (pl.int_range(pl.len()) % every == 0) | (pl.int_range(pl.len()) == pl.len() - 1)
    return frame.filter(kept.over(by))


def _level(level: float, y: str, scale: dict[str, Any]) -> dict[str, Any]:
    mark = {"type": "rule", "color": MUTED, "strokeDash": [5, 4]}
    return {"data": {"values": [{y: level}]}, "mark": mark, "encoding": {"y": number(y, scale=scale)}}


def _lines(
    part: pl.DataFrame,
    x: str,
    y: str,
    series: str,
    highlight: Collection[str],
    scales: dict[str, dict[str, Any]],
    colours: Colours,
    name: str,
) -> dict[str, Any]:
    names = in_order(part, series)
    thick = {"test": {"field": field_name(series), "oneOf": sorted(highlight)}, **value(3.2)}
    # Below the panel, where there is room for long names.
    below: dict[str, Any] = {
        "orient": "bottom",
        "direction": "vertical",
        "columns": 2 if max(map(len, map(str, names))) < 28 else 1,
    }
    encoding = {
        "x": number(x, title=x, scale=scales["x"], axis={"tickCount": 6, "labelOverlap": True}),
        "y": number(y, title=y, scale=scales["y"]),
        **line_styles(series, names, colours(names), **below),
        "strokeWidth": {"condition": thick, **value(1.6)},
        "opacity": {"condition": {"param": f"picked_{name}", **value(1)}, **value(0.12)},
        "tooltip": tooltips(part, (series, x, y)),
    }
    return {"name": name, "mark": {"type": "line", "interpolate": "linear"}, "encoding": encoding}
