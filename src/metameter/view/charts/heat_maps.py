"""Heat maps: one coloured square per pair."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.view.charts.channels import data_of, field_name, in_order, number, panels, span, tooltips
from metameter.view.charts.specification import finished
from metameter.view.charts.theme import INK, LETTERS, PAPER, POOL

if TYPE_CHECKING:
    import polars as pl


# Colours without a judgment: from paper to ink, and for values of both signs from sand over paper to ink.
_NEUTRAL = ["#F2F4F6", "#AEBBC7", "#5C7186", "#27384A"]
_SIGNED = ["#7D5F32", "#C9AE82", "#F5F3EF", "#8497AA", "#27384A"]


def frames(outlined: str) -> dict[str, Any]:
    """Frames around the squares for which a column is true."""
    mark = {"type": "rect", "filled": False, "stroke": POOL, "strokeWidth": 3}
    return {"mark": mark, "transform": [{"filter": f"datum[{json.dumps(outlined)}]"}]}


def coloured(value: str, ends: tuple[float, float], middle: float, beside: dict[str, Any]) -> dict[str, Any]:
    """The squares and their legend; `beside` are properties of the legend, such as its position."""
    low, high = ends
    steps = len(_NEUTRAL) - 1
    even = [low + (high - low) * i / steps for i in range(steps + 1)]
    # Interpolated in RGB: by default, Vega goes from paper to ink through green.
    signed = {"domain": [low, middle * low, 0, middle * high, high], "range": _SIGNED, "interpolate": "rgb"}
    scale = signed if low < 0 else {"domain": even, "range": _NEUTRAL}
    # Ticks of our own: Vega would round the ends of a scale with several colours, such as 0.89 to 1.
    ends_told = {"values": [low, 0, high], "format": ".2~r"} if low < 0 else {}
    colour = number(value, scale=scale, title=value, legend={"gradientLength": 140, **ends_told, **beside})
    return {"mark": {"type": "rect", "stroke": PAPER}, "encoding": {"color": colour}}


def written_values(value: str, ends: tuple[float, float], form: str, middle: float) -> dict[str, Any]:
    """The values as text, in a colour that is legible on their squares."""
    text = {"text": number(value, format=form), "color": ink(value, ends, middle)}
    return {"mark": {"type": "text", "fontSize": LETTERS}, "encoding": text}


def dots(dotted: str, value: str, ends: tuple[float, float], middle: float) -> dict[str, Any]:
    """Dots in the squares for which a column is true."""
    mark = {"type": "point", "size": 14, "opacity": 1}
    which = [{"filter": f"datum[{json.dumps(dotted)}]"}]
    return {"mark": mark, "transform": which, "encoding": {"color": ink(value, ends, middle)}}


def ink(value: str, ends: tuple[float, float], middle: float) -> dict[str, Any]:
    """The channel of ink: dark, and white where a square is dark."""
    # White on the dark end of the scale; a scale that spans 0 has two dark ends.
    low, high = ends
    datum = f"datum[{json.dumps(value)}]"
    dark = f"abs({datum}) > {(1 - 0.8 * (1 - middle)) * high}" if low < 0 else f"{datum} > {low + 0.55 * (high - low)}"
    return {"condition": {"test": dark, "value": "white"}, "value": INK}


# Widths of a square in pixels: usual, least with a value written into it, without values, and where not all columns
# need names.
ROOMY, LEAST, TIGHT, THIN = 46, 30, 16, 3
#: With more rows or columns, squares are tight and no values are written.
MOST_WRITTEN = 12


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
    dotted: str | None = None,
    square: int = ROOMY,
    abreast: int | None = None,
    form: str | None = None,
    middle: float = 0.5,
    thin: bool = False,
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
        Further columns shown when pointing at a square.
    facet : str, optional
        One panel per value of this column; the colours mean the same in all of them.
    domain : pair of float, optional
        The ends of the colour scale; by default those of the values, symmetric about 0 if one is negative.
    title : str
    below : sequence of str
        Sentences below the title.
    titles : pair of str, optional
        The titles of the axes.
    outlined : str, optional
        The column that is true for squares with a frame.
    dotted : str, optional
        The column that is true for squares with a dot: where squares are small and many, frames would hide them.
    square : int
        How wide a square is in which its value is written, in pixels.
    abreast : int, optional
        How many panels stand side by side; by default as many as fit the page.
    form : str, optional
        The format of written values, as in d3; by default two decimals, or none if they are whole.
    middle : float in (0, 1)
        The position of the middle colours between 0 and the ends of a scale with both signs: below 0.5, small values
        are easier to distinguish than large ones.
    thin : bool
        Columns without values in them may become so narrow that not all of their names are shown.

    Returns
    -------
    altair.LayerChart or altair.ConcatChart
    """
    ends = domain or _value_range(frame, value)
    most = max((len(in_order(part, x)) for part in _panel_frames(frame, facet)), default=1)

    import polars as pl

    known = pl.col(value).cast(pl.Float64).is_finite()
    # Panels side by side have no room for a legend beside them.
    beside = {"orient": "top", "direction": "horizontal"} if abreast else {}
    written = form or (".2f" if frame.schema[value].is_float() else ",d")

    def panel(part: pl.DataFrame) -> dict[str, Any]:
        across, down = in_order(part, x), in_order(part, y)
        roomy = max(len(across), len(down)) <= MOST_WRITTEN
        size = square if roomy else TIGHT
        layers = [
            coloured(value, ends, middle, beside),
            *([written_values(value, ends, written, middle)] if roomy else []),
        ]
        if outlined is not None:
            layers.insert(1, frames(outlined))
        if dotted is not None:
            layers.append(dots(dotted, value, ends, middle))
        grid = _heat_map_grid(part, x, y, tooltips(part, (x, y, value, *tooltip)), titles)
        if thin and not roomy:
            grid["x"]["axis"] = {"labelAngle": -90, "labelOverlap": True}
        sized = {"width": size * len(across), "height": min(size, 32) * len(down)}
        # The facet is the same in all rows of a panel, whose title it is.
        rows = part.filter(known).drop(facet or [])
        return {"data": data_of(rows), "encoding": grid, "layer": layers, **sized}

    chart = panels(frame, facet, panel, wide=ROOMY * most + 110)
    if facet is not None:
        chart["resolve"] = {"scale": {"color": "shared"}}
        chart["columns"] = abreast or chart["columns"]
    # In narrower squares the written values would overlap; values with a format of their own may be longer.
    written_least = LEAST if form is None else LEAST + 8
    least = {"least": THIN if thin else TIGHT, "written": written_least, "each": True}
    return finished({**chart, "usermeta": least}, title, below)


def _panel_frames(frame: pl.DataFrame, facet: str | None) -> list[pl.DataFrame]:
    return [frame] if facet is None else frame.partition_by(facet)


def _value_range(frame: pl.DataFrame, value: str) -> tuple[float, float]:
    low, high = span(frame, value)
    furthest = max(abs(low), abs(high))
    return (low, high) if low >= 0 else (-furthest, furthest)


def _heat_map_grid(
    part: pl.DataFrame, x: str, y: str, tooltip: list[Any], titles: tuple[str, str] | None
) -> dict[str, Any]:
    # With an explicit domain, a row or a column without any value stays.
    sides = {
        name: {"field": field_name(c), "sort": order, "scale": {"domain": order}, "title": title, "type": "nominal"}
        for name, c, title in zip("xy", (x, y), titles or (None, None), strict=True)
        for order in [in_order(part, c)]
    }
    return {"x": {**sides["x"], "axis": {"labelAngle": 0 if titles else -45}}, "y": sides["y"], "tooltip": tooltip}


# The sizes of a square in pixels: with very many columns it is narrower; on a narrow page marks stand below values.
_TABLE_SQUARE, _TABLE_TIGHT, _TABLE_LEAST, _TABLE_ROW, _TABLE_WIDTH = 62, 44, 30, 34, 720
#: A light grey that, like the squares, stays light on a dark page, since the text on them is dark.
EMPTY = "#D9D9D9"
# Colours distinguish values far from 0 better than those near it, since most agreements are high and close together.
_TABLE_MIDDLE = 0.85


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
    """One square per row, coloured by its value; a row without a value has a grey square.

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
        Further columns shown when pointing at a square.
    title : str
    below : sequence of str
        Sentences below the title.

    Returns
    -------
    altair.LayerChart
    """
    across, down = in_order(frame, x), in_order(frame, y)
    low, high = span(frame, value)
    furthest = max(abs(low), abs(high), 1e-9)
    # A scale needs two different ends, even if all values are equal.
    ends = (-furthest, furthest) if low < 0 else (low if low < high else 0.0, furthest)
    high_all = _TABLE_ROW * len(down)
    data = data_of(frame)
    grid = {**_heat_table_grid(x, across, y, down), "tooltip": tooltips(frame, (value, *tooltip))}
    valid = f"isValid(datum[{json.dumps(value)}])"
    squares = coloured(value, ends, _TABLE_MIDDLE, {"gradientLength": max(60, min(140, high_all))})
    grey = {"mark": {"type": "rect", "fill": EMPTY, "stroke": PAPER}, "transform": [{"filter": f"!{valid}"}]}
    texts = _text_layers(written, mark, ink(value, ends, _TABLE_MIDDLE))
    layers = [{**squares, "transform": [{"filter": valid}]}, grey, frames(framed), *texts]
    wide = min(_TABLE_SQUARE, max(_TABLE_TIGHT, _TABLE_WIDTH // max(1, len(across))))
    sized = {"width": wide * len(across), "height": high_all}
    laid = {"params": [{"name": "narrow", "value": False}], "usermeta": {"least": _TABLE_LEAST, "each": True}}
    return finished({"data": data, "encoding": grid, "layer": layers, **sized, **laid}, title, below)


def _heat_table_grid(x: str, across: list[Any], y: str, down: list[Any]) -> dict[str, Any]:
    axis = {"ticks": False, "domain": False}
    # Names such as PE(beta=0.5) are wider than squares; slanted below them, they stay within the page.
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


def _text_layers(written: str, mark: str, shade: dict[str, Any]) -> list[dict[str, Any]]:
    """The values, and their marks: raised at the right; on a narrow page below."""
    layers = []
    for column, offsets in ((written, {"dy": (0, -6)}), (mark, {"dx": (17, 0), "dy": (-6, 8)})):
        moved = {side: {"expr": f"narrow ? {narrow} : {wide}"} for side, (wide, narrow) in offsets.items()}
        text = {"field": field_name(column), "type": "nominal"}
        mark_of = {"type": "text", "fontSize": LETTERS, **moved}
        layers.append({"mark": mark_of, "encoding": {"text": text, "color": shade}})
    return layers
