"""Forest plots: the same comparisons on several collections, one below the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from metameter.view.charts.core.drawing import finished
from metameter.view.charts.core.parts import data_of, field_name, in_order, number, tooltips
from metameter.view.charts.core.robust_axes import beyond, clipped, padded, robust_span
from metameter.view.charts.core.theme import INK, LETTERS, MUTED
from metameter.view.charts.core.verdicts import HOLLOW, dashes, verdict_dots, verdict_keys

if TYPE_CHECKING:
    import polars as pl


# A line of a collection, the least height of a row (its name has two lines), and the width of a panel, in pixels.
_LINE, _LEAST, _WIDE = 16, 38, 270
# Columns that are added; no table has columns of these names.
_NUMBER, _LOW, _VALUE, _HIGH, _SAID = "number", "low shown", "value shown", "high shown", "said"
Sides = Mapping[str, tuple[str, str, str]]


def forest(
    frame: pl.DataFrame,
    row: str,
    collection: str,
    sides: Sides,
    *,
    verdict: str = "verdict",
    close: str = "close_call",
    title: str = "",
) -> Any:
    """A dot and an interval for every row and collection, a panel for each kind of difference.

    Colours and shapes are those of the verdicts; numbers beside the dots tell which collection it is.

    Parameters
    ----------
    frame : polars.DataFrame
        One line for each row and collection. Rows stand in the order in which they occur.
    row, collection : str
        Its columns. A line end in the name of a row begins its second line.
    sides : mapping
        What a panel shows -> its three columns: the difference and the ends of its interval.
    verdict, close : str
        The columns of verdicts, and of whether they are close calls.
    title : str

    Returns
    -------
    altair.ConcatChart
    """
    import polars as pl

    names = in_order(frame, collection)
    place = {name: i + 1 for i, name in enumerate(names)}
    numbered = frame.with_columns(pl.col(collection).replace_strict(place, return_dtype=pl.Int64).alias(_NUMBER))
    chart = {"concat": [_panel(numbered, row, collection, what, sides[what], verdict, close) for what in sides]}
    key = "Numbers tell the collections: " + ", ".join(f"{place[name]} {name}" for name in names) + "."
    below = [key, *([HOLLOW] if frame[close].any() else [])]
    # The legend begins where the panels do: beside long names there is room for one column on a narrow page.
    laid = {"columns": len(sides), "resolve": {"scale": {"x": "independent"}}, "usermeta": {"legend": 1}}
    return finished({**chart, **laid}, title, below)


def _panel(
    frame: pl.DataFrame, row: str, collection: str, what: str, side: tuple[str, str, str], verdict: str, close: str
) -> dict[str, Any]:
    shown, ends = _shown(frame, side)
    rows, collections = in_order(frame, row), in_order(frame, _NUMBER)
    across = {"title": what, "scale": {"domain": list(ends), "nice": False}, "axis": {"tickCount": 5}}
    offset = {"field": _NUMBER, "type": "ordinal", "sort": sorted(collections), "scale": {"paddingOuter": 0.4}}
    y = {"field": field_name(row), "type": "nominal", "sort": rows, "title": None, "axis": _axis()}
    shown_too = tooltips(frame, (row, collection, verdict, close, *side))
    line = {"y": y, "yOffset": offset, "tooltip": shown_too}
    keys = verdict_keys(verdict, in_order(frame, verdict))
    rule = {**line, "x": number(_LOW, **across), "x2": {"field": _HIGH}, "strokeDash": dashes(close)}
    colour = {"color": keys["color"]} if keys else {}
    data = data_of(shown)
    layers = [
        _zero(across),
        {"data": data, "mark": {"type": "rule", "strokeWidth": 1.4}, "encoding": {**rule, **colour}},
        *verdict_dots(shown, {**line, "x": number(_VALUE, **across)}, keys, close, 95),
        _numbers(data, line, across),
    ]
    height = max(_LEAST, _LINE * len(collections) + 8) * len(rows)
    return {"layer": layers, "width": _WIDE, "height": height}


def _axis() -> dict[str, Any]:
    # A line of light grey between the rows.
    ruled = {"grid": True, "bandPosition": 0, "tickBand": "extent", "ticks": False, "domain": False}
    # Of two lines of text the first would stand in the middle.
    lines = {"labelExpr": r"split(datum.label, '\n')", "labelOffset": -LETTERS / 2, "labelPadding": 10}
    return {**ruled, **lines, "labelOverlap": False}


def _shown(frame: pl.DataFrame, side: tuple[str, str, str]) -> tuple[pl.DataFrame, tuple[float, float]]:
    import polars as pl

    middle, low, high = side
    ends = padded(robust_span(frame.select(side).iter_rows(), within=(0.0,)), 0.12)
    numbers = {
        name: pl.Series([clipped(each, ends) for each in frame[column].to_list()], dtype=pl.Float64)
        for name, column in ((_VALUE, middle), (_LOW, low), (_HIGH, high))
    }
    said = [
        " ".join(filter(None, [str(place), beyond(each, ends)]))
        for place, each in frame.select(_NUMBER, middle).iter_rows()
    ]
    right = pl.max_horizontal(_HIGH, _VALUE).fill_null(pl.col(_VALUE))
    return frame.with_columns(**numbers, **{_SAID: pl.Series(said)}).with_columns(right.alias("right")), ends


def _zero(across: dict[str, Any]) -> dict[str, Any]:
    encoding = {"x": {"datum": 0, "type": "quantitative", "scale": across["scale"]}}
    return {"data": {"values": [{}]}, "mark": {"type": "rule", "color": MUTED}, "encoding": encoding}


def _numbers(data: dict[str, Any], line: dict[str, Any], across: dict[str, Any]) -> dict[str, Any]:
    mark = {"type": "text", "align": "left", "dx": 6, "fontSize": LETTERS, "color": INK}
    text = {"x": number("right", **across), "text": {"field": _SAID, "type": "nominal"}}
    return {"data": data, "mark": mark, "encoding": {**line, **text}}
