"""The chart of gains in consistency against gains in power: which alternatives no other beats in both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.groups import short_names
from metameter.meta.recommend.pareto_front import stairs
from metameter.meta.recommend.pareto_labels import ENDS, Panel, X, Y, label_points
from metameter.meta.recommend.verdict import BETTER_DIFFERENT, BETTER_SIMILAR, NO_EVIDENCE, WORSE
from metameter.view.charts.parts import chart_of, panels, tooltips
from metameter.view.charts.theme import ACCENT, INK, MUTED, PALETTE, themed

if TYPE_CHECKING:
    import polars as pl

__all__ = ["pareto_chart"]

CANONICAL = "canonical"
_COLOURS = {
    CANONICAL: (INK, "diamond"),
    BETTER_SIMILAR: (PALETTE[2], "triangle-up"),
    BETTER_DIFFERENT: (PALETTE[0], "square"),
    NO_EVIDENCE: (MUTED, "circle"),
    WORSE: (ACCENT, "triangle-down"),
}
# Two abreast fill a page of usual width without being shrunk.
_WIDE, _HIGH, _ABREAST, _LETTERS = 350, 290, 2, 12
_SAME = 1e-9
_TITLE = "Alternatives to each canonical metric (*), which stands at 0, 0"
_HOW = [
    "Up and to the right is better. Bars: 95% for other topics.",
    "Dashed: the front, which no metric beats in both.",
]


def pareto_chart(table: pl.DataFrame) -> Any:
    """One panel per canonical metric: dots with 95% intervals, and the Pareto front.

    Parameters
    ----------
    table : polars.DataFrame
        ``recommendation``.

    Returns
    -------
    altair.ConcatChart
    """
    import altair as alt
    import polars as pl

    shown = pl.concat([_points(part) for part in table.partition_by("canonical", maintain_order=True)])
    heading = alt.TitleParams(_TITLE, subtitle=_HOW, subtitleColor=INK, subtitleFontSize=_LETTERS)
    return themed(panels(shown, "panel", _panel, columns=_ABREAST).properties(title=heading))


def _points(part: pl.DataFrame) -> pl.DataFrame:
    """One row per dot, that of the canonical metric included; metrics with the same numbers share a dot."""
    import polars as pl

    canonical, group = str(part["canonical"][0]), str(part["group"][0])
    names = [canonical, *part["metric"].to_list()]
    labels = dict(zip(names, short_names(names, group), strict=True))
    zeros = dict.fromkeys((X, Y, *ENDS), 0.0)
    rows: list[dict[str, Any]] = [{"metric": canonical, "verdict": CANONICAL, "tau_to_canonical": 1.0, **zeros}]
    rows += part.select("metric", "verdict", "tau_to_canonical", *zeros).rows(named=True)
    dots: list[dict[str, Any]] = []
    for row in rows:
        alike = [dot for dot in dots if all(_equal(dot[key], row[key]) for key in zeros)]
        label = labels[row["metric"]] + "*" * (row["metric"] == canonical)
        if alike:
            alike[0]["label"] += f" = {label}"
            alike[0]["metric"] += f", {row['metric']}"
        else:
            dots.append({**row, "label": label, "panel": canonical})
    return pl.DataFrame(dots, schema_overrides=dict.fromkeys(zeros, pl.Float64), infer_schema_length=None)


def _equal(a: float | None, b: float | None) -> bool:
    # Without intervals only the differences themselves can tell metrics apart.
    return a is None or b is None or abs(a - b) < _SAME


def _panel(part: pl.DataFrame) -> Any:
    import altair as alt

    panel = Panel(_domain(part, X, *ENDS[:2]), _domain(part, Y, *ENDS[2:]), _WIDE, _HIGH)
    x, y = _axes(panel)
    colour, shape = _keys()
    base = chart_of(part).encode(tooltip=tooltips(part, ("metric", "verdict", "tau_to_canonical", X, Y, *ENDS)))
    layers = [
        *_zero_lines(x, y),
        _staircase(part, panel, x, y),
        *_whiskers(part, x, y, colour),
        base.mark_point(size=80, opacity=1, stroke="white", strokeWidth=0.7).encode(x, y, colour, shape),
        *_names(part, panel, x, y),
    ]
    return alt.layer(*layers).properties(width=_WIDE, height=_HIGH)


def _axes(panel: Panel) -> tuple[Any, Any]:
    import altair as alt

    ticks = alt.Axis(tickCount=5, labelOverlap=True, labelFontSize=_LETTERS)
    across, up = (alt.Scale(domain=list(ends), nice=False) for ends in (panel.across, panel.up))
    kind: dict[str, Any] = {"type": "quantitative"}
    x = alt.X(field=X, scale=across, axis=ticks, title="difference in consistency (mean tau)", **kind)
    plain = alt.Axis(labelFontSize=_LETTERS)
    return x, alt.Y(field=Y, scale=up, axis=plain, title="difference in power (share of pairs)", **kind)


def _keys() -> tuple[Any, Any]:
    import altair as alt

    legend = alt.Legend(orient="top", direction="horizontal", labelFontSize=_LETTERS, title=None)
    key: dict[str, Any] = {"field": "verdict", "type": "nominal", "legend": legend}
    colours, shapes = (
        alt.Scale(domain=list(_COLOURS), range=list(each)) for each in zip(*_COLOURS.values(), strict=True)
    )
    return alt.Color(scale=colours, **key), alt.Shape(scale=shapes, **key)


def _whiskers(part: pl.DataFrame, x: Any, y: Any, colour: Any) -> list[Any]:
    import altair as alt

    known = (part.filter(part[low].is_not_null()) for low in (ENDS[2], ENDS[0]))
    upright, level = (chart_of(some).mark_rule(strokeWidth=1) for some in known)
    low = alt.Y(field=ENDS[2], scale=y["scale"], type="quantitative")
    left = alt.X(field=ENDS[0], scale=x["scale"], type="quantitative")
    return [
        upright.encode(x, low, alt.Y2(field=ENDS[3]), colour),
        level.encode(left, alt.X2(field=ENDS[1]), y, colour),
    ]


def _domain(part: pl.DataFrame, *columns: str) -> tuple[float, float]:
    values = [value for column in columns for value in part[column].to_list() if value is not None]
    low, high = min(values), max(values)
    room = 0.1 * (high - low) or 0.01
    return low - room, high + room


def _zero_lines(x: Any, y: Any) -> list[Any]:
    import polars as pl

    line = chart_of(pl.DataFrame({X: [0.0], Y: [0.0]}))
    return [line.mark_rule(color=MUTED, strokeWidth=1).encode(side) for side in (x, y)]


def _staircase(part: pl.DataFrame, panel: Panel, x: Any, y: Any) -> Any:
    import polars as pl

    ends = stairs(part.select(X, Y).rows(), panel.across[0], panel.up[0])
    line = chart_of(pl.DataFrame({X: [p[0] for p in ends], Y: [p[1] for p in ends], "order": range(len(ends))}))
    # From each dot straight down, then on to the next: what lies below is beaten in both.
    drawn = line.mark_line(color=INK, strokeDash=[5, 3], strokeWidth=1, interpolate="step-before")
    return drawn.encode(x, y, order={"field": "order", "type": "quantitative"})


def _names(part: pl.DataFrame, panel: Panel, x: Any, y: Any) -> list[Any]:
    import altair as alt
    import polars as pl

    points = label_points(part.rows(named=True), panel)
    where = {X: [point[0] for point in points], Y: [point[1] for point in points], "label": part["label"].to_list()}
    written = chart_of(pl.DataFrame(where)).encode(x, y, alt.Text(field="label", type="nominal"))
    # A white rim keeps names legible where they cross a line.
    rim = written.mark_text(fontSize=_LETTERS, color="white", stroke="white", strokeWidth=3, strokeJoin="round")
    return [rim, written.mark_text(fontSize=_LETTERS, color=INK)]
