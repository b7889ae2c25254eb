"""The chart of hard, medium and easy topics: consistency and power of each metric on each third."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.groups import aggregation_of, short_names
from metameter.meta.recommend.thirds import TERCILES
from metameter.view.charts.parts import chart_of, titled, tooltips
from metameter.view.charts.theme import PALETTE, themed

if TYPE_CHECKING:
    import polars as pl

__all__ = ["tercile_chart"]

_DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])
_SIDES = {"mean_tau": "mean tau", "power": "power (share of pairs)"}
_LAST = "power"
_WIDE, _HIGH, _LETTERS = 290, 210, 12
_TITLE = "Thirds of the topics, from hard to easy by the canonical metric (*)"


def tercile_chart(table: pl.DataFrame) -> Any:
    """For each canonical metric, consistency and power of it and its alternatives, one line per metric.

    Parameters
    ----------
    table : polars.DataFrame
        ``recommendation_terciles``.

    Returns
    -------
    altair.ConcatChart
    """
    import altair as alt

    # One flat list of panels: altair copies everything once more for every level of nesting.
    parts = [
        (str(part["canonical"][0]), _merged(part)) for part in table.partition_by("canonical", maintain_order=True)
    ]
    # The same aggregation in the same colour everywhere: readers look from panel to panel.
    known = list(dict.fromkeys(aggregation_of(name) for _, frame in parts for name in frame["metric"].to_list()))
    sides = [_side(frame, column, name, known) for name, frame in parts for column in _SIDES]
    chart = alt.concat(*sides, columns=len(_SIDES))
    return themed(titled(chart.resolve_scale(color="independent", strokeDash="independent"), _TITLE))


def _merged(part: pl.DataFrame) -> pl.DataFrame:
    """One line for metrics with the same numbers, named after all of them."""
    import polars as pl

    names = part["metric"].unique(maintain_order=True).to_list()
    short = dict(zip(names, short_names(names, str(part["group"][0])), strict=True))
    canonical = str(part["canonical"][0])
    lines: dict[tuple[Any, ...], list[str]] = {}
    for name in sorted(names, key=lambda each: each != canonical):
        own = part.filter(pl.col("metric") == name)
        line = tuple(round(value, 9) for column in _SIDES for value in own[column].to_list())
        lines.setdefault(line, []).append(name)
    labels = {
        alike[0]: " = ".join(short[name] + "*" * (name == canonical) for name in alike) for alike in lines.values()
    }
    first = part.filter(pl.col("metric").is_in(list(labels)))
    return first.with_columns(pl.col("metric").replace(labels).alias("label")).sort(
        pl.col("metric").replace_strict({name: i for i, name in enumerate(labels)}, return_dtype=pl.Int64),
        maintain_order=True,
    )


def _side(frame: pl.DataFrame, column: str, title: str, known: list[str]) -> Any:
    import altair as alt

    names = frame["label"].unique(maintain_order=True).to_list()
    firsts = [aggregation_of(name) for name in frame["metric"].unique(maintain_order=True)]
    # The two panels of a canonical metric share the legend beside the second.
    legend = (
        alt.Legend(symbolType="stroke", symbolSize=250, labelLimit=190, labelFontSize=_LETTERS)
        if column == _LAST
        else None
    )
    series: dict[str, Any] = {"field": "label", "type": "nominal", "title": None, "legend": legend}
    colours = [PALETTE[known.index(each) % len(PALETTE)] for each in firsts]
    # A line with the colour of an earlier one gets another dash.
    dashes = [_DASHES[colours[:i].count(colour) % len(_DASHES)] for i, colour in enumerate(colours)]
    thick = alt.FieldOneOfPredicate(field="label", oneOf=frame.filter("is_canonical")["label"].unique().to_list())
    across: dict[str, Any] = {
        "sort": list(TERCILES),
        "title": None,
        "axis": alt.Axis(labelAngle=0, labelFontSize=_LETTERS),
    }
    size = alt.Axis(labelFontSize=_LETTERS, tickCount=6)
    return (
        chart_of(frame.select("label", "tercile", "topics", *_SIDES))
        .mark_line(point={"size": 30, "opacity": 1})
        .encode(
            alt.X(field="tercile", type="ordinal", scale=alt.Scale(padding=0.3), **across),
            alt.Y(field=column, type="quantitative", title=_SIDES[column], scale=alt.Scale(zero=False), axis=size),
            alt.Color(scale=alt.Scale(domain=names, range=colours), **series),
            alt.StrokeDash(scale=alt.Scale(domain=names, range=dashes), **series),
            strokeWidth=alt.condition(thick, alt.value(3.2), alt.value(1.6)),
            tooltip=tooltips(frame, ("label", "tercile", "topics", *_SIDES)),
        )
        .properties(width=_WIDE, height=_HIGH, title=title if column != _LAST else "")
    )
