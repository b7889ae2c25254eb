"""Convergence: how far simulated means were from their final values, after more and more draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from metameter.view.charts.parts import chart_of, field_name, in_order, panels, span, titled, tooltips
from metameter.view.charts.theme import PALETTE, themed

if TYPE_CHECKING:
    import polars as pl

__all__ = ["convergence"]

_BAND = "#E3E3E3"
Colours = Callable[[Sequence[str]], list[str] | None]


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
        Given the names of a panel's series, their colours; None for those of the palette.

    Returns
    -------
    altair.ConcatChart
    """
    import polars as pl

    away = frame.with_columns((pl.col(y) - pl.col(y).last().over(facet, series)).alias("from the end"))
    bands = away.with_columns((1.96 * pl.col(error).max().over(facet, x)).alias("chance"))
    ends = span(bands.with_columns((-pl.col("chance")).alias("below")), "chance", "below", "from the end")
    chart = panels(bands, facet, lambda part: _panel(part, x, y, error, series, ends, colours), columns=3)
    return themed(titled(chart.resolve_scale(color="independent"), title))


def _panel(
    part: pl.DataFrame, x: str, y: str, error: str, series: str, ends: tuple[float, float], colours: Colours
) -> Any:
    import altair as alt
    import polars as pl

    across = _across(part, x)
    upright: dict[str, Any] = {"type": "quantitative", "scale": alt.Scale(domain=list(ends))}
    upright["title"] = f"{y}, from where it ended"
    widest = part.unique(x, maintain_order=True).with_columns((-pl.col("chance")).alias("below"))
    band = chart_of(widest).mark_area(color=_BAND, opacity=1).encode(across, alt.Y(field="chance", **upright))
    lines = chart_of(part).mark_line(strokeWidth=1.6, color=PALETTE[0])
    height, shown = alt.Y(field="from the end", **upright), tooltips(part, (series, x, y, error))
    lines = lines.encode(across, height, _told_apart(part, series, colours), tooltip=shown)
    return (band.encode(alt.Y2(field="below")) + lines).properties(width=250, height=170)


def _across(part: pl.DataFrame, x: str) -> Any:
    import altair as alt

    # The points stand at equal ratios: a linear axis would crowd the beginning, where all the movement is.
    scale, axis = alt.Scale(type="log", nice=False), alt.Axis(values=_ticks(part, x))
    return alt.X(field=field_name(x), type="quantitative", title=x, scale=scale, axis=axis)


def _told_apart(part: pl.DataFrame, series: str, colours: Colours) -> Any:
    import altair as alt

    names = in_order(part, series)
    if len(names) > len(PALETTE):
        # More lines than colours: pointing at one tells which it is.
        return alt.Detail(field=field_name(series), type="nominal")
    scale = alt.Scale(domain=names, range=colours(names) or list(PALETTE[: len(names)]))
    return alt.Color(field=field_name(series), type="nominal", sort=names, title=None, scale=scale)


def _ticks(part: pl.DataFrame, x: str) -> list[int]:
    first, last = part[x].min(), part[x].max()
    round_numbers = [step * 10**power for power in range(7) for step in (1, 2, 5)]
    return [number for number in round_numbers if first <= number <= last]
