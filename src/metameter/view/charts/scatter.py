"""Scatter plots: two numbers of the same thing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from metameter.view.charts.parts import chart_of, field_name, in_order, panels, span, titled, tooltips
from metameter.view.charts.theme import ACCENT, INK, MUTED, PALETTE, themed

if TYPE_CHECKING:
    import polars as pl

__all__ = ["scatter"]


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
        Colours the dots and, since colours are few, gives them shapes.
    facet : str, optional
        One panel per value of this column.
    highlight : collection of str
        The labels that are written beside their dots.
    tooltip : sequence of str
        Further columns to show when hovering over a dot.
    diagonal : bool
        Draw the line on which both numbers are equal.
    title : str

    Returns
    -------
    altair.LayerChart or altair.ConcatChart
    """
    import altair as alt

    def panel(part: pl.DataFrame) -> Any:
        shown = tooltips(part, (label, x, y, *([group] if group else []), *tooltip))
        base = chart_of(part).encode(*_axes(x, y), tooltip=shown)
        layers = [_equal(part, x, y)] if diagonal else []
        layers.append(
            base.mark_point(size=45, opacity=1, stroke="white", strokeWidth=0.6).encode(
                **_colour(frame, label, group, highlight)
            )
        )
        return alt.layer(*layers, _names(base, label, highlight))

    return themed(titled(panels(frame, facet, panel), title))


def _axes(x: str, y: str) -> list[Any]:
    import altair as alt

    return [
        kind(field=field_name(column), type="quantitative", title=column, scale=alt.Scale(zero=False))
        for kind, column in ((alt.X, x), (alt.Y, y))
    ]


def _colour(frame: pl.DataFrame, label: str, group: str | None, highlight: Collection[str]) -> dict[str, Any]:
    import altair as alt

    if group is not None:
        # The same domain for both: otherwise each would have its own legend.
        scale = alt.Scale(domain=in_order(frame, group))
        field: dict[str, Any] = {"field": field_name(group), "type": "nominal", "title": group, "scale": scale}
        return {"color": alt.Color(**field), "shape": alt.Shape(**field)}
    chosen = alt.FieldOneOfPredicate(field=field_name(label), oneOf=sorted(highlight))
    return {"color": alt.condition(chosen, alt.value(ACCENT), alt.value(MUTED if highlight else PALETTE[0]))}


def _names(base: Any, label: str, highlight: Collection[str]) -> Any:
    import altair as alt

    chosen = alt.FieldOneOfPredicate(field=field_name(label), oneOf=sorted(highlight))
    text = alt.Text(field=field_name(label), type="nominal")
    return base.transform_filter(chosen).mark_text(align="left", dx=7, fontSize=11, color=INK).encode(text)


def _equal(part: pl.DataFrame, x: str, y: str) -> Any:
    import polars as pl

    ends = span(part, x, y)
    line = chart_of(pl.DataFrame({x: ends, y: ends}))
    return line.mark_line(color=MUTED, strokeDash=[4, 4]).encode(*_axes(x, y))
