"""A table as a heat map: every square has its value, raised marks, or what is said in place of a value."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.view.charts.core.drawing import finished
from metameter.view.charts.core.parts import data_of, field_name, in_order, span, tooltips
from metameter.view.charts.core.theme import LETTERS, PAPER
from metameter.view.charts.heat.layers import coloured, frames, ink

if TYPE_CHECKING:
    import polars as pl


# A square in pixels; with very many columns it is narrower, and on a narrow page its marks stand below the value.
_WIDE, _TIGHT, _LEAST, _HIGH, _MOST = 62, 44, 30, 34, 720
#: A light grey that stays light on a dark page, as the squares do: what is written on them is dark.
EMPTY = "#D9D9D9"
# Values far from 0 are told apart better than those near it: most agreements lie close together.
_MIDDLE = 0.85


def heat_table(
    frame: pl.DataFrame,
    x: str,
    y: str,
    value: str,
    written: str,
    mark: str,
    framed: str,
    tooltip: Sequence[str] = (),
    *,
    title: str = "",
    below: Sequence[str] = (),
) -> Any:
    """One square per row, coloured by its value; a row without a value has a grey square, so that nothing is lost.

    Rows and columns stand in the order in which they occur. A pair that does not occur has no square. No colour is
    that of a verdict.

    Parameters
    ----------
    frame : polars.DataFrame
        One row per square.
    x, y, value : str
        Its columns.
    written, mark : str
        The columns with what is written into a square, and raised beside that; empty for nothing.
    framed : str
        The column that is true for squares with a frame.
    tooltip : sequence of str
        Further columns to show when hovering over a square.
    title : str
    below : sequence of str
        What stands below the title.

    Returns
    -------
    altair.LayerChart
    """
    across, down = in_order(frame, x), in_order(frame, y)
    low, high = span(frame, value)
    furthest = max(abs(low), abs(high), 1e-9)
    # All equal: a scale needs two ends.
    ends = (-furthest, furthest) if low < 0 else (low if low < high else 0.0, furthest)
    high_all = _HIGH * len(down)
    data = data_of(frame)
    grid = {**_grid(x, across, y, down), "tooltip": tooltips(frame, (value, *tooltip))}
    valid = f"isValid(datum[{json.dumps(value)}])"
    squares = coloured(value, ends, _MIDDLE, {"gradientLength": max(60, min(140, high_all))})
    grey = {"mark": {"type": "rect", "fill": EMPTY, "stroke": PAPER}, "transform": [{"filter": f"!{valid}"}]}
    texts = _texts(written, mark, ink(value, ends, _MIDDLE))
    layers = [{**squares, "transform": [{"filter": valid}]}, grey, frames(framed), *texts]
    wide = min(_WIDE, max(_TIGHT, _MOST // max(1, len(across))))
    sized = {"width": wide * len(across), "height": high_all}
    laid = {"params": [{"name": "narrow", "value": False}], "usermeta": {"least": _LEAST, "each": True}}
    return finished({"data": data, "encoding": grid, "layer": layers, **sized, **laid}, title, below)


def _grid(x: str, across: list[Any], y: str, down: list[Any]) -> dict[str, Any]:
    axis = {"ticks": False, "domain": False}
    # Names such as PE(beta=0.5) are wider than squares; slanted below these, they stay within the page at the right.
    long = max(map(len, map(str, across)), default=0) > 5
    named = {**axis, **({"labelAngle": -45} if long else {"labelAngle": 0, "orient": "top"})}
    return {
        name: {
            "field": field_name(column),
            "type": "nominal",
            "sort": order,
            "scale": {"domain": order},
            "title": None,
            "axis": style,
        }
        for name, column, order, style in (
            ("x", x, across, named),
            ("y", y, down, axis),
        )
    }


def _texts(written: str, mark: str, shade: dict[str, Any]) -> list[dict[str, Any]]:
    """The values, and their marks: raised at the right; on a narrow page below."""
    made = []
    for column, places in ((written, {"dy": (0, -6)}), (mark, {"dx": (17, 0), "dy": (-6, 8)})):
        moved = {side: {"expr": f"narrow ? {narrow} : {wide}"} for side, (wide, narrow) in places.items()}
        text = {"field": field_name(column), "type": "nominal"}
        mark_of = {"type": "text", "fontSize": LETTERS, **moved}
        made.append({"mark": mark_of, "encoding": {"text": text, "color": shade}})
    return made
