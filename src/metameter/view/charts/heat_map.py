"""Heat maps: one value per pair."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.view.charts.parts import chart_of, field_name, in_order, panels, span, titled, tooltips
from metameter.view.charts.theme import INK, themed

if TYPE_CHECKING:
    import polars as pl

__all__ = ["heat_map"]

ROOMY, TIGHT = 46, 16


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
) -> Any:
    """One square per pair, coloured by a value; where there is room, the value is written into it.

    Rows and columns stand in the order in which they occur.

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

    Returns
    -------
    altair.Chart or altair.ConcatChart
    """
    low, high = domain or _ends(frame, value)

    def panel(part: pl.DataFrame) -> Any:
        across, down = in_order(part, x), in_order(part, y)
        size = ROOMY if max(len(across), len(down)) <= 12 else TIGHT
        base = _grid(part, x, y, tooltips(part, (x, y, value, *tooltip)))
        squares = _squares(base, value, low, high)
        sized = {"width": size * len(across), "height": size * len(down)}
        return (squares + _written(base, value, low, high) if size == ROOMY else squares).properties(**sized)

    chart = panels(frame, facet, panel)
    return themed(titled(chart if facet is None else chart.resolve_scale(color="shared"), title))


def _ends(frame: pl.DataFrame, value: str) -> tuple[float, float]:
    low, high = span(frame, value)
    furthest = max(abs(low), abs(high))
    return (low, high) if low >= 0 else (-furthest, furthest)


def _grid(part: pl.DataFrame, x: str, y: str, tooltip: list[Any]) -> Any:
    import altair as alt

    axis: dict[str, Any] = {"title": None, "type": "nominal"}
    return chart_of(part).encode(
        alt.X(field=field_name(x), sort=in_order(part, x), axis=alt.Axis(labelAngle=-45), **axis),
        alt.Y(field=field_name(y), sort=in_order(part, y), **axis),
        tooltip=tooltip,
    )


def _squares(base: Any, value: str, low: float, high: float) -> Any:
    import altair as alt

    # Reversed, so that blue is high on both scales.
    hues: dict[str, Any] = {"scheme": "blueorange", "reverse": True} if low < 0 else {"scheme": "blues"}
    scale = alt.Scale(domain=[low, high], **hues)
    colour = alt.Color(field=field_name(value), type="quantitative", scale=scale, title=value)
    return base.mark_rect(stroke="white").encode(colour)


def _written(base: Any, value: str, low: float, high: float) -> Any:
    import altair as alt

    # White ink on the dark ends of the scale, of which a scale that spans 0 has two.
    datum = f"datum[{json.dumps(value)}]"
    dark = f"abs({datum}) > {0.65 * high}" if low < 0 else f"{datum} > {low + 0.6 * (high - low)}"
    ink = alt.condition(dark, alt.value("white"), alt.value(INK))
    return base.mark_text(fontSize=11).encode(
        alt.Text(field=field_name(value), type="quantitative", format=".2f"), color=ink
    )
