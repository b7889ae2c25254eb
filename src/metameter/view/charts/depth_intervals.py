"""Values along the evaluation depth, and depths, with their intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.view.charts.axes import depth_axis, drawn_depths, pool_line
from metameter.view.charts.channels import NumberAxis, data_of, panels, span, tooltips
from metameter.view.charts.specification import finished
from metameter.view.charts.theme import ACROSS, GRID, INK, LETTERS, MUTED

if TYPE_CHECKING:
    import polars as pl


#: How the two kinds of scores are called, and the dashes of their lines.
KINDS = {False: "plain", True: "condensed"}
_DASHES = {"plain": [1, 0], "condensed": [5, 3]}
_NUMBER = {"type": "quantitative", "format": ".4f"}
_ABREAST, _HIGH, _BESIDE = 3, 165, 80


def depth_bands(
    frame: pl.DataFrame,
    value: str,
    low: str,
    high: str,
    *,
    pool_depth: int | None = None,
    level: float | None = None,
    bounded: bool = True,
    title: str = "",
    below: Sequence[str] = (),
) -> Any:
    """A line along the depths for plain and one for condensed scores; all panes have the same scales.

    Parameters
    ----------
    frame : polars.DataFrame
        ``metric``, ``condensed``, ``depth`` and the next three; one row per point.
    value, low, high : str
        The value and the ends of its interval, which may be null: the band spans the depths that have one. That of
        plain scores is grey, that of condensed scores lies between dotted lines.
    pool_depth : int, optional
        Where the dashed line stands.
    level : float, optional
        Where a line across stands, such as a threshold.
    bounded : bool
        Whether the value is at most 1, which is then the top of the scale.
    title : str
    below : sequence of str
        Sentences below the title.

    Returns
    -------
    altair.ConcatChart
    """
    import polars as pl

    numbers = [pl.when(pl.col(c).is_finite()).then(pl.col(c).round(4)).alias(c) for c in (value, low, high)]
    kind = pl.col("condensed").replace_strict(KINDS, return_dtype=pl.String).alias("kind")
    rows = frame.select("metric", kind, "depth", *(pl.col(c).cast(pl.Float64) for c in (value, low, high)))
    rows = rows.with_columns(numbers).rename({value: "value", low: "low", high: "high"})
    with_ends = rows.filter(pl.col("low").is_not_null())["depth"].unique().to_list()
    depths = drawn_depths(rows["depth"].unique().to_list(), keep=[pool_depth, *with_ends])
    rows = rows.filter(pl.col("depth").is_in(depths)).sort("depth", maintain_order=True)
    order = {name: rank for rank, name in enumerate(frame["metric"].unique(maintain_order=True).to_list())}
    rows = rows.sort(pl.col("metric").replace_strict(order, return_dtype=pl.Int64), maintain_order=True)
    kinds = [name for name in _DASHES if name in set(rows["kind"])]
    bottom, top = span(rows, "value", "low", "high")
    across = [] if level is None else [level]
    ends = (
        [math.floor(10 * min(bottom, *across, 1.0) - 0.2) / 10, 1.02]
        if bounded
        else [min(bottom, *across), max(top, *across)]
    )
    y = NumberAxis(value.replace("_", " "), {"domain": ends, "nice": not bounded}, {"tickCount": 5})

    def panel(part: pl.DataFrame) -> dict[str, Any]:
        x = depth_axis(depths)
        lines = [] if level is None else [_level(level, y)]
        layers = [*_bands(part, x, y), *lines, *_lines(part, x, y, kinds, value, len(depths) > 1)]
        # The label stands at the bottom, since the lines are near the top.
        named = pool_line(pool_depth, depths, x, _HIGH - LETTERS - 4)
        return {"layer": [*layers, *named], "width": ACROSS // _ABREAST - _BESIDE, "height": _HIGH}

    chart = panels(rows, "metric", panel, wide=ACROSS // _ABREAST)
    return finished(chart, title, below)


def _level(level: float, y: NumberAxis) -> dict[str, Any]:
    mark = {"type": "rule", "color": MUTED, "strokeWidth": 1.2}
    return {"data": {"values": [{"level": level}]}, "mark": mark, "encoding": {"y": y.of("level")}}


def _bands(part: pl.DataFrame, x: dict[str, Any], y: NumberAxis) -> list[dict[str, Any]]:
    known = part.filter(part["low"].is_not_null() & part["high"].is_not_null()).select("kind", "depth", "low", "high")
    plain, condensed = (known.filter(known["kind"] == kind).drop("kind") for kind in KINDS.values())
    layers: list[dict[str, Any]] = []
    if plain.height:
        area = {"x": x, "y": y.of("low"), "y2": {"field": "high"}}
        layers.append({"data": data_of(plain), "mark": {"type": "area", "color": GRID, "opacity": 1}, "encoding": area})
    # A second band would hide the first.
    dotted = {"type": "line", "color": MUTED, "strokeWidth": 1, "strokeDash": [1, 2]}
    ends, both = data_of(condensed), ("low", "high") if condensed.height else ()
    layers += [{"data": ends, "mark": dotted, "encoding": {"x": x, "y": y.of(end)}} for end in both]
    return layers


def _lines(
    part: pl.DataFrame, x: dict[str, Any], y: NumberAxis, kinds: Sequence[str], value: str, several: bool
) -> list[dict[str, Any]]:
    names = {"kind": "scores", "depth": "depth", "value": value.replace("_", " "), "low": "low", "high": "high"}
    rows = [
        {"field": field, "title": name, **({"type": "nominal"} if field in ("kind", "depth") else _NUMBER)}
        for field, name in names.items()
    ]
    key = {"symbolType": "stroke", "symbolSize": 420, "orient": "top", "direction": "horizontal"}
    dash: dict[str, Any] = {"field": "kind", "type": "nominal", "title": None, "sort": list(kinds)}
    scale = {"domain": list(kinds), "range": [_DASHES[kind] for kind in kinds]}
    dash |= {"legend": key if len(kinds) > 1 else None, "scale": scale}
    base = {"x": x, "y": y.of("value")}
    line = {"type": "line", "color": INK, "strokeWidth": 1.6}
    dots = {"type": "point", "color": INK, "size": 14 if several else 40, "opacity": 1}
    data = data_of(part.drop("metric"))
    return [
        {"data": data, "mark": line, "encoding": {**base, "strokeDash": dash}},
        {
            "data": data_of(part.filter(part["low"].is_not_null()).drop("metric")) if several else data,
            "mark": dots,
            "encoding": {**base, "tooltip": rows},
        },
    ]


_SHAPES, _COLOURS = {"plain": "circle", "condensed": "square"}, {"plain": INK, "condensed": MUTED}
_ROW, _TWO_ROWS, _WIDE = 20, 30, 430
# Columns that are added.
_SHOWN, _START, _END, _ARROW = "shown", "from", "to", "arrow"


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
        Sentences below the title.

    Returns
    -------
    altair.LayerChart
    """
    import polars as pl

    kind = pl.col("condensed").replace_strict(KINDS, return_dtype=pl.String).alias("scores")
    rows = frame.with_columns(kind).drop("condensed")
    kinds = [name for name in _SHAPES if name in set(rows["scores"])]
    first = rows.filter(pl.col("scores") == kinds[0]) if kinds else rows
    order = first.sort("depth", "high", nulls_last=True, maintain_order=True)["metric"].to_list()
    order += [name for name in rows["metric"].unique(maintain_order=True).to_list() if name not in order]
    last = max([*depths, *rows["depth"].drop_nulls().to_list(), *rows["high"].drop_nulls().to_list()], default=1)
    least = min([*depths, *rows["low"].drop_nulls().to_list()], default=1)
    ends = [least, last]
    data = data_of(_with_edges(rows, last))
    # Room at the left, so that a dot at the first depth does not overlap the names.
    x = depth_axis(ends, room=1.15, title=axis)
    labels: dict[str, Any] = {"field": "metric", "type": "nominal", "sort": order, "title": None}
    lined = {"grid": True, "ticks": False, "domain": False, "labelOverlap": False}
    base = {"y": {**labels, "axis": lined}, **_kind_offset(kinds), "tooltip": tooltips(rows, _tooltip_columns(rows))}
    styles = _styles(kinds)
    layers = [
        # The first layer is behind the dots.
        *pool_line(pool_depth, ends, x, -LETTERS - 4),
        {"data": data, "mark": {"type": "rule", "strokeWidth": 1.5}, "encoding": _whiskers(base, x, styles)},
        {"data": data, "mark": {"type": "point", "size": 62, "opacity": 1}, "encoding": _dots(base, x, styles)},
        {"data": data, "mark": _arrow(), "encoding": _arrows(base, x)},
    ]
    high = (_TWO_ROWS if len(kinds) > 1 else _ROW) * max(1, len(order))
    return finished({"layer": layers, "width": _WIDE, "height": high, "usermeta": {"legend": 2}}, title, below)


def _tooltip_columns(rows: pl.DataFrame) -> list[str]:
    return ["metric", "scores", *(each for each in rows.columns if each not in ("metric", "scores"))]


def _with_edges(rows: pl.DataFrame, last: int) -> pl.DataFrame:
    import polars as pl

    # Of an interval entirely beyond the last depth only the arrow is drawn.
    nothing = pl.col("low").is_null() & pl.col("high").is_null()
    arrow = pl.when(pl.col("high").is_null() | pl.col("depth").is_null()).then(pl.lit("→")).otherwise(pl.lit(""))
    return rows.with_columns(
        pl.col("depth").alias(_SHOWN),
        pl.when(nothing).then(pl.col("depth")).otherwise(pl.col("low")).fill_null(last).alias(_START),
        pl.col("high").fill_null(last).alias(_END),
        arrow.alias(_ARROW),
        pl.lit(last).alias("edge"),
    )


def _kind_offset(kinds: Sequence[str]) -> dict[str, Any]:
    if len(kinds) < 2:
        return {}
    return {"yOffset": {"field": "scores", "type": "nominal", "sort": list(kinds), "scale": {"paddingOuter": 0.5}}}


def _styles(kinds: Sequence[str]) -> dict[str, Any]:
    key = {"orient": "top", "direction": "horizontal", "symbolSize": 80} if len(kinds) > 1 else None
    shared = {"field": "scores", "type": "nominal", "title": None, "sort": list(kinds), "legend": key}
    return {
        channel: {**shared, "scale": {"domain": list(kinds), "range": [values[kind] for kind in kinds]}}
        for channel, values in (("color", _COLOURS), ("shape", _SHAPES))
    }


def _whiskers(base: dict[str, Any], x: dict[str, Any], styles: dict[str, Any]) -> dict[str, Any]:
    return {**base, "x": {**x, "field": _START}, "x2": {"field": _END}, "color": styles["color"]}


def _dots(base: dict[str, Any], x: dict[str, Any], styles: dict[str, Any]) -> dict[str, Any]:
    return {**base, "x": {**x, "field": _SHOWN}, **styles}


def _arrow() -> dict[str, Any]:
    return {"type": "text", "align": "left", "dx": 3, "fontSize": 13, "color": INK}


def _arrows(base: dict[str, Any], x: dict[str, Any]) -> dict[str, Any]:
    return {**base, "x": {**x, "field": "edge"}, "text": {"field": _ARROW, "type": "nominal"}}
