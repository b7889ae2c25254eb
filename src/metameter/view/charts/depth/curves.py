"""Scores along the evaluation depth: a thin line per system, the best, the worst and the quartiles bold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.view.charts.core.drawing import finished
from metameter.view.charts.core.parts import number, value
from metameter.view.charts.core.theme import ACROSS, INK
from metameter.view.charts.depth.axis import FAINT, THIN, depth_axis, drawn_depths, pool_line
from metameter.view.charts.depth.lines import OTHERS, SYSTEMS, lines_of, panes_of

if TYPE_CHECKING:
    import polars as pl


_HIGH = 190
#: Beside each panel, for its axis.
_BESIDE = 80
# How the lines are told apart: colour, dash and width. The marked ones are ink, in the order of the legend.
_STYLES: dict[str, tuple[str, list[int], float]] = {
    "best": (INK, [1, 0], 2.4),
    "quartile 1": (INK, [8, 3], 1.7),
    "median": (INK, [1, 0], 1.3),
    "quartile 3": (INK, [3, 2], 1.7),
    "worst": (INK, [9, 2, 2, 2], 2.2),
    SYSTEMS: (THIN, [1, 0], 1.0),
    OTHERS: (FAINT, [1, 0], 1.0),
}
# Of more systems than this the lines are thinner, so that they do not merge.
_MANY, _THINNER = 40, 0.6


def depth_curves(
    frame: pl.DataFrame,
    marked: pl.DataFrame | None = None,
    *,
    pool_depth: int | None = None,
    common: bool = False,
    abreast: int = 2,
    title: str = "",
    below: Sequence[str] = (),
) -> Any:
    """A pane per metric, plain left and condensed right, as in Figures 1 to 4 of Lu, Moffat and Culpepper (2015).

    Pointing at a line tells its system, and its scores at a few depths.

    Parameters
    ----------
    frame : polars.DataFrame
        ``metric``, ``condensed``, ``system``, ``depth``, ``score``; also ``contributing`` if some systems did not
        contribute to the pool: these stand behind the others. Of more than 80 depths those at equal ratios are drawn.
    marked : polars.DataFrame, optional
        ``metric``, ``condensed``, ``system``, ``mark``: which systems are bold (best, quartile1, median, quartile3,
        worst).
    pool_depth : int, optional
        Where the dashed line stands.
    common : bool
        Whether all panes have one scale of scores; otherwise the two of a metric have.
    abreast : int
        How many panes stand side by side where there is room.
    title : str
    below : sequence of str
        What stands below the title.

    Returns
    -------
    altair.ConcatChart
    """
    depths = drawn_depths(frame["depth"].unique().to_list(), keep=[pool_depth])
    panes = panes_of(lines_of(frame, marked, depths))
    names = [name for name in _STYLES if any(row["mark"] == name for pane in panes for row in pane.rows)]
    styles = _styles(names, max((len(pane.rows) for pane in panes), default=0) > _MANY)
    whole = (min((pane.low for pane in panes), default=0.0), max((pane.high for pane in panes), default=0.0))
    wide = ACROSS // abreast - _BESIDE
    drawn = []
    for pane in panes:
        low, high = whole if common else (pane.low, pane.high)
        across = depth_axis(depths)
        layers = [
            _lines(pane.depths, styles, {"x": across, "y": _scores(low, high)}, pool_depth),
            *pool_line(pool_depth, depths, across),
        ]
        sized = {"width": wide, "height": _HIGH}
        drawn.append({"title": pane.title, "data": {"values": pane.rows}, "layer": layers, **sized})
    laid = {"columns": max(1, min(abreast, len(drawn)))}
    return finished({"concat": drawn, **laid}, title, below)


def _scores(low: float, high: float) -> dict[str, Any]:
    # From 0 on, unless that left most of the pane empty; above the lines there is room for a name.
    far = low > 0.5 * high and low < high
    start = low - 0.1 * (high - low) if far else min(0.0, low)
    top = high + 0.12 * (high - start) if high > start else start + 1.0
    return number("score", title="score", scale={"domain": [start, top], "nice": False}, axis={"tickCount": 5})


def _lines(
    depths: Sequence[int], styles: dict[str, Any], axes: dict[str, Any], pool_depth: int | None
) -> dict[str, Any]:
    # What a line tells is the same all along it: its scores at a few depths.
    few = [depth for depth in depths if depth in (depths[0], 10, pool_depth, depths[-1])]
    scores = [{"calculate": f"datum.scores[{depths.index(depth)}]", "as": f"at {depth}"} for depth in few]
    told = [{"field": field, "type": "nominal", "title": field} for field in ("system", "mark")]
    told += [
        {"field": f"at {depth}", "type": "quantitative", "title": f"score at depth {depth:,}", "format": ".4f"}
        for depth in few
    ]
    # A line of one point would not be seen: it gets a length.
    points = _points(depths) if len(depths) > 1 else _stroke(depths)
    each = {**axes, "detail": {"field": "system", "type": "nominal"}, **styles, "tooltip": told}
    return {"mark": {"type": "line"}, "transform": [*scores, *points], "encoding": each}


def _points(depths: Sequence[float]) -> list[dict[str, Any]]:
    """From a row per line to a row per point."""
    return [
        {"calculate": f"[{','.join(map(str, depths))}]", "as": "depth"},
        {"flatten": ["depth", "scores"], "as": ["depth", "score"]},
    ]


def _stroke(depths: Sequence[int]) -> list[dict[str, Any]]:
    ends = [depth * by for depth in depths for by in (0.85, 1.18)]
    return [{"calculate": "[datum.scores[0], datum.scores[0]]", "as": "scores"}, *_points(ends)]


def _styles(names: Sequence[str], many: bool) -> dict[str, Any]:
    key = {"symbolType": "stroke", "symbolSize": 420, "symbolLimit": 0, "orient": "top", "direction": "horizontal"}
    shared = {"field": "mark", "type": "nominal", "title": None, "sort": list(names), "legend": key}
    styles = [_STYLES[name] for name in names]
    ranges: dict[str, list[Any]] = {
        "color": [colour for colour, _, _ in styles],
        "strokeDash": [dash for _, dash, _ in styles],
        "strokeWidth": [_THINNER if many and width <= 1 else width for _, _, width in styles],
    }
    if len(names) == 1:
        # Nothing is to be told apart.
        return {channel: value(given[0]) for channel, given in ranges.items()}
    # Said to be ordinal, since Vega-Lite would space the widths evenly between the first and the last.
    scale = {"type": "ordinal", "domain": list(names)}
    return {channel: {**shared, "scale": {**scale, "range": given}} for channel, given in ranges.items()}
