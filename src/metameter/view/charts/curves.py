"""Curves: how a value changes along an axis, one line per series."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from metameter.view.charts.parts import chart_of, field_name, in_order, panels, span, titled, tooltips
from metameter.view.charts.theme import PALETTE, themed

if TYPE_CHECKING:
    import polars as pl

__all__ = ["curves"]

# With more series than colours, the pattern of the line tells those of one colour apart.
DASHES: tuple[list[int], ...] = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4], [1, 4], [4, 2, 1, 2])
MOST_POINTS = 500


def curves(
    frame: pl.DataFrame,
    x: str,
    y: str,
    series: str,
    facet: str | None = None,
    highlight: Collection[str] = (),
    *,
    title: str = "",
    domain: tuple[float, float] | None = None,
) -> Any:
    """One line per series, such as the p-values of a metric; a click in the legend picks one out.

    Parameters
    ----------
    frame : polars.DataFrame
        One row per point.
    x, y, series : str
        Its columns. Of a series with more than 500 points, evenly spaced ones and the last are drawn.
    facet : str, optional
        One panel per value of this column, each with its own legend; the vertical scale is the same in all.
    highlight : collection of str
        The series that stand out by a thicker line, such as those of canonical metrics.
    title : str
    domain : pair of float, optional
        The ends of the vertical scale; by default those of the values.

    Returns
    -------
    altair.Chart or altair.ConcatChart
    """
    frame = _thin(frame, [series] if facet is None else [facet, series])
    low, high = domain or span(frame, y)

    number = count()

    def panel(part: pl.DataFrame) -> Any:
        return _lines(part, x, y, series, highlight, (low, high), f"picked{next(number)}")

    chart = panels(frame, facet, panel)
    apart = {"color": "independent", "strokeDash": "independent"}
    return themed(titled(chart if facet is None else chart.resolve_scale(**apart), title))


def _thin(frame: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """Every n-th point of each series, its last one among them."""
    import polars as pl

    every = 1 + (pl.len() - 1) // MOST_POINTS
    kept = (pl.int_range(pl.len()) % every == 0) | (pl.int_range(pl.len()) == pl.len() - 1)
    return frame.filter(kept.over(by))


def _lines(
    part: pl.DataFrame, x: str, y: str, series: str, highlight: Collection[str], ends: tuple[float, float], name: str
) -> Any:
    import altair as alt

    names = in_order(part, series)
    picked = alt.selection_point(name, fields=[field_name(series)], bind="legend")
    thick = alt.FieldOneOfPredicate(field=field_name(series), oneOf=sorted(highlight))
    return (
        chart_of(part)
        .mark_line(interpolate="linear")
        .encode(
            alt.X(field=field_name(x), type="quantitative", title=x, scale=alt.Scale(nice=False, zero=False)),
            alt.Y(field=field_name(y), type="quantitative", title=y, scale=alt.Scale(domain=list(ends))),
            *_style(series, names),
            strokeWidth=alt.condition(thick, alt.value(3.2), alt.value(1.6)),
            opacity=alt.condition(picked, alt.value(1), alt.value(0.12)),
            tooltip=tooltips(part, (series, x, y)),
        )
        .add_params(picked)
    )


def _style(series: str, names: Sequence[Any]) -> tuple[Any, Any]:
    import altair as alt

    colours = [PALETTE[i % len(PALETTE)] for i in range(len(names))]
    rounds = [i // len(PALETTE) for i in range(len(names))]
    dashes = [DASHES[turn % len(DASHES)] for turn in rounds]
    field: dict[str, Any] = {"field": field_name(series), "type": "nominal", "title": series, "sort": names}
    legend = alt.Legend(symbolType="stroke", symbolSize=300, columns=1 + len(names) // 24, symbolLimit=0)
    return (
        alt.Color(scale=alt.Scale(domain=names, range=colours), legend=legend, **field),
        alt.StrokeDash(scale=alt.Scale(domain=names, range=dashes), legend=legend, **field),
    )
