"""Hard, medium and easy topics: the table and the chart of consistency and power on each third of the topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.meta.framework.metric_charts import aggregation_colours
from metameter.meta.framework.metric_groups import BY_NAME, shared_short_names
from metameter.meta.framework.metric_names import aggregation_of, product_of
from metameter.meta.recommend.references import Comparison
from metameter.parallel import Workers
from metameter.stats.checks import Floats
from metameter.stats.consistency.resampled_metrics import TERCILES, terciles
from metameter.view.charts.axes import beyond, clipped, padded, robust_span
from metameter.view.charts.channels import number, tooltips, value
from metameter.view.charts.specification import finished
from metameter.view.charts.styles import line_styles
from metameter.view.charts.theme import INK, LETTERS
from metameter.view.tables.cells import plain

if TYPE_CHECKING:
    import polars as pl


FEWEST = 4 * len(TERCILES)  # topics: two in each half of each third
_SCHEMA: dict[str, type] = {
    "metric": str,
    "tercile": str,
    "topics": int,
    "mean_tau": float,
    "power": float,
    "mean_tau_se": float,
    "group": str,
    "canonical": str,
    "is_canonical": bool,
}
_SIDES = {"mean_tau": "mean tau", "power": "power (share of pairs)"}
_LAST = "power"
# The first of these that the table has is the Monte-Carlo error of a column.
_ERRORS = ("{}_se", "{}_error")
_WIDE, _HIGH, _MOST_PANELS = 250, 185, 12
_TITLE = "Thirds of the topics, from hard to easy by the reference (marked *, thick line)"
_BARS = "Bars: Monte-Carlo error, 95%."
Rows = list[dict[str, Any]]


def tercile_rows(
    metrics: tuple[str, ...],
    matrix: Floats,
    comparisons: Sequence[Comparison],
    *,
    alpha: float,
    seed: int,
    jobs: int | Workers | None,
) -> pl.DataFrame:
    """Mean tau and power of each metric and its reference, on hard, medium and easy topics.

    A topic is easier, the higher the systems' mean score by the reference; so a metric and its reference are compared
    on the same topics. Metrics that are compared with each other by name have rows only if there are no other
    comparisons, and then by the first of them.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    comparisons : sequence of Comparison

    Examples
    --------
    >>> import numpy as np
    >>> matrix = np.random.default_rng(0).random((2, 15, 4)) + np.arange(15)[:, None]
    >>> pairs = [Comparison(1, 0, "RBP")]
    >>> rows = tercile_rows(("RBP(p=0.8)*ERG", "RBP(p=0.8)*max"), matrix, pairs, alpha=0.05, seed=0, jobs=1)
    >>> rows.select("metric", "tercile", "topics").rows()[3:]
    [('RBP(p=0.8)*max', 'hard', 5), ('RBP(p=0.8)*max', 'medium', 5), ('RBP(p=0.8)*max', 'easy', 5)]
    """
    import polars as pl

    rows = []
    for (group, reference), alike in (_by_reference(comparisons) if matrix.shape[1] >= FEWEST else {}).items():
        compared = [reference, *alike]
        thirds = terciles(matrix[compared], matrix[reference].mean(axis=-1), alpha=alpha, seed=seed, jobs=jobs)
        for name, third in zip(TERCILES, thirds, strict=True):
            figures = zip(third.mean_tau.tolist(), third.power.tolist(), third.mean_tau_se.tolist(), strict=True)
            rows += [
                (metrics[member], name, third.topics, *each, group, metrics[reference], member == reference)
                for member, each in zip(compared, figures, strict=True)
            ]
    frame = pl.DataFrame(rows, schema=_SCHEMA, orient="row")
    position = {name: number for number, name in enumerate(metrics)}
    # In the order of the metrics, the rows of each together.
    return frame.sort(pl.col("metric").replace_strict(position, return_dtype=pl.Int64), maintain_order=True)


def _by_reference(comparisons: Sequence[Comparison]) -> dict[tuple[str, int], list[int]]:
    """Group and reference -> the metrics compared with it."""
    with_reference = [row for row in comparisons if row.group != BY_NAME]
    if not with_reference:
        first = min((row.reference for row in comparisons), default=0)
        with_reference = [row for row in comparisons if row.reference == first]
    grouped: dict[tuple[str, int], list[int]] = {}
    for row in with_reference:
        grouped.setdefault((row.group, row.reference), []).append(row.metric)
    return grouped


def tercile_chart(table: pl.DataFrame) -> Any:
    """For each reference, consistency and power of it and its alternatives, one line per metric.

    Parameters
    ----------
    table : polars.DataFrame
        ``recommendation_terciles``. At most the first twelve references are drawn.

    Returns
    -------
    altair.ConcatChart
    """
    errors = {column: _error_of(table, column) for column in _SIDES}
    hover = {column: tooltips(table, ("tercile", "topics", column)) for column in _SIDES}
    parts = table.partition_by("canonical", maintain_order=True)[:_MOST_PANELS]
    merged = [(str(part["canonical"][0]), _merge_rows(part.rows(named=True))) for part in parts]
    sides = [_side(rows, column, errors[column], name, hover[column]) for name, rows in merged for column in _SIDES]
    apart = {"scale": dict.fromkeys(("color", "strokeDash", "xOffset"), "independent")}
    chart = {"concat": sides, "columns": len(_SIDES), "resolve": apart}
    below = [_BARS] if any(errors.values()) else []
    return finished(chart, _TITLE, below)


def _error_of(table: pl.DataFrame, column: str) -> str | None:
    names = (form.format(column) for form in _ERRORS)
    return next((name for name in names if name in table.columns), None)


def _merge_rows(rows: Rows) -> Rows:
    """The rows with one label for metrics that have the same numbers; the reference comes first."""
    reference, names = str(rows[0]["canonical"]), list(dict.fromkeys(row["metric"] for row in rows))
    short = shared_short_names(names)
    lines: dict[tuple[Any, ...], list[str]] = {}
    for name in sorted(names, key=lambda each: each != reference):
        numbers = [row[column] for row in rows if row["metric"] == name for column in _SIDES]
        lines.setdefault(tuple(None if each is None else round(each, 9) for each in numbers), []).append(name)
    labels = {
        alike[0]: " = ".join(short[name] + "*" * (name == reference) for name in alike) for alike in lines.values()
    }
    return [{**row, "label": labels[name]} for name in labels for row in rows if row["metric"] == name]


def _side(rows: Rows, column: str, error: str | None, title: str, hover: list[Any]) -> dict[str, Any]:
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    names = list(dict.fromkeys(row["label"] for row in rows))
    points, ends = _points(rows, column, error)
    # The two panels of a reference share the legend beside the second.
    firsts = [aggregation_of(name) if product_of(name) else name for name in metrics]
    styles = line_styles("label", names, aggregation_colours(firsts), legend=column == _LAST)
    axis = {"labelAngle": 0, "domain": False, "ticks": False}
    x = {"field": "tercile", "type": "ordinal", "sort": list(TERCILES), "title": None, "axis": axis}
    # Side by side within a third, so that bars do not hide each other.
    beside = {"field": "label", "type": "nominal", "sort": names, "scale": {"paddingOuter": 0.6}}
    scale = {"domain": list(ends), "nice": False, "zero": False}
    y = {"title": _SIDES[column], "scale": scale, "axis": {"tickCount": 6}}
    base = {"x": x, "xOffset": beside, "tooltip": [{"field": "label", "type": "nominal"}, *hover]}
    thick = {"field": "label", "oneOf": list(dict.fromkeys(row["label"] for row in rows if row["is_canonical"]))}
    width = {"strokeWidth": {"condition": {"test": thick, **value(3)}, **value(1.6)}}
    bars, dots = {"y": number("low", **y), "y2": {"field": "high"}}, {"y": number("value", **y)}
    layers = [
        {"mark": {"type": "line"}, "encoding": {**dots, "strokeDash": styles["strokeDash"], **width}},
        *([{"mark": {"type": "rule", "strokeWidth": 1.2}, "encoding": bars}] if error else []),
        {"mark": {"type": "point", "size": 28, "opacity": 1}, "encoding": dots},
        *_outside(points, dots),
    ]
    shared = {"data": {"values": points}, "encoding": {**base, "color": styles["color"]}}
    sized = {"width": _WIDE, "height": _HIGH}
    return {"title": title if column != _LAST else "", **shared, "layer": layers, **sized}


def _points(rows: Rows, column: str, error: str | None) -> tuple[Rows, tuple[float, float]]:
    """The points and their bars, clipped to the frame, with the values beyond it as text."""
    bars = [_bar(plain(row[column]), plain(row[error]) if error else 0.0) for row in rows]
    lines: dict[str, list[float | None]] = {}
    for row, bar in zip(rows, bars, strict=True):
        lines.setdefault(row["label"], []).extend(bar)
    ends = padded(robust_span(lines.values()))
    points = []
    for row, (low, middle, high) in zip(rows, bars, strict=True):
        row_labels = {"label": row["label"], "tercile": row["tercile"], "topics": row["topics"], column: middle}
        within = {"low": clipped(low, ends), "value": clipped(middle, ends), "high": clipped(high, ends)}
        points.append({**row_labels, **within, "beyond": beyond(middle, ends, "↓↑")})
    return points, ends


def _bar(middle: float | None, error: float | None) -> tuple[float | None, float | None, float | None]:
    if middle is None:
        return None, None, None
    reach = 1.96 * (error or 0.0)
    return middle - reach, middle, middle + reach


def _outside(points: Rows, dots: dict[str, Any]) -> list[dict[str, Any]]:
    """The values of what is beyond the frame, at its edge."""
    layers = []
    for arrow, dy in (("↓", -10), ("↑", 10)):
        some = [row for row in points if row["beyond"].startswith(arrow)]
        if some:
            mark = {"type": "text", "dy": dy, "fontSize": LETTERS, "color": INK}
            encoding = {**dots, "color": value(INK), "text": {"field": "beyond", "type": "nominal"}}
            layers.append({"data": {"values": some}, "mark": mark, "encoding": encoding})
    return layers
