"""Scores along the evaluation depth: a thin line per system, the best, the worst and the quartiles bold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metameter.view.charts.axes import depth_axis, drawn_depths, pool_line
from metameter.view.charts.channels import number, value
from metameter.view.charts.specification import finished
from metameter.view.charts.theme import ACROSS, FAINT, INK, THIN

if TYPE_CHECKING:
    import polars as pl


SYSTEMS, OTHERS = "other systems", "not contributing"
_HEIGHT = 190
#: Beside each panel, for its axis.
_AXIS_WIDTH = 80
# Kind of line -> colour, dash and width. Marked lines are ink, in the order of the legend.
_STYLES: dict[str, tuple[str, list[int], float]] = {
    "best": (INK, [1, 0], 2.4),
    "quartile 1": (INK, [8, 3], 1.7),
    "median": (INK, [1, 0], 1.3),
    "quartile 3": (INK, [3, 2], 1.7),
    "worst": (INK, [9, 2, 2, 2], 2.2),
    SYSTEMS: (THIN, [1, 0], 1.0),
    OTHERS: (FAINT, [1, 0], 1.0),
}
# With more systems than this, the lines are thinner, so that they do not merge.
_MANY_LINES, _THIN_WIDTH = 40, 0.6


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
        Sentences below the title.

    Returns
    -------
    altair.ConcatChart
    """
    depths = drawn_depths(frame["depth"].unique().to_list(), keep=[pool_depth])
    panes = panes_of(lines_of(frame, marked, depths))
    names = [name for name in _STYLES if any(row["mark"] == name for pane in panes for row in pane.rows)]
    styles = _mark_styles(names, max((len(pane.rows) for pane in panes), default=0) > _MANY_LINES)
    whole = (min((pane.low for pane in panes), default=0.0), max((pane.high for pane in panes), default=0.0))
    wide = ACROSS // abreast - _AXIS_WIDTH
    charts = []
    for pane in panes:
        low, high = whole if common else (pane.low, pane.high)
        across = depth_axis(depths)
        layers = [
            _line_layer(pane.depths, styles, {"x": across, "y": _score_axis(low, high)}, pool_depth),
            *pool_line(pool_depth, depths, across),
        ]
        sized = {"width": wide, "height": _HEIGHT}
        charts.append({"title": pane.title, "data": {"values": pane.rows}, "layer": layers, **sized})
    laid = {"columns": max(1, min(abreast, len(charts)))}
    return finished({"concat": charts, **laid}, title, below)


def _score_axis(low: float, high: float) -> dict[str, Any]:
    # The axis begins at 0, unless most of the pane would be empty; above the lines there is room for a label.
    far = low > 0.5 * high and low < high
    start = low - 0.1 * (high - low) if far else min(0.0, low)
    top = high + 0.12 * (high - start) if high > start else start + 1.0
    return number("score", title="score", scale={"domain": [start, top], "nice": False}, axis={"tickCount": 5})


def _line_layer(
    depths: Sequence[int], styles: dict[str, Any], axes: dict[str, Any], pool_depth: int | None
) -> dict[str, Any]:
    # The tooltip is the same all along a line: the scores at a few depths.
    few = [depth for depth in depths if depth in (depths[0], 10, pool_depth, depths[-1])]
    scores = [{"calculate": f"datum.scores[{depths.index(depth)}]", "as": f"at {depth}"} for depth in few]
    hover = [{"field": field, "type": "nominal", "title": field} for field in ("system", "mark")]
    hover += [
        {"field": f"at {depth}", "type": "quantitative", "title": f"score at depth {depth:,}", "format": ".4f"}
        for depth in few
    ]
    # A line with one point would be invisible, so it gets a short stroke.
    points = _flattened(depths) if len(depths) > 1 else _short_stroke(depths)
    each = {**axes, "detail": {"field": "system", "type": "nominal"}, **styles, "tooltip": hover}
    return {"mark": {"type": "line"}, "transform": [*scores, *points], "encoding": each}


def _flattened(depths: Sequence[float]) -> list[dict[str, Any]]:
    """From a row per line to a row per point."""
    return [
        {"calculate": f"[{','.join(map(str, depths))}]", "as": "depth"},
        {"flatten": ["depth", "scores"], "as": ["depth", "score"]},
    ]


def _short_stroke(depths: Sequence[int]) -> list[dict[str, Any]]:
    ends = [depth * by for depth in depths for by in (0.85, 1.18)]
    return [{"calculate": "[datum.scores[0], datum.scores[0]]", "as": "scores"}, *_flattened(ends)]


def _mark_styles(names: Sequence[str], many: bool) -> dict[str, Any]:
    key = {"symbolType": "stroke", "symbolSize": 420, "symbolLimit": 0, "orient": "top", "direction": "horizontal"}
    shared = {"field": "mark", "type": "nominal", "title": None, "sort": list(names), "legend": key}
    styles = [_STYLES[name] for name in names]
    ranges: dict[str, list[Any]] = {
        "color": [colour for colour, _, _ in styles],
        "strokeDash": [dash for _, dash, _ in styles],
        "strokeWidth": [_THIN_WIDTH if many and width <= 1 else width for _, _, width in styles],
    }
    if len(names) == 1:
        # One kind of line needs no legend.
        return {channel: value(values[0]) for channel, values in ranges.items()}
    # An ordinal scale, since Vega-Lite would otherwise space the widths evenly between the first and the last.
    scale = {"type": "ordinal", "domain": list(names)}
    return {channel: {**shared, "scale": {**scale, "range": values}} for channel, values in ranges.items()}


# With few systems one of them may have several marks; the first of these is drawn.
_MARKS = {"best": "best", "worst": "worst", "median": "median", "quartile1": "quartile 1", "quartile3": "quartile 3"}
_DIGITS = 4
_PANE = ["metric", "condensed"]


@dataclass(frozen=True)
class Pane:
    """What stands in a pane: its title, the depths, a row per line, and the ends of the scores of its metric."""

    title: str
    depths: list[int]
    rows: list[dict[str, Any]]
    low: float
    high: float


def pane_name(metric: str, condensed: bool) -> str:
    """The title of a pane.

    Examples
    --------
    >>> pane_name("nDCG", False), pane_name("nDCG", True)
    ('nDCG', 'nDCG, condensed')
    """
    return f"{metric}, condensed" if condensed else metric


def in_panes(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows by metric, plain before condensed, so that two panes abreast are those of one metric.

    Metrics come in the order in which they occur; those with one kind of scores only, after the others.
    """
    import polars as pl

    both = pl.col("condensed").n_unique().over("metric") > 1
    first = pl.col("_place").min().over("metric")
    placed = frame.with_row_index("_place").with_columns((~both).alias("_single"), first.alias("_first"))
    return placed.sort("_single", "_first", "condensed", "_place").drop("_single", "_first", "_place")


def lines_of(frame: pl.DataFrame, marked: pl.DataFrame | None, depths: Sequence[int]) -> pl.DataFrame:
    """One row per line: its pane, system, mark, and its depths and scores as lists; the dark lines last, on top.

    Parameters
    ----------
    frame : polars.DataFrame
        One row per point.
    marked : polars.DataFrame or None
    depths : sequence of int
        Those that are drawn.
    """
    import polars as pl

    score = pl.col("score").cast(pl.Float64)
    finite = pl.when(score.is_finite()).then(score.round(_DIGITS) + 0.0)
    points = (
        frame.filter(pl.col("depth").is_in(depths))
        .with_columns(finite.alias("score"))
        .sort("depth", maintain_order=True)
    )
    contributing = pl.col("contributing").first() if "contributing" in frame.columns else pl.lit(True)
    lines = points.group_by(*_PANE, "system", maintain_order=True).agg("depth", "score", contributing.alias("within"))
    lines = _with_marks(lines, marked)
    # Vega draws lines in the order of their rows.
    layer = pl.when(pl.col("mark") == OTHERS).then(0).when(pl.col("mark") == SYSTEMS).then(1).otherwise(2)
    return in_panes(lines.sort(layer, maintain_order=True))


def _with_marks(lines: pl.DataFrame, marked: pl.DataFrame | None) -> pl.DataFrame:
    import polars as pl

    plain = pl.when("within").then(pl.lit(SYSTEMS)).otherwise(pl.lit(OTHERS)).alias("mark")
    if marked is None or not marked.height:
        return lines.with_columns(plain)
    rank = {name: number for number, name in enumerate(_MARKS)}
    first = marked.filter(pl.col("mark").is_in(list(_MARKS))).sort(
        pl.col("mark").replace_strict(rank, default=None, return_dtype=pl.Int64), maintain_order=True
    )
    first = first.unique([*_PANE, "system"], keep="first", maintain_order=True)
    names = first.select(*_PANE, "system", pl.col("mark").cast(pl.String).replace(_MARKS))
    joined = lines.join(names, on=[*_PANE, "system"], how="left", maintain_order="left")
    return joined.with_columns(pl.col("mark").fill_null(joined.select(plain)["mark"]))


def panes_of(lines: pl.DataFrame) -> list[Pane]:
    """The panes, in the order of `in_panes`."""
    ends = {
        metric: (low, high)
        for metric, low, high in lines.group_by("metric")
        .agg(*_score_range())
        .select("metric", "low", "high")
        .iter_rows()
    }
    parts = lines.partition_by(*_PANE, maintain_order=True)
    panes = []
    for part in parts:
        metric, condensed = part["metric"][0], bool(part["condensed"][0])
        depths = sorted(set().union(*part["depth"].to_list()))
        low, high = ends[metric]
        title, rows = pane_name(metric, condensed), _rows(part, depths)
        panes.append(Pane(title=title, depths=depths, rows=rows, low=low or 0.0, high=high or 0.0))
    return panes


def _score_range() -> list[pl.Expr]:
    import polars as pl

    return [pl.col("score").list.min().min().alias("low"), pl.col("score").list.max().max().alias("high")]


def _rows(part: pl.DataFrame, depths: list[int]) -> list[dict[str, Any]]:
    rows = []
    for system, mark, at, scores in part.select("system", "mark", "depth", "score").iter_rows():
        if len(at) != len(depths):
            # A line that lacks depths has gaps there.
            known = dict(zip(at, scores, strict=True))
            scores = [known.get(depth) for depth in depths]
        rows.append({"system": system, "mark": mark, "scores": scores})
    return rows
