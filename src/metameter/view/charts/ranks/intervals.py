"""Ranks with their ranges: a dot and a whisker per row, the first rank at the left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.view.charts.core.drawing import finished
from metameter.view.charts.core.parts import data_of, field_name, number, panels, span, tooltips
from metameter.view.charts.core.theme import INK, LETTERS

if TYPE_CHECKING:
    import polars as pl


_ROW, _WIDE = 18, 260


def rank_intervals(
    frame: pl.DataFrame,
    label: str,
    rank: str,
    low: str | None = None,
    high: str | None = None,
    facet: str | None = None,
    tooltip: Sequence[str] = (),
    *,
    title: str = "",
    below: Sequence[str] = (),
) -> Any:
    """One row per label, the first rank at the top of every panel.

    Parameters
    ----------
    frame : polars.DataFrame
        One row per dot; in a panel no label twice.
    label, rank : str
        Its columns.
    low, high : str, optional
        The columns of the ends of the whiskers.
    facet : str, optional
        One panel per value of this column; the scale is the same in all.
    tooltip : sequence of str
        Further columns to show when pointing at a dot.
    title : str
    below : sequence of str
        What stands below the title.

    Returns
    -------
    altair.LayerChart or altair.ConcatChart
    """
    ends = [each for each in (low, high) if each is not None]
    last = round(span(frame, rank, *ends)[1])
    # Of many ranks every second or fifth is written.
    step = next(each for each in (1, 2, 5, 10, 20, 50, last) if last / each <= 12)
    axis = {"values": [1, *range(step if step > 1 else 2, last + 1, step)], "format": "d"}
    across = {"title": rank, "scale": {"domain": [0.5, last + 0.5], "nice": False, "zero": False}, "axis": axis}

    def panel(part: pl.DataFrame) -> dict[str, Any]:
        order = part.sort(rank, nulls_last=True, maintain_order=True)[label].to_list()
        lined = {"labelFontSize": LETTERS, "labelOverlap": False, "grid": True, "ticks": False, "domain": False}
        rows = {"field": field_name(label), "type": "nominal", "sort": order, "title": None, "axis": lined}
        base = {"y": rows, "tooltip": tooltips(part, (label, rank, *ends, *tooltip))}
        dots = {"mark": {"type": "point", "size": 62, "color": INK, "opacity": 1}}
        layers = [{**dots, "encoding": {**base, "x": number(rank, **across)}}]
        if low is not None and high is not None:
            whisker = {**base, "x": number(low, **across), "x2": {"field": field_name(high)}}
            layers.insert(0, {"mark": {"type": "rule", "strokeWidth": 1.5, "color": INK}, "encoding": whisker})
        return {"data": data_of(part), "layer": layers, "width": _WIDE, "height": _ROW * max(1, part.height)}

    longest = max(map(len, map(str, frame[label].to_list())), default=0)
    return finished(panels(frame, facet, panel, wide=_WIDE + min(260, round(6.2 * longest)) + 30), title, below)
