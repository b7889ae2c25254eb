"""Curves and scatter plots."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from metameter.view.charts.channels import Colours, data_of, field_name, in_order, number, panels, span, tooltips, value
from metameter.view.charts.specification import finished
from metameter.view.charts.styles import line_styles, mark_channels
from metameter.view.charts.theme import GRID, INK, LETTERS, MUTED, PALETTE, PAPER, SERIES

if TYPE_CHECKING:
    import polars as pl

    from metameter.view.mark_styles import MarkedColumn


MOST_POINTS = 500
_CURVES_WIDTH, _CURVES_HEIGHT = 375, 240
Ends = tuple[float, float]


def curves(
    frame: pl.DataFrame,
    x: str,
    y: str,
    series: str,
    facet: str | None = None,
    highlight: Collection[str] = (),
    *,
    title: str = "",
    domain: Ends | None = None,
    across: Ends | None = None,
    level: float | None = None,
    colours: Colours = lambda names: None,
) -> Any:
    """One line per series, such as the p-values of a metric; a click in the legend picks one out.

    Parameters
    ----------
    frame : polars.DataFrame
        One row per point.
    x, y, series : str
        Its columns. Of a series with more than 500 points, evenly spaced ones and the last are drawn.
    facet : str, optional
        One panel per value of this column, each with its own legend; the scales are the same in all.
    highlight : collection of str
        The series that stand out by a thicker line, such as those of canonical metrics.
    title : str
    domain, across : pair of float, optional
        The ends of the vertical and of the horizontal scale; by default those of the values.
    level : float, optional
        Where to draw a dashed line across.
    colours : callable
        Given the names of a panel's series, their colours; None if they have none: then they are ink and greys.

    Returns
    -------
    altair.LayerChart or altair.ConcatChart
    """
    frame = _thinned(frame, [series] if facet is None else [facet, series])
    scales = {"x": {"domain": list(across or span(frame, x)), "nice": False, "zero": False}}
    scales["y"] = {"domain": list(domain or span(frame, y))}
    # Names of our own: Altair would give the lines of the first panel the same name.
    names = (f"panel_{number}" for number in count())
    picks: list[dict[str, Any]] = []

    def panel(part: pl.DataFrame) -> dict[str, Any]:
        name = next(names)
        select = {"type": "point", "fields": [field_name(series)]}
        picks.append({"name": f"picked_{name}", "select": select, "bind": "legend", "views": [name]})
        lines = _curve_layer(part, x, y, series, highlight, scales, colours, name)
        rule = [] if level is None else [_level_line(level, y, scales["y"])]
        return {"data": data_of(part), "layer": [*rule, lines], "width": _CURVES_WIDTH, "height": _CURVES_HEIGHT}

    chart = panels(frame, facet, panel, wide=_CURVES_WIDTH + 70)
    apart = {"resolve": {"scale": {"color": "independent", "strokeDash": "independent"}}}
    return finished({**chart, **({} if facet is None else apart), "params": picks}, title)


def _thinned(frame: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """Every n-th point of each series, its last one among them."""
    import polars as pl

    every = 1 + (pl.len() - 1) // MOST_POINTS
    is_kept = (pl.int_range(pl.len()) % every == 0) | (pl.int_range(pl.len()) == pl.len() - 1)
    return frame.filter(is_kept.over(by))


def _level_line(level: float, y: str, scale: dict[str, Any]) -> dict[str, Any]:
    mark = {"type": "rule", "color": MUTED, "strokeDash": [5, 4]}
    return {"data": {"values": [{y: level}]}, "mark": mark, "encoding": {"y": number(y, scale=scale)}}


def _curve_layer(
    part: pl.DataFrame,
    x: str,
    y: str,
    series: str,
    highlight: Collection[str],
    scales: dict[str, dict[str, Any]],
    colours: Colours,
    name: str,
) -> dict[str, Any]:
    names = in_order(part, series)
    thick = {"test": {"field": field_name(series), "oneOf": sorted(highlight)}, **value(3.2)}
    # Below the panel, where there is room for long names.
    below: dict[str, Any] = {
        "orient": "bottom",
        "direction": "vertical",
        "columns": 2 if max(map(len, map(str, names))) < 28 else 1,
    }
    encoding = {
        "x": number(x, title=x, scale=scales["x"], axis={"tickCount": 6, "labelOverlap": True}),
        "y": number(y, title=y, scale=scales["y"]),
        **line_styles(series, names, colours(names), position=below),
        "strokeWidth": {"condition": thick, **value(1.6)},
        "opacity": {"condition": {"param": f"picked_{name}", **value(1)}, **value(0.12)},
        "tooltip": tooltips(part, (series, x, y)),
    }
    return {"name": name, "mark": {"type": "line", "interpolate": "linear"}, "encoding": encoding}


_CONVERGENCE_WIDTH, _CONVERGENCE_HEIGHT = 210, 170


def convergence(
    frame: pl.DataFrame,
    x: str,
    y: str,
    error: str,
    series: str,
    facet: str,
    *,
    title: str = "",
    colours: Colours = lambda names: None,
) -> Any:
    """How far each mean was from its final value; in grey, the 95% interval of the least certain of them.

    Parameters
    ----------
    frame : polars.DataFrame
        One row for each series and number of draws.
    x, y, error, series, facet : str
        Its columns: the number of draws, the mean so far, its standard error, what it is the mean of, and the panel.
    title : str
    colours : callable
        Given the names of a panel's series, their colours; None if they have none.

    Returns
    -------
    altair.ConcatChart
    """
    import polars as pl

    away = frame.with_columns((pl.col(y) - pl.col(y).last().over(facet, series)).alias("from the end"))
    bands = away.with_columns((1.96 * pl.col(error).max().over(facet, x)).alias("chance"))
    bands = bands.with_columns((-pl.col("chance")).alias("below"))
    ends = span(bands, "chance", "below", "from the end")
    scale = {"domain": list(ends)}
    chart = panels(
        bands,
        facet,
        lambda part: _convergence_panel(part, x, y, error, series, scale, colours),
        wide=_CONVERGENCE_WIDTH + 90,
    )
    return finished({**chart, "resolve": {"scale": {"color": "independent", "strokeDash": "independent"}}}, title)


def _convergence_panel(
    part: pl.DataFrame, x: str, y: str, error: str, series: str, scale: dict[str, Any], colours: Colours
) -> dict[str, Any]:
    across, title = _log_axis(part, x), f"{y}, from where it ended"
    widest = part.unique(x, maintain_order=True).select(x, "chance", "below")
    points = part.select(list(dict.fromkeys((series, x, y, error, "from the end"))))
    hover = tooltips(part, (series, x, y, error))
    band = {"x": across, "y": number("chance", scale=scale, title=title), "y2": {"field": "below"}}
    lines = {
        "x": across,
        "y": number("from the end", scale=scale, title=title),
        **_series_channels(part, series, colours),
        "tooltip": hover,
    }
    layers = [
        {"data": data_of(widest), "mark": {"type": "area", "color": GRID, "opacity": 1}, "encoding": band},
        {"data": data_of(points), "mark": {"type": "line", "strokeWidth": 1.6, "color": INK}, "encoding": lines},
    ]
    return {"layer": layers, "width": _CONVERGENCE_WIDTH, "height": _CONVERGENCE_HEIGHT}


def _log_axis(part: pl.DataFrame, x: str) -> dict[str, Any]:
    # The points stand at equal ratios: a linear axis would crowd the beginning, where all the movement is.
    scale, axis = {"type": "log", "nice": False}, {"values": _round_ticks(part, x), "labelOverlap": True}
    return number(x, title=x, scale=scale, axis=axis)


def _series_channels(part: pl.DataFrame, series: str, colours: Colours) -> dict[str, Any]:
    names = in_order(part, series)
    if len(names) > len(PALETTE):
        # With more lines than colours, a tooltip names each line.
        return {"detail": {"field": field_name(series), "type": "nominal"}}
    return line_styles(series, names, colours(names))


def _round_ticks(part: pl.DataFrame, x: str) -> list[int]:
    first, last = part[x].min(), part[x].max()
    round_numbers = [step * 10**power for power in range(7) for step in (1, 2, 5)]
    return [number for number in round_numbers if first <= number <= last]


_SCATTER_WIDTH, _SCATTER_HEIGHT = 360, 260


def scatter(
    frame: pl.DataFrame,
    x: str,
    y: str,
    label: str,
    group: str | None = None,
    facet: str | None = None,
    highlight: Collection[str] = (),
    *,
    tooltip: Sequence[str] = (),
    marks: MarkedColumn | None = None,
    diagonal: bool = False,
    title: str = "",
) -> Any:
    """One dot per row; highlighted ones carry their names.

    Parameters
    ----------
    frame : polars.DataFrame
    x, y, label : str
        Its columns.
    group : str, optional
        The column of groups, which have different greys unless ``marks`` has marks for all of them.
    facet : str, optional
        One panel per value of this column.
    highlight : collection of str
        The labels that are written beside their dots.
    tooltip : sequence of str
        Further columns shown when pointing at a dot.
    marks : MarkedColumn, optional
        The colours and shapes of groups.
    diagonal : bool
        Draw the line on which both numbers are equal.
    title : str

    Returns
    -------
    altair.LayerChart or altair.ConcatChart
    """
    keys = _dot_channels(frame, label, group, highlight, marks)
    axes = {side: number(column, title=column, scale={"zero": False}) for side, column in (("x", x), ("y", y))}

    def panel(part: pl.DataFrame) -> dict[str, Any]:
        base = {**axes, "tooltip": tooltips(part, (label, x, y, *([group] if group else []), *tooltip))}
        mark = {"type": "point", "size": 60, "opacity": 1, "stroke": PAPER, "strokeWidth": 0.6}
        dots = {"data": data_of(part), "mark": mark, "encoding": {**base, **keys}}
        layers = [
            *([_diagonal_line(part, x, y, axes)] if diagonal else []),
            dots,
            _dot_labels(part, base, label, highlight),
        ]
        return {"layer": layers, "width": _SCATTER_WIDTH, "height": _SCATTER_HEIGHT}

    return finished(panels(frame, facet, panel), title)


def _dot_channels(
    frame: pl.DataFrame, label: str, group: str | None, highlight: Collection[str], marks: MarkedColumn | None
) -> dict[str, Any]:
    if group is None:
        chosen = {"field": field_name(label), "oneOf": sorted(highlight)}
        return {"color": {"condition": {"test": chosen, **value(INK)}, **value(MUTED if highlight else INK)}}
    names = in_order(frame, group)
    if marks is not None and (channels := mark_channels(marks, names)):
        return channels
    shades = [SERIES[i % len(SERIES)] for i in range(len(names))]
    return {"color": {"field": field_name(group), "type": "nominal", "scale": {"domain": names, "range": shades}}}


def _dot_labels(part: pl.DataFrame, base: dict[str, Any], label: str, highlight: Collection[str]) -> dict[str, Any]:
    some = part.filter(part[label].is_in(sorted(highlight)))
    mark = {"type": "text", "align": "left", "dx": 7, "fontSize": LETTERS, "color": INK}
    text = {"field": field_name(label), "type": "nominal"}
    return {"data": data_of(some), "mark": mark, "encoding": {**base, "text": text}}


def _diagonal_line(part: pl.DataFrame, x: str, y: str, axes: dict[str, Any]) -> dict[str, Any]:
    ends = span(part, x, y)
    mark = {"type": "line", "color": MUTED, "strokeDash": [4, 4]}
    return {"data": {"values": [{x: end, y: end} for end in ends]}, "mark": mark, "encoding": axes}
