"""Dots and whiskers in order: estimates with their confidence intervals."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from metameter.view.charts.parts import chart_of, field_name, in_order, titled, tooltips
from metameter.view.charts.theme import ACCENT, MUTED, PALETTE, themed

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ordered_intervals"]


def ordered_intervals(
    frame: pl.DataFrame,
    label: str,
    value: str,
    low: str,
    high: str,
    group: str | None = None,
    highlight: Collection[str] = (),
    *,
    title: str = "",
) -> Any:
    """One dot and whisker per row, the largest value at the top; legible with 129 rows.

    Parameters
    ----------
    frame : polars.DataFrame
        One row per dot; no label twice.
    label, value, low, high : str
        Its columns.
    group : str, optional
        Colours the rows, while there are no more groups than colours; else it is written beside them.
    highlight : collection of str
        The labels that stand out; the others are grey.
    title : str

    Returns
    -------
    altair.LayerChart
    """
    import altair as alt

    step = 17 if frame.height <= 50 else 12
    shown = (label, value, low, high) if group is None else (label, value, low, high, group)
    base = _rows(frame, label, value, step).encode(tooltip=tooltips(frame, shown))
    colour = _colour(frame, label, group, highlight)
    dots = base.mark_point(size=3 * step, opacity=1).encode(_across(value, value), color=colour)
    layers = [base.mark_rule(strokeWidth=1.5).encode(_across(low, value), alt.X2(field=field_name(high)), color=colour)]
    layers.append(dots)
    if group is not None and _too_many(frame, group):
        beside = base.mark_text(align="left", dx=6, fontSize=step - 3)
        layers.append(beside.encode(_across(high, value), alt.Text(field=field_name(group), type="nominal")))
    return themed(titled(alt.layer(*layers).properties(width=420, height=step * frame.height), title))


def _rows(frame: pl.DataFrame, label: str, value: str, step: int) -> Any:
    import altair as alt

    order = frame.sort(value, descending=True, nulls_last=True)[label].to_list()
    axis = alt.Axis(labelFontSize=min(11, step - 2), labelOverlap=False, grid=True, ticks=False, domain=False)
    return chart_of(frame).encode(alt.Y(field=field_name(label), type="nominal", sort=order, title=None, axis=axis))


def _across(column: str, title: str) -> Any:
    import altair as alt

    # Labels at the ends are moved inwards: with many ticks they would run into their neighbours.
    axis = alt.Axis(tickCount=6, labelOverlap=True)
    return alt.X(field=field_name(column), type="quantitative", title=title, scale=alt.Scale(zero=False), axis=axis)


def _too_many(frame: pl.DataFrame, group: str) -> bool:
    return frame[group].n_unique() > len(PALETTE)


def _colour(frame: pl.DataFrame, label: str, group: str | None, highlight: Collection[str]) -> Any:
    import altair as alt

    if highlight:
        chosen = alt.FieldOneOfPredicate(field=field_name(label), oneOf=sorted(highlight))
        return alt.condition(chosen, alt.value(ACCENT), alt.value(MUTED))
    if group is None or _too_many(frame, group):
        return alt.value(PALETTE[0])
    return alt.Color(field=field_name(group), type="nominal", sort=in_order(frame, group), title=group)
