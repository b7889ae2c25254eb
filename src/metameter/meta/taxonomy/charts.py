"""The taxonomy as a chart: one square per combination."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.view.charts.parts import chart_of, in_order, titled, tooltips
from metameter.view.charts.theme import INK, themed

if TYPE_CHECKING:
    import polars as pl

__all__ = ["squares"]

# Light fills, so that dark text can be read on all of them; grey for what measures nothing.
_FILLS = {"named": "#9ECAE1", "metric": "#EAF3F9", "order-insensitive": "#FDD0A2", "constant": "#D9D9D9"}
_MEANINGS = {
    "named": "a metric with a name",
    "metric": "a metric without a name",
    "order-insensitive": "XX: the order does not matter",
    "constant": "X: a constant",
}
_WIDTH, _HEIGHT = 88, 26
_TITLE = "What browsing models and aggregations make together"


def squares(frame: pl.DataFrame) -> Any:
    """One square per row of the taxonomy, with its ``label``; hovering over it shows the whole row."""
    import altair as alt
    import polars as pl

    kind = pl.when(pl.col("name").is_not_null()).then(pl.lit("named")).otherwise(pl.col("class"))
    shown = frame.with_columns(what=kind.replace_strict(_MEANINGS), user_of=pl.format("{} ({})", "browse", "user"))
    base = chart_of(shown).encode(
        alt.X(field="aggregate", type="nominal", sort=in_order(shown, "aggregate"), axis=_axis(orient="top")),
        alt.Y(field="user_of", type="nominal", sort=in_order(shown, "user_of"), axis=_axis()),
        tooltip=tooltips(shown, [column for column in frame.columns if column != "label"]),
    )
    present = [kind for kind in _FILLS if _MEANINGS[kind] in set(shown["what"])]
    scale = alt.Scale(domain=[_MEANINGS[each] for each in present], range=[_FILLS[each] for each in present])
    legend = alt.Legend(orient="bottom", title=None, columns=2)
    fill = alt.Color(field="what", type="nominal", scale=scale, legend=legend)
    text = base.mark_text(fontSize=11, color=INK).encode(alt.Text(field="label", type="nominal"))
    drawn = (base.mark_rect(stroke="white").encode(fill) + text).properties(
        width=_WIDTH * len(in_order(shown, "aggregate")), height=_HEIGHT * len(in_order(shown, "user_of"))
    )
    return themed(titled(drawn, _TITLE))


def _axis(**further: Any) -> Any:
    import altair as alt

    return alt.Axis(title=None, labelAngle=0, ticks=False, domain=False, **further)
