"""Means of a number in bins of another, with intervals: a pane for each of a few things compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.view.charts.core.drawing import finished
from metameter.view.charts.core.parts import data_of, number, panels, span, tooltips
from metameter.view.charts.core.robust_axes import padded
from metameter.view.charts.core.theme import INK, MUTED

if TYPE_CHECKING:
    import polars as pl


_WIDE, _HIGH = 340, 270


def binned_means(
    frame: pl.DataFrame,
    x: str,
    y: str,
    ends: tuple[str, str],
    facet: str,
    tooltip: Sequence[str] = (),
    *,
    title: str = "",
    below: Sequence[str] = (),
    titles: tuple[str, str] = ("", ""),
) -> Any:
    """A dot per bin with its interval, joined by a line; all panes have one upright scale.

    Parameters
    ----------
    frame : polars.DataFrame
        One row per bin.
    x, y : str
        Its columns.
    ends : pair of str
        The columns with the ends of the interval.
    facet : str
        A pane per value, each with a horizontal scale of its own.
    tooltip : sequence of str
        Further columns to show when pointing at a dot.
    title : str
    below : sequence of str
        What stands below the title.
    titles : pair of str
        What is said at the axes.

    Returns
    -------
    altair.ConcatChart
    """
    high_and_low = list(padded(span(frame, y, *ends), 0.05))

    def panel(part: pl.DataFrame) -> dict[str, Any]:
        across = number(x, title=titles[0], scale={"domain": list(padded(span(part, x), 0.04)), "nice": False})
        up = number(y, title=titles[1], scale={"domain": high_and_low, "zero": False})
        place = {"x": across, "y": up}
        bars = {"x": across, "y": {**up, "field": ends[0]}, "y2": {"field": ends[1]}}
        dots = {**place, "tooltip": tooltips(part, (x, y, *ends, *tooltip))}
        layers: list[dict[str, Any]] = [
            {"mark": {"type": "line", "stroke": MUTED, "strokeWidth": 1.2}, "encoding": place},
            {"mark": {"type": "rule", "stroke": INK, "strokeWidth": 1.4}, "encoding": bars},
            {"mark": {"type": "point", "fill": INK, "size": 40, "opacity": 1}, "encoding": dots},
        ]
        return {"data": data_of(part.drop(facet)), "layer": layers, "width": _WIDE, "height": _HIGH}

    chart = panels(frame, facet, panel, wide=_WIDE + 70)
    return finished({**chart, "usermeta": {"legend": 0, "least": 180}}, title, [" ".join(below)] if below else [])
