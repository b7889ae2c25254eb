"""The chart of gains in consistency against gains in power: which alternatives no other beats in both."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from metameter.meta.groups import short_names
from metameter.meta.recommend.verdict import BETTER_DIFFERENT, BETTER_SIMILAR, NO_EVIDENCE, WORSE
from metameter.view.charts.label_places import Box, places
from metameter.view.charts.parts import chart_of, panels, tooltips
from metameter.view.charts.theme import ACCENT, INK, MUTED, PALETTE, themed

if TYPE_CHECKING:
    import polars as pl

__all__ = ["front", "pareto_chart"]

CANONICAL = "canonical"
_COLOURS = {
    CANONICAL: (INK, "diamond"),
    BETTER_SIMILAR: (PALETTE[2], "triangle-up"),
    BETTER_DIFFERENT: (PALETTE[0], "square"),
    NO_EVIDENCE: (MUTED, "circle"),
    WORSE: (ACCENT, "triangle-down"),
}
_X, _Y = "consistency_difference", "power_difference"
_ENDS = ("consistency_low", "consistency_high", "power_low", "power_high")
# Two abreast fill a page of usual width without being shrunk.
_WIDE, _HIGH, _ABREAST, _LETTERS = 350, 290, 2, 12
_SAME = 1e-9
_TITLE = "Alternatives to each canonical metric (*), which stands at 0, 0"
_HOW = [
    "Up and to the right is better. Bars: 95% for other topics.",
    "Dashed: the front, which no metric beats in both.",
]


def pareto_chart(table: pl.DataFrame) -> Any:
    """A panel for each canonical metric: dots with 95% intervals, and the line of those that none beats in both.

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


def front(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The points that no other is at least as good as in both and better in one, from left to right.

    Examples
    --------
    >>> front([(0, 0), (1, -1), (-1, -1), (0.5, 0)])
    [(0.5, 0), (1, -1)]
    """
    kept: list[tuple[float, float]] = []
    for x, y in sorted(set(points), reverse=True):
        if not kept or y > kept[-1][1]:
            kept.append((x, y))
    return kept[::-1]


def _points(part: pl.DataFrame) -> pl.DataFrame:
    """A row for each dot: metrics with the same numbers share one, the canonical metric among them."""
    import polars as pl

    canonical, group = str(part["canonical"][0]), str(part["group"][0])
    names = [canonical, *part["metric"].to_list()]
    labels = dict(zip(names, short_names(names, group), strict=True))
    zeros = dict.fromkeys((_X, _Y, *_ENDS), 0.0)
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

    across, up = (_domain(part, *columns) for columns in ((_X, *_ENDS[:2]), (_Y, *_ENDS[2:])))
    scales = (alt.Scale(domain=across, nice=False), alt.Scale(domain=up, nice=False))
    axes: dict[str, Any] = {"type": "quantitative"}
    ticks = alt.Axis(tickCount=5, labelOverlap=True, labelFontSize=_LETTERS)
    x = alt.X(field=_X, scale=scales[0], axis=ticks, title="difference in consistency (mean tau)", **axes)
    y = alt.Y(
        field=_Y,
        scale=scales[1],
        axis=alt.Axis(labelFontSize=_LETTERS),
        title="difference in power (share of pairs)",
        **axes,
    )
    base = chart_of(part).encode(tooltip=tooltips(part, ("metric", "verdict", "tau_to_canonical", _X, _Y, *_ENDS)))
    domain = list(_COLOURS)
    legend = alt.Legend(orient="top", direction="horizontal", labelFontSize=_LETTERS, title=None)
    key: dict[str, Any] = {"field": "verdict", "type": "nominal", "legend": legend}
    colour = alt.Color(scale=alt.Scale(domain=domain, range=[c for c, _ in _COLOURS.values()]), **key)
    shape = alt.Shape(scale=alt.Scale(domain=domain, range=[s for _, s in _COLOURS.values()]), **key)
    known = (part.filter(part[low].is_not_null()) for low in (_ENDS[2], _ENDS[0]))
    upright, level = (chart_of(some).mark_rule(strokeWidth=1) for some in known)
    layers = [
        *_zero_lines(x, y),
        _staircase(part, across, up, x, y),
        upright.encode(x, alt.Y(field=_ENDS[2], scale=scales[1], **axes), alt.Y2(field=_ENDS[3]), colour),
        level.encode(alt.X(field=_ENDS[0], scale=scales[0], **axes), alt.X2(field=_ENDS[1]), y, colour),
        base.mark_point(size=80, opacity=1, stroke="white", strokeWidth=0.7).encode(x, y, colour, shape),
        *_names(part, across, up, x, y),
    ]
    return alt.layer(*layers).properties(width=_WIDE, height=_HIGH)


def _domain(part: pl.DataFrame, *columns: str) -> list[float]:
    values = [value for column in columns for value in part[column].to_list() if value is not None]
    low, high = min(values), max(values)
    room = 0.1 * (high - low) or 0.01
    return [low - room, high + room]


def _zero_lines(x: Any, y: Any) -> list[Any]:
    import polars as pl

    line = chart_of(pl.DataFrame({_X: [0.0], _Y: [0.0]}))
    return [line.mark_rule(color=MUTED, strokeWidth=1).encode(side) for side in (x, y)]


def _staircase(part: pl.DataFrame, across: list[float], up: list[float], x: Any, y: Any) -> Any:
    import polars as pl

    steps = front(part.select(_X, _Y).rows())
    ends = [(across[0], steps[0][1]), *steps, (steps[-1][0], up[0])]
    line = chart_of(pl.DataFrame({_X: [p[0] for p in ends], _Y: [p[1] for p in ends], "order": range(len(ends))}))
    # From each dot straight down, then on to the next: what lies below is beaten in both.
    drawn = line.mark_line(color=INK, strokeDash=[5, 3], strokeWidth=1, interpolate="step-before")
    return drawn.encode(x, y, order={"field": "order", "type": "quantitative"})


def _names(part: pl.DataFrame, across: list[float], up: list[float], x: Any, y: Any) -> list[Any]:
    import altair as alt
    import polars as pl

    def pixel(value: float, domain: list[float], size: float) -> float:
        return (value - domain[0]) / (domain[1] - domain[0]) * size

    def stretch(left: float, right: float, low: float, high: float) -> Box:
        top, bottom = (_HIGH - pixel(v, up, _HIGH) for v in (high, low))
        return Box(pixel(left, across, _WIDE) - 1, top - 1, pixel(right, across, _WIDE) + 1, bottom + 1)

    def box(row: dict[str, Any], columns: tuple[str, str, str, str]) -> Box:
        # Of what has no interval there is only the dot.
        return stretch(*(row[c] if row[c] is not None else row[_X if "cons" in c else _Y] for c in columns))

    rows = part.rows(named=True)
    dots = [(pixel(row[_X], across, _WIDE), _HIGH - pixel(row[_Y], up, _HIGH)) for row in rows]
    bars = [box(row, columns) for row in rows for columns in ((*_ENDS[:2], _Y, _Y), (_X, _X, *_ENDS[2:]))]
    # The canonical metric stands where the zero lines cross; the line of the front goes from dot to dot.
    corner = Box(dots[0][0] - 1, dots[0][1] - 1, dots[0][0] + 1, dots[0][1] + 1)
    bars += [corner._replace(left=0, right=_WIDE), corner._replace(top=0, bottom=_HIGH)]
    steps = front(part.select(_X, _Y).rows())
    for (x0, y0), (x1, y1) in pairwise([(across[0], steps[0][1]), *steps, (steps[-1][0], up[0])]):
        bars.append(stretch(x0, x0, y1, y0))
        bars.append(stretch(x0, x1, y1, y1))
    middles = places(dots, part["label"].to_list(), (_WIDE, _HIGH), bars)
    where = {
        _X: [across[0] + px / _WIDE * (across[1] - across[0]) for px, _ in middles],
        _Y: [up[0] + (_HIGH - py) / _HIGH * (up[1] - up[0]) for _, py in middles],
        "label": part["label"].to_list(),
    }
    text = alt.Text(field="label", type="nominal")
    written = chart_of(pl.DataFrame(where)).encode(x, y, text)
    # A white rim keeps names legible where they cross a line.
    rim = written.mark_text(fontSize=_LETTERS, color="white", stroke="white", strokeWidth=3, strokeJoin="round")
    return [rim, written.mark_text(fontSize=_LETTERS, color=INK)]
