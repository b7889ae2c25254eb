"""Heat maps: one value per pair."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.view.charts.depths import POOL
from metameter.view.charts.drawing import finished
from metameter.view.charts.parts import data_of, field_name, in_order, number, panels, span, tooltips
from metameter.view.charts.theme import INK, LETTERS, PAPER

if TYPE_CHECKING:
    import polars as pl

__all__ = ["heat_map"]

# How wide a square is in pixels, how wide at the least where its value is written into it, and without a value.
ROOMY, LEAST, TIGHT = 46, 30, 16
# What is neither good nor bad: from paper to ink, and with values of both signs from sand over paper to ink.
_NEUTRAL = ["#F2F4F6", "#AEBBC7", "#5C7186", "#27384A"]
_SIGNED = ["#7D5F32", "#C9AE82", "#F5F3EF", "#8497AA", "#27384A"]


def heat_map(
    frame: pl.DataFrame,
    x: str,
    y: str,
    value: str,
    tooltip: Sequence[str] = (),
    facet: str | None = None,
    *,
    domain: tuple[float, float] | None = None,
    title: str = "",
    below: Sequence[str] = (),
    titles: tuple[str, str] | None = None,
    outlined: str | None = None,
) -> Any:
    """One square per pair, coloured by a value; where there is room, the value is written into it.

    Rows and columns stand in the order in which they occur. A pair without a value has no square. No colour is that of
    a verdict.

    Parameters
    ----------
    frame : polars.DataFrame
        One row per square.
    x, y, value : str
        Its columns.
    tooltip : sequence of str
        Further columns to show when hovering over a square.
    facet : str, optional
        One panel per value of this column; the colours mean the same in all of them.
    domain : pair of float, optional
        The ends of the colour scale; by default those of the values, symmetric about 0 if one is negative.
    title : str
    below : sequence of str
        What stands below the title.
    titles : pair of str, optional
        What the columns and the rows are, said at the axes.
    outlined : str, optional
        The column that is true for squares with a frame.

    Returns
    -------
    altair.LayerChart or altair.ConcatChart
    """
    ends = domain or _ends(frame, value)
    most = max((len(in_order(part, x)) for part in _parts(frame, facet)), default=1)

    import polars as pl

    known = pl.col(value).cast(pl.Float64).is_finite()

    def panel(part: pl.DataFrame) -> dict[str, Any]:
        across, down = in_order(part, x), in_order(part, y)
        size = ROOMY if max(len(across), len(down)) <= 12 else TIGHT
        form = ".2f" if frame.schema[value].is_float() else ",d"
        layers = [_squares(value, ends), *([_written(value, ends, form)] if size == ROOMY else [])]
        if outlined is not None:
            layers.insert(1, _frames(outlined))
        grid = _grid(part, x, y, tooltips(part, (x, y, value, *tooltip)), titles)
        sized = {"width": size * len(across), "height": min(size, 32) * len(down)}
        return {"data": data_of(part.filter(known)), "encoding": grid, "layer": layers, **sized}

    chart = panels(frame, facet, panel, wide=ROOMY * most + 110)
    if facet is not None:
        chart["resolve"] = {"scale": {"color": "shared"}}
    # Below this width the numbers would run into each other.
    return finished({**chart, "usermeta": {"least": LEAST if most <= 12 else TIGHT, "each": True}}, title, below)


def _parts(frame: pl.DataFrame, facet: str | None) -> list[pl.DataFrame]:
    return [frame] if facet is None else frame.partition_by(facet)


def _ends(frame: pl.DataFrame, value: str) -> tuple[float, float]:
    low, high = span(frame, value)
    furthest = max(abs(low), abs(high))
    return (low, high) if low >= 0 else (-furthest, furthest)


def _grid(part: pl.DataFrame, x: str, y: str, tooltip: list[Any], titles: tuple[str, str] | None) -> dict[str, Any]:
    # With the domain said, a row or a column without any value keeps its place.
    sides = {
        name: {"field": field_name(c), "sort": order, "scale": {"domain": order}, "title": title, "type": "nominal"}
        for name, c, title in zip("xy", (x, y), titles or (None, None), strict=True)
        for order in [in_order(part, c)]
    }
    return {"x": {**sides["x"], "axis": {"labelAngle": 0 if titles else -45}}, "y": sides["y"], "tooltip": tooltip}


def _frames(outlined: str) -> dict[str, Any]:
    mark = {"type": "rect", "filled": False, "stroke": POOL, "strokeWidth": 3}
    return {"mark": mark, "transform": [{"filter": f"datum[{json.dumps(outlined)}]"}]}


def _squares(value: str, ends: tuple[float, float]) -> dict[str, Any]:
    low, high = ends
    colours = _SIGNED if low < 0 else _NEUTRAL
    steps = len(colours) - 1
    scale = {"domain": [low + (high - low) * i / steps for i in range(steps + 1)], "range": colours}
    colour = number(value, scale=scale, title=value, legend={"gradientLength": 140})
    return {"mark": {"type": "rect", "stroke": PAPER}, "encoding": {"color": colour}}


def _written(value: str, ends: tuple[float, float], form: str) -> dict[str, Any]:
    # White ink on the dark ends of the scale, of which a scale that spans 0 has two.
    low, high = ends
    datum = f"datum[{json.dumps(value)}]"
    dark = f"abs({datum}) > {0.6 * high}" if low < 0 else f"{datum} > {low + 0.55 * (high - low)}"
    ink = {"condition": {"test": dark, "value": "white"}, "value": INK}
    text = {"text": number(value, format=form), "color": ink}
    return {"mark": {"type": "text", "fontSize": LETTERS}, "encoding": text}
