"""The chart of `agreement`: how alike intuitiveness and unanimity rank the metrics, by iteration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.meta.framework.table_rows import ALL, iterations_of, one_collection

if TYPE_CHECKING:
    import polars as pl


_TITLE = "Do intuitiveness and unanimity rank the metrics alike? Spearman's rho"
_RANGE = "Grey: the middle 95% over resampled topics."
_NULL = "Dashes: the 95% point of rho with the metrics permuted at random within topics."
_SURE = "significant"
_COLUMN, _HIGH, _MOST = 19, 130, 15


def agreement_chart(table: pl.DataFrame, alpha: float = 0.05) -> Any:
    """A panel with a line along the iterations for each set of simple metrics; with one iteration, dots.

    Parameters
    ----------
    table : polars.DataFrame
        The table ``agreement``; ``collection``, ``low`` and ``high`` may be missing. The row over all collections is
        shown, if there are such rows; else the first collection.
    alpha : float
        Dots are filled where the p-value is below.
    """
    import polars as pl

    rows, which = one_collection(table)
    known = "low" in rows.columns and rows["low"].is_not_null().any()
    # An unknown rho has no interval, either.
    ends = [pl.when(pl.col("rho").is_finite()).then(name if known else "rho").alias(name) for name in ("low", "high")]
    sure = (pl.col("p") < alpha).fill_null(False).alias(_SURE)
    null = [name for name in ("null_mean", "null_high") if name in rows.columns]
    plotted = rows.select("simple", pl.col("iteration").cast(pl.String), "rho", "p", "n", *ends, *null, sure)
    sentences = [f"Filled dots: p < {alpha:g}.", _NULL if null else "", _RANGE if known else "", which]
    return _chart(plotted, " ".join(filter(None, sentences)))


def _chart(rows: pl.DataFrame, below: str) -> Any:
    from metameter.view.charts.channels import span
    from metameter.view.charts.specification import finished

    iterations = iterations_of(rows)
    scale = {"domain": [min(0.0, span(rows, "rho", "low")[0]), 1], "nice": False}
    chart = _panels(rows, iterations, scale) if len(iterations) > 1 else _rows(rows, scale)
    return finished(chart, _TITLE, [below])


def _panels(rows: pl.DataFrame, iterations: Sequence[str], scale: dict[str, Any]) -> dict[str, Any]:
    from metameter.view.charts.axes import column_axis, spaced
    from metameter.view.charts.channels import data_of, panels

    columns = spaced(iterations, _MOST, ALL)
    across = column_axis("iteration", columns, ALL)
    layers = _layers(rows, {"x": across}, "y", scale)
    width = _COLUMN * len(across["sort"])
    sized = {"layer": layers, "width": width, "height": _HIGH}
    listed = rows.filter(rows["iteration"].is_in(columns))
    chart = panels(listed, "simple", lambda part: {"data": data_of(part), **sized}, wide=width + 50)
    return {**chart, "usermeta": {"least": 16, "each": True}}


def _rows(rows: pl.DataFrame, scale: dict[str, Any]) -> dict[str, Any]:
    from metameter.view.charts.channels import data_of, in_order

    axis = {"labelOverlap": False, "grid": True, "ticks": False, "domain": False}
    names = {"field": "simple", "type": "nominal", "sort": in_order(rows, "simple"), "title": None, "axis": axis}
    whiskers, _, *dots = _layers(rows, {"y": names}, "x", scale)
    return {"data": data_of(rows), "layer": [whiskers, *dots], "width": 420, "height": 20 * rows.height}


def _layers(rows: pl.DataFrame, steps: dict[str, Any], along: str, scale: dict[str, Any]) -> list[dict[str, Any]]:
    """Whiskers, the line through the iterations, the null's 95% point, and dots; `along` is the axis of the values."""
    from metameter.view.charts.channels import number, tooltips, value
    from metameter.view.charts.theme import INK, MUTED, PAPER, THIN

    rho, low = (number(name, title="rho", scale=scale, axis={"tickCount": 5}) for name in ("rho", "low"))
    null = [name for name in ("null_mean", "null_high") if name in rows.columns]
    base = {**steps, "tooltip": tooltips(rows, ("simple", "iteration", "rho", *null, "low", "high", "p", "n"))}
    whisker = {**base, along: low, f"{along}2": {"field": "high"}}
    plain = [{"filter": f"datum.iteration !== '{ALL}'"}]
    line = {"type": "line", "color": INK, "strokeWidth": 1.5}
    filled = {"condition": {"test": f"datum.{_SURE}", **value(INK)}, **value(PAPER)}
    dot = {"type": "point", "shape": "circle", "size": 50, "stroke": INK, "strokeWidth": 1.5, "opacity": 1}
    dash = {
        "type": "tick",
        "color": MUTED,
        "thickness": 2,
        "size": 14,
        "orient": "vertical" if along == "x" else "horizontal",
    }
    high = [{"mark": dash, "encoding": {**base, along: {**rho, "field": "null_high"}}}] if null else []
    return [
        {"mark": {"type": "rule", "color": THIN, "strokeWidth": 1.5}, "encoding": whisker},
        {"transform": plain, "mark": line, "encoding": {**base, along: rho}},
        *high,
        {"mark": dot, "encoding": {**base, along: rho, "fill": filled}},
    ]
