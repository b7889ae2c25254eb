"""Depths with their intervals: a row per metric on a logarithmic axis, plain and condensed told apart by shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.view.charts.core.drawing import finished
from metameter.view.charts.core.parts import data_of, tooltips
from metameter.view.charts.core.theme import INK, LETTERS, MUTED
from metameter.view.charts.depth.axis import depth_axis, pool_line
from metameter.view.charts.depth.bands import KINDS

if TYPE_CHECKING:
    import polars as pl


_SHAPES, _COLOURS = {"plain": "circle", "condensed": "square"}, {"plain": INK, "condensed": MUTED}
_ROW, _TWO, _WIDE = 20, 30, 430
# Columns that are added.
_SHOWN, _FROM, _TO, _ARROW = "shown", "from", "to", "arrow"


def depth_intervals(
    frame: pl.DataFrame,
    depths: Sequence[int],
    *,
    pool_depth: int | None = None,
    axis: str = "evaluation depth",
    title: str = "",
    below: Sequence[str] = (),
) -> Any:
    """One dot and whisker for each metric and kind of scores, the metric with the least depth first.

    Parameters
    ----------
    frame : polars.DataFrame
        ``metric``, ``condensed``, ``depth``, ``low``, ``high``. What is null lies beyond the last depth: an arrow at
        the edge says so.
    depths : sequence of int
        The depths that there are: their ends are those of the axis.
    pool_depth : int, optional
        Where the dashed line stands.
    axis, title : str
    below : sequence of str
        What stands below the title.

    Returns
    -------
    altair.LayerChart
    """
    import polars as pl

    kind = pl.col("condensed").replace_strict(KINDS, return_dtype=pl.String).alias("scores")
    told = frame.with_columns(kind).drop("condensed")
    kinds = [name for name in _SHAPES if name in set(told["scores"])]
    first = told.filter(pl.col("scores") == kinds[0]) if kinds else told
    order = first.sort("depth", "high", nulls_last=True, maintain_order=True)["metric"].to_list()
    order += [name for name in told["metric"].unique(maintain_order=True).to_list() if name not in order]
    last = max([*depths, *told["depth"].drop_nulls().to_list(), *told["high"].drop_nulls().to_list()], default=1)
    least = min([*depths, *told["low"].drop_nulls().to_list()], default=1)
    ends = [least, last]
    data = data_of(_shown(told, last))
    # A dot at the first depth would stand on the names otherwise.
    x = depth_axis(ends, room=1.15, title=axis)
    rows: dict[str, Any] = {"field": "metric", "type": "nominal", "sort": order, "title": None}
    lined = {"grid": True, "ticks": False, "domain": False, "labelOverlap": False}
    base = {"y": {**rows, "axis": lined}, **_beside(kinds), "tooltip": tooltips(told, _told(told))}
    styles = _styles(kinds)
    layers = [
        # First, so that the line is behind the dots.
        *pool_line(pool_depth, ends, x, -LETTERS - 4),
        {"data": data, "mark": {"type": "rule", "strokeWidth": 1.5}, "encoding": _whiskers(base, x, styles)},
        {"data": data, "mark": {"type": "point", "size": 62, "opacity": 1}, "encoding": _dots(base, x, styles)},
        {"data": data, "mark": _arrow(), "encoding": _arrows(base, x)},
    ]
    high = (_TWO if len(kinds) > 1 else _ROW) * max(1, len(order))
    return finished({"layer": layers, "width": _WIDE, "height": high, "usermeta": {"legend": 2}}, title, below)


def _told(told: pl.DataFrame) -> list[str]:
    return ["metric", "scores", *(each for each in told.columns if each not in ("metric", "scores"))]


def _shown(told: pl.DataFrame, last: int) -> pl.DataFrame:
    import polars as pl

    # Of an interval that is beyond the last depth as a whole nothing is left but the arrow.
    nothing = pl.col("low").is_null() & pl.col("high").is_null()
    arrow = pl.when(pl.col("high").is_null() | pl.col("depth").is_null()).then(pl.lit("→")).otherwise(pl.lit(""))
    return told.with_columns(
        pl.col("depth").alias(_SHOWN),
        pl.when(nothing).then(pl.col("depth")).otherwise(pl.col("low")).fill_null(last).alias(_FROM),
        pl.col("high").fill_null(last).alias(_TO),
        arrow.alias(_ARROW),
        pl.lit(last).alias("edge"),
    )


def _beside(kinds: Sequence[str]) -> dict[str, Any]:
    if len(kinds) < 2:
        return {}
    return {"yOffset": {"field": "scores", "type": "nominal", "sort": list(kinds), "scale": {"paddingOuter": 0.5}}}


def _styles(kinds: Sequence[str]) -> dict[str, Any]:
    key = {"orient": "top", "direction": "horizontal", "symbolSize": 80} if len(kinds) > 1 else None
    shared = {"field": "scores", "type": "nominal", "title": None, "sort": list(kinds), "legend": key}
    return {
        channel: {**shared, "scale": {"domain": list(kinds), "range": [given[kind] for kind in kinds]}}
        for channel, given in (("color", _COLOURS), ("shape", _SHAPES))
    }


def _whiskers(base: dict[str, Any], x: dict[str, Any], styles: dict[str, Any]) -> dict[str, Any]:
    return {**base, "x": {**x, "field": _FROM}, "x2": {"field": _TO}, "color": styles["color"]}


def _dots(base: dict[str, Any], x: dict[str, Any], styles: dict[str, Any]) -> dict[str, Any]:
    return {**base, "x": {**x, "field": _SHOWN}, **styles}


def _arrow() -> dict[str, Any]:
    return {"type": "text", "align": "left", "dx": 3, "fontSize": 13, "color": INK}


def _arrows(base: dict[str, Any], x: dict[str, Any]) -> dict[str, Any]:
    return {**base, "x": {**x, "field": "edge"}, "text": {"field": _ARROW, "type": "nominal"}}
