"""Bump charts: how ranks change from column to column, one line per series."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from metameter.view.charts.core.columns import column_axis, spaced
from metameter.view.charts.core.drawing import finished
from metameter.view.charts.core.parts import data_of, field_name, in_order, number, panels, tooltips, value
from metameter.view.charts.core.theme import INK, LETTERS, PALETTE, PAPER
from metameter.view.charts.depth.axis import FAINT, THIN

if TYPE_CHECKING:
    import polars as pl


#: The column that is added: the place from the top.
SLOT = "place"

Colours = Callable[[Sequence[str]], list[str] | None]
# Pixels: a column, a row, a dot that holds two digits, a letter of a name.
_COLUMN, _ROW, _DOT, _LETTER = 25, 21, 17, 6.2
#: More columns than that are thinned.
MOST_COLUMNS = 20
_SEEN = {"condition": {"param": "picked", **value(1)}, **value(0.15)}


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
        Further columns to show when pointing at a dot.
    apart : str, optional
        The value of `x` that stands apart at the right, such as the sum over all others.
    title : str
    below : sequence of str
        What stands below the title.
    colours : callable
        Given the names of the series, their colours; None if they have none. Then they have those of the palette; of
        more series than it has colours, those that rank highest in some panel have one, and the others are grey.

    Returns
    -------
    altair.LayerChart or altair.ConcatChart
    """
    columns = spaced(in_order(frame, x), MOST_COLUMNS, apart)
    names = in_order(frame, series)
    shades = {"domain": names, "range": colours(names) or _shades(frame, names, rank, series, facet)}
    colour = {"field": field_name(series), "type": "nominal", "scale": shades, "legend": None}
    across = column_axis(x, columns, apart)
    width = _COLUMN * len(across["sort"])
    views: list[str] = []

    def panel(part: pl.DataFrame) -> dict[str, Any]:
        count = part[series].n_unique()
        placed = slots(part, x, rank, series, columns)
        data, told = data_of(placed), tooltips(part, (series, x, rank, *tooltip))
        at = {"x": across, "y": _upright(SLOT, count), "tooltip": told, "opacity": _SEEN}
        layers = [*_lines({**at, "stroke": colour}, x, columns, apart), *_texts(at, x, rank, series, columns[-1])]
        # One layer of a panel hears the clicks on all of them.
        views.append(f"panel_{len(views)}")
        layers[-1]["name"] = views[-1]
        tied = _joined(ties(placed, x, rank), across, count)
        layered = [tied, *({"data": data, **layer} for layer in layers)]
        return {"layer": layered, "width": width, "height": _ROW * (count + 0.5)}

    wide = width + _LETTER * max(map(len, map(str, names)), default=0) + 20
    chart = panels(frame, facet, panel, wide=round(wide))
    pick = {"name": "picked", "select": {"type": "point", "fields": [field_name(series)]}, "views": views}
    return finished({**chart, "params": [pick], "usermeta": {"least": 20, "each": True}}, title, below)


def _shades(frame: pl.DataFrame, names: list[Any], rank: str, series: str, facet: str | None) -> list[str]:
    # Names stand at the ends of the lines: colours only help to follow a line to its name.
    coloured = leading(frame, rank, series, facet)[: len(PALETTE)]
    shades = iter(PALETTE)
    return [next(shades) if name in coloured else THIN for name in names]


def _upright(column: str, count: int) -> dict[str, Any]:
    scale = {"domain": [count + 0.6, 0.1], "nice": False, "zero": False}
    return number(column, axis=None, scale=scale)


def _joined(tied: pl.DataFrame, across: dict[str, Any], count: int) -> dict[str, Any]:
    """What joins the dots of those that share a rank."""
    mark = {"type": "rule", "strokeWidth": _DOT + 3, "strokeCap": "round", "color": FAINT}
    encoding = {"x": across, "y": _upright("from", count), "y2": {"field": "to"}}
    return {"data": data_of(tied), "mark": mark, "encoding": encoding}


def _lines(at: dict[str, Any], x: str, columns: Sequence[Any], apart: str | None) -> list[dict[str, Any]]:
    """The lines, the dotted ones to what stands apart, and the dots."""
    line = {"type": "line", "strokeWidth": 2.2}
    dot = {"type": "point", "shape": "circle", "size": 0.785 * _DOT**2, "fill": PAPER, "strokeWidth": 2}
    layers: list[dict[str, Any]] = [
        {"transform": _only(x, [each for each in columns if each != apart]), "mark": line, "encoding": at},
        {"mark": dot, "encoding": at},
    ]
    if apart in columns:
        link = {**line, "strokeWidth": 1.2, "strokeDash": [2, 3]}
        layers.insert(0, {"transform": _only(x, columns[-2:]), "mark": link, "encoding": at})
    return layers


def _texts(at: dict[str, Any], x: str, rank: str, series: str, last: Any) -> list[dict[str, Any]]:
    """The ranks in the dots, and the names beside the last ones."""
    mark = {"type": "text", "fontSize": LETTERS, "color": INK}
    ranks, names = ({**at, "text": {"field": field_name(column), "type": "nominal"}} for column in (rank, series))
    beside = {**mark, "align": "left", "dx": _DOT // 2 + 6}
    return [{"mark": mark, "encoding": ranks}, {"transform": _only(x, [last]), "mark": beside, "encoding": names}]


def _only(x: str, columns: Sequence[Any]) -> list[dict[str, Any]]:
    return [{"filter": f"indexof({json.dumps(columns)}, datum[{json.dumps(x)}]) >= 0"}]


def slots(frame: pl.DataFrame, x: str, rank: str, series: str, columns: Sequence[Any]) -> pl.DataFrame:
    """The rows with their places: by rank; among equals as in the column before, so that lines cross only if they must.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"turn": [1, 1, 2, 2], "metric": ["a", "b"] * 2, "rank": [2, 1, 1, 1]})
    >>> slots(frame, "turn", "rank", "metric", [1, 2]).rows()
    [(1, 'b', 1, 1), (1, 'a', 2, 2), (2, 'b', 1, 1), (2, 'a', 1, 2)]
    """
    import polars as pl

    known = frame.filter(pl.col(rank).is_not_null())
    # In the first column equals stand as they rank on the whole.
    before = {name: place for place, name in enumerate(leading(known, rank, series))}
    rows: list[dict[str, Any]] = []
    for column in columns:
        found = known.filter(pl.col(x) == column).rows(named=True)
        found.sort(key=lambda row: (row[rank], before[row[series]]))
        before |= {row[series]: place for place, row in enumerate(found)}
        rows += [{**row, SLOT: place} for place, row in enumerate(found, start=1)]
    return pl.DataFrame(rows, schema={**frame.schema, SLOT: pl.Int64})


def ties(placed: pl.DataFrame, x: str, rank: str) -> pl.DataFrame:
    """From which place to which there is the same rank: a row for each rank that several series share.

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
