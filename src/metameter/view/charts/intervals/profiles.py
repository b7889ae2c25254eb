"""A curve per parameter, with the interval of its highest point and what it is held against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from metameter.view.charts.core.drawing import finished
from metameter.view.charts.core.parts import data_of, number, panels, span, tooltips
from metameter.view.charts.core.robust_axes import padded
from metameter.view.charts.core.theme import GRID, INK, MUTED

if TYPE_CHECKING:
    import polars as pl


_WIDE, _HIGH = 360, 250
#: From this ratio of the ends of an axis on, its scale is logarithmic.
_FAR = 50.0


def profiles(
    frame: pl.DataFrame,
    x: str,
    y: str,
    facet: str,
    marks: Mapping[str, Mapping[str, float | None]],
    *,
    title: str = "",
    below: Sequence[str] = (),
    titles: tuple[str, str] = ("", ""),
) -> Any:
    """A pane per value of `facet`: the curve, a grey band for the interval, a line at the top, a dashed one beside it.

    Parameters
    ----------
    frame : polars.DataFrame
        The points of the curves.
    x, y, facet : str
        Its columns.
    marks : mapping
        Per pane ``estimate``, ``low``, ``high``, ``beside``; None for what there is not.
    title : str
    below : sequence of str
        What stands below the title.
    titles : pair of str
        What is said at the axes; the first stands after the name of the pane.

    Returns
    -------
    altair.ConcatChart
    """

    def panel(part: pl.DataFrame) -> dict[str, Any]:
        name = str(part[facet][0])
        rows = part.select(x, y).sort(x).drop_nulls()
        low, high = span(rows, x)
        logarithmic = low > 0 and high / low > _FAR
        scale: dict[str, Any] = {"domain": [low, high], "nice": False, "zero": False}
        scale |= {"type": "log"} if logarithmic else {}
        across = number(x, title=f"{name}{titles[0]}", scale=scale)
        up = number(y, title=titles[1], scale={"domain": list(padded(span(rows, y), 0.06)), "zero": False})
        place = {"x": across, "y": up}
        told = {**place, "tooltip": tooltips(rows, (x, y))}
        layers: list[dict[str, Any]] = [
            *_band(across, marks[name], (low, high)),
            {"mark": {"type": "line", "stroke": INK, "strokeWidth": 1.8}, "encoding": place},
            {"mark": {"type": "point", "fill": INK, "size": 9, "opacity": 1}, "encoding": told},
            *_rule(across, marks[name].get("beside"), MUTED, [5, 4]),
            *_rule(across, marks[name].get("estimate"), INK, [1, 0]),
        ]
        return {"data": data_of(rows), "layer": layers, "width": _WIDE, "height": _HIGH}

    chart = panels(frame, facet, panel, wide=_WIDE + 70)
    return finished({**chart, "usermeta": {"legend": 0, "least": 180}}, title, [" ".join(below)] if below else [])


def _band(across: dict[str, Any], ends: Mapping[str, float | None], axis: tuple[float, float]) -> list[dict[str, Any]]:
    low, high = ends.get("low"), ends.get("high")
    if low is None or high is None:
        return []
    # An interval of one value is still to be seen.
    thin = 0.004 * (axis[1] - axis[0]) * (low == high)
    values = [{"from": max(low - thin, axis[0]), "to": min(high + thin, axis[1])}]
    place = {"x": {**across, "field": "from"}, "x2": {"field": "to"}}
    return [{"data": {"values": values}, "mark": {"type": "rect", "fill": GRID}, "encoding": place}]


def _rule(across: dict[str, Any], at: float | None, colour: str, dashes: list[int]) -> list[dict[str, Any]]:
    if at is None:
        return []
    mark = {"type": "rule", "stroke": colour, "strokeDash": dashes, "strokeWidth": 1.4}
    return [{"data": {"values": [{"at": at}]}, "mark": mark, "encoding": {"x": {**across, "field": "at"}}}]
