"""Charts of ranks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.view.charts.axes import column_axis, spaced
from metameter.view.charts.channels import (
    Colours,
    NumberAxis,
    data_of,
    field_name,
    in_order,
    named_rows,
    number,
    panels,
    span,
    tooltips,
    value,
)
from metameter.view.charts.specification import finished
from metameter.view.charts.theme import FAINT, GRID, INK, LETTERS, PALETTE, PAPER, SERIES, THIN

if TYPE_CHECKING:
    import polars as pl


#: The column that is added: the position from the top.
SLOT = "place"

# Pixels: a column, a row, a dot that holds two digits, a letter of a name.
_COLUMN, _BUMP_ROW, _DOT, _LETTER = 25, 21, 17, 6.2
#: More columns than that are thinned.
MOST_COLUMNS = 20
_PICKED_OPACITY = {"condition": {"param": "picked", **value(1)}, **value(0.15)}


def bump(
    frame: pl.DataFrame,
    x: str,
    rank: str,
    series: str,
    facet: str | None = None,
    tooltip: Sequence[str] = (),
    *,
    apart: str | None = None,
    title: str = "",
    below: Sequence[str] = (),
    colours: Colours = lambda names: None,
) -> Any:
    """One line per series, the first rank at the top; dots hold the ranks, and those that share a rank are joined.

    Every series has a place of its own in every column, so that no line hides another: those that share a rank stand
    one below the other, in the order of the column before. A click on a line picks its series out in all panels.

    Parameters
    ----------
    frame : polars.DataFrame
        One row for each series and column of the chart, and panel.
    x, rank, series : str
        Its columns; the values of `x` stand in the order in which they occur. Of more than 20 of them some are left
        out, but not the first and the last. A series without a rank is left out of that column.
    facet : str, optional
        One panel per value of this column.
    tooltip : sequence of str
        Further columns shown when pointing at a dot.
    apart : str, optional
        The value of `x` that stands apart at the right, such as the sum over all others.
    title : str
    below : sequence of str
        Sentences below the title.
    colours : callable
        Given the names of the series, their colours; None if they have none. Then they have those of the palette; of
        more series than it has colours, those that rank highest in some panel have one, and the others are grey.

    Returns
    -------
    altair.LayerChart or altair.ConcatChart
    """
    columns = spaced(in_order(frame, x), MOST_COLUMNS, apart)
    names = in_order(frame, series)
    shades = {"domain": names, "range": colours(names) or _series_colours(frame, names, rank, series, facet)}
    colour = {"field": field_name(series), "type": "nominal", "scale": shades, "legend": None}
    across = column_axis(x, columns, apart)
    width = _COLUMN * len(across["sort"])
    views: list[str] = []

    def panel(part: pl.DataFrame) -> dict[str, Any]:
        count = part[series].n_unique()
        placed = slots(part, x, rank, series, columns)
        data, hover = data_of(placed), tooltips(part, (series, x, rank, *tooltip))
        at = {"x": across, "y": _slot_axis(SLOT, count), "tooltip": hover, "opacity": _PICKED_OPACITY}
        layers = [
            *_line_layers({**at, "stroke": colour}, x, columns, apart),
            *_text_layers(at, x, rank, series, columns[-1]),
        ]
        # A selection in one layer of a panel receives the clicks on all of its layers.
        views.append(f"panel_{len(views)}")
        layers[-1]["name"] = views[-1]
        tied = _tie_layer(ties(placed, x, rank), across, count)
        layered = [tied, *({"data": data, **layer} for layer in layers)]
        return {"layer": layered, "width": width, "height": _BUMP_ROW * (count + 0.5)}

    wide = width + _LETTER * max(map(len, map(str, names)), default=0) + 20
    chart = panels(frame, facet, panel, wide=round(wide))
    pick = {"name": "picked", "select": {"type": "point", "fields": [field_name(series)]}, "views": views}
    return finished({**chart, "params": [pick], "usermeta": {"least": 20, "each": True}}, title, below)


def _series_colours(frame: pl.DataFrame, names: list[Any], rank: str, series: str, facet: str | None) -> list[str]:
    # Names stand at the ends of the lines; colours only help to follow a line to its name.
    coloured = leading(frame, rank, series, facet)[: len(PALETTE)]
    shades = iter(PALETTE)
    return [next(shades) if name in coloured else THIN for name in names]


def _slot_axis(column: str, count: int) -> dict[str, Any]:
    scale = {"domain": [count + 0.6, 0.1], "nice": False, "zero": False}
    return number(column, axis=None, scale=scale)


def _tie_layer(tied: pl.DataFrame, across: dict[str, Any], count: int) -> dict[str, Any]:
    """The bars that join the dots of series with the same rank."""
    mark = {"type": "rule", "strokeWidth": _DOT + 3, "strokeCap": "round", "color": FAINT}
    encoding = {"x": across, "y": _slot_axis("from", count), "y2": {"field": "to"}}
    return {"data": data_of(tied), "mark": mark, "encoding": encoding}


def _line_layers(at: dict[str, Any], x: str, columns: Sequence[Any], apart: str | None) -> list[dict[str, Any]]:
    """The lines, the dotted ones to what stands apart, and the dots."""
    line = {"type": "line", "strokeWidth": 2.2}
    dot = {"type": "point", "shape": "circle", "size": 0.785 * _DOT**2, "fill": PAPER, "strokeWidth": 2}
    layers: list[dict[str, Any]] = [
        {"transform": _only_columns(x, [each for each in columns if each != apart]), "mark": line, "encoding": at},
        {"mark": dot, "encoding": at},
    ]
    if apart in columns:
        link = {**line, "strokeWidth": 1.2, "strokeDash": [2, 3]}
        layers.insert(0, {"transform": _only_columns(x, columns[-2:]), "mark": link, "encoding": at})
    return layers


def _text_layers(at: dict[str, Any], x: str, rank: str, series: str, last: Any) -> list[dict[str, Any]]:
    """The ranks in the dots, and the names beside the last ones."""
    mark = {"type": "text", "fontSize": LETTERS, "color": INK}
    ranks, names = ({**at, "text": {"field": field_name(column), "type": "nominal"}} for column in (rank, series))
    beside = {**mark, "align": "left", "dx": _DOT // 2 + 6}
    return [
        {"mark": mark, "encoding": ranks},
        {"transform": _only_columns(x, [last]), "mark": beside, "encoding": names},
    ]


def _only_columns(x: str, columns: Sequence[Any]) -> list[dict[str, Any]]:
    return [{"filter": f"indexof({json.dumps(columns)}, datum[{json.dumps(x)}]) >= 0"}]


def slots(frame: pl.DataFrame, x: str, rank: str, series: str, columns: Sequence[Any]) -> pl.DataFrame:
    """The rows with their positions: by rank, and among ties as in the column before, so that few lines cross.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"turn": [1, 1, 2, 2], "metric": ["a", "b"] * 2, "rank": [2, 1, 1, 1]})
    >>> slots(frame, "turn", "rank", "metric", [1, 2]).rows()
    [(1, 'b', 1, 1), (1, 'a', 2, 2), (2, 'b', 1, 1), (2, 'a', 1, 2)]
    """
    import polars as pl

    known = frame.filter(pl.col(rank).is_not_null())
    # In the first column, ties stand in the order of their overall ranks.
    before = {name: slot for slot, name in enumerate(leading(known, rank, series))}
    rows: list[dict[str, Any]] = []
    for column in columns:
        ranked = known.filter(pl.col(x) == column).rows(named=True)
        ranked.sort(key=lambda row: (row[rank], before[row[series]]))
        before |= {row[series]: slot for slot, row in enumerate(ranked)}
        rows += [{**row, SLOT: slot} for slot, row in enumerate(ranked, start=1)]
    return pl.DataFrame(rows, schema={**frame.schema, SLOT: pl.Int64})


def ties(placed: pl.DataFrame, x: str, rank: str) -> pl.DataFrame:
    """The first and the last position of each rank that several series share.

    Examples
    --------
    >>> import polars as pl
    >>> ties(pl.DataFrame({"turn": [1, 1, 1], "rank": [1, 2, 2], "place": [1, 2, 3]}), "turn", "rank").rows()
    [(1, 2, 2, 3)]
    """
    import polars as pl

    ends = (pl.col(SLOT).min().alias("from"), pl.col(SLOT).max().alias("to"))
    return placed.group_by(x, rank, maintain_order=True).agg(*ends).filter(pl.col("from") < pl.col("to"))


def leading(frame: pl.DataFrame, rank: str, series: str, facet: str | None = None) -> list[Any]:
    """The series by their mean ranks in the panel that is best for them, then by those over all panels.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"set": [1, 1, 2, 2], "metric": ["a", "b"] * 2, "rank": [2, 3, 4, 1]})
    >>> leading(frame, "rank", "metric", "set"), leading(frame, "rank", "metric")
    (['b', 'a'], ['b', 'a'])
    """
    import polars as pl

    by = [series] if facet is None else [facet, series]
    means = frame.group_by(*by, maintain_order=True).agg(pl.col(rank).mean().alias("mean"))
    best = means.group_by(series, maintain_order=True).agg(
        pl.col("mean").min().alias("best"), pl.col("mean").mean().alias("whole")
    )
    return best.sort("best", "whole", nulls_last=True, maintain_order=True)[series].to_list()


_INTERVAL_ROW, _INTERVALS_WIDTH = 18, 260


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
        Further columns shown when pointing at a dot.
    title : str
    below : sequence of str
        Sentences below the title.

    Returns
    -------
    altair.LayerChart or altair.ConcatChart
    """
    ends = [each for each in (low, high) if each is not None]
    last = round(span(frame, rank, *ends)[1])
    # If there are many ranks, only every second or fifth is labelled.
    step = next(each for each in (1, 2, 5, 10, 20, 50, last) if last / each <= 12)
    axis = {"values": [1, *range(step if step > 1 else 2, last + 1, step)], "format": "d"}
    across = NumberAxis(rank, {"domain": [0.5, last + 0.5], "nice": False, "zero": False}, axis)

    def panel(part: pl.DataFrame) -> dict[str, Any]:
        rows = named_rows(label, part.sort(rank, nulls_last=True, maintain_order=True)[label].to_list())
        base = {"y": rows, "tooltip": tooltips(part, (label, rank, *ends, *tooltip))}
        dots = {"mark": {"type": "point", "size": 62, "color": INK, "opacity": 1}}
        layers = [{**dots, "encoding": {**base, "x": across.of(rank)}}]
        if low is not None and high is not None:
            whisker = {**base, "x": across.of(low), "x2": {"field": field_name(high)}}
            layers.insert(0, {"mark": {"type": "rule", "strokeWidth": 1.5, "color": INK}, "encoding": whisker})
        return {
            "data": data_of(part),
            "layer": layers,
            "width": _INTERVALS_WIDTH,
            "height": _INTERVAL_ROW * max(1, part.height),
        }

    longest = max(map(len, map(str, frame[label].to_list())), default=0)
    return finished(
        panels(frame, facet, panel, wide=_INTERVALS_WIDTH + min(260, round(6.2 * longest)) + 30), title, below
    )


_SHARES_WIDTH, _SHARES_HEIGHT = 560, 300
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
        Sentences below the title.
    titles : pair of str
        The titles of the axes.

    Returns
    -------
    altair.LayerChart
    """
    names = in_order(frame, series)[: len(SERIES)]
    of_named = frame.filter(frame[series].is_in(names))
    bars = of_named.filter(of_named[series] == names[0]).select(rank, observed)
    low, high = span(bars, rank)
    scale = {"domain": [low - 0.6, high + 0.6], "nice": False, "zero": False}
    across = number(rank, title=titles[0], axis={"tickMinStep": 1, "format": "d", "grid": False}, scale=scale)
    up = number(observed, title=titles[1], axis={"format": "%"})
    legend = {"symbolType": "stroke", "symbolSize": 300, "orient": "top", "direction": "vertical", "title": None}
    legend |= {"labelLimit": _SHARES_WIDTH}
    colour = {"field": series, "type": "nominal", "sort": names, "legend": legend}
    lines = {
        "x": across,
        "y": {**up, "field": expected},
        "color": {**colour, "scale": {"domain": names, "range": list(SERIES[: len(names)])}},
        "strokeDash": {**colour, "scale": {"domain": names, "range": list(_DASHES[: len(names)])}},
        "tooltip": tooltips(of_named, (series, rank, expected, observed)),
    }
    wide = max(2, min(34, _SHARES_WIDTH // (bars.height + 1) - 6))
    counts = {"x": across, "y": up, "tooltip": tooltips(bars, (rank, observed))}
    layers = [
        {"data": data_of(bars), "mark": {"type": "bar", "fill": GRID, "size": wide}, "encoding": counts},
        {"data": data_of(of_named), "mark": {"type": "line", "strokeWidth": 1.8, "point": False}, "encoding": lines},
    ]
    chart = {"layer": layers, "width": _SHARES_WIDTH, "height": _SHARES_HEIGHT}
    return finished({**chart, "usermeta": {"legend": len(names), "least": 240}}, title, [" ".join(below)])
