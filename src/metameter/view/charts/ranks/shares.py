"""Shares by rank: what was observed as bars, what each of a few models expects as lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.view.charts.core.drawing import finished
from metameter.view.charts.core.parts import data_of, in_order, number, span, tooltips
from metameter.view.charts.core.theme import GRID, SERIES

if TYPE_CHECKING:
    import polars as pl


_WIDE, _HIGH = 560, 300
_DASHES = ([1, 0], [6, 3], [2, 2])


def rank_shares(
    frame: pl.DataFrame,
    rank: str,
    observed: str,
    expected: str,
    series: str,
    *,
    title: str = "",
    below: Sequence[str] = (),
    titles: tuple[str, str] = ("", ""),
) -> Any:
    """Bars of what was observed, a line for each series, of which there are three at most.

    Parameters
    ----------
    frame : polars.DataFrame
        One row per series and rank; what was observed is the same in all series.
    rank, observed, expected, series : str
        Its columns.
    title : str
    below : sequence of str
        What stands below the title.
    titles : pair of str
        What is said at the axes.

    Returns
    -------
    altair.LayerChart
    """
    names = in_order(frame, series)[: len(SERIES)]
    kept = frame.filter(frame[series].is_in(names))
    bars = kept.filter(kept[series] == names[0]).select(rank, observed)
    low, high = span(bars, rank)
    scale = {"domain": [low - 0.6, high + 0.6], "nice": False, "zero": False}
    across = number(rank, title=titles[0], axis={"tickMinStep": 1, "format": "d", "grid": False}, scale=scale)
    up = number(observed, title=titles[1], axis={"format": "%"})
    legend = {"symbolType": "stroke", "symbolSize": 300, "orient": "top", "direction": "vertical", "title": None}
    legend |= {"labelLimit": _WIDE}
    colour = {"field": series, "type": "nominal", "sort": names, "legend": legend}
    lines = {
        "x": across,
        "y": {**up, "field": expected},
        "color": {**colour, "scale": {"domain": names, "range": list(SERIES[: len(names)])}},
        "strokeDash": {**colour, "scale": {"domain": names, "range": list(_DASHES[: len(names)])}},
        "tooltip": tooltips(kept, (series, rank, expected, observed)),
    }
    wide = max(2, min(34, _WIDE // (bars.height + 1) - 6))
    shown = {"x": across, "y": up, "tooltip": tooltips(bars, (rank, observed))}
    layers = [
        {"data": data_of(bars), "mark": {"type": "bar", "fill": GRID, "size": wide}, "encoding": shown},
        {"data": data_of(kept), "mark": {"type": "line", "strokeWidth": 1.8, "point": False}, "encoding": lines},
    ]
    chart = {"layer": layers, "width": _WIDE, "height": _HIGH}
    return finished({**chart, "usermeta": {"legend": len(names), "least": 240}}, title, [" ".join(below)])
