"""Curves of achieved significance levels: the p-values of all pairs, in falling order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.aggregation_colours import aggregation_colours
from metameter.meta.groups import groups, is_canonical, product_of
from metameter.meta.row_names import named

if TYPE_CHECKING:
    import polars as pl

    from metameter.stats.checks import Floats

__all__ = ["curve_labels", "curve_table", "draw_curves", "equal_curves"]

_ACROSS = "pairs with at least this p"
_MOST_STEPS = 120


def curve_table(metrics: Sequence[str], falling: Floats) -> pl.DataFrame:
    """The curves, run-length encoded: pairs ``first`` to ``last`` of a metric, counted from 1, have the same p.

    Examples
    --------
    >>> curve_table(["AP"], np.array([[1.0, 1.0, 0.25]])).rows()
    [('AP', 1, 2, 1.0), ('AP', 3, 3, 0.25)]
    """
    import polars as pl

    begins = np.ones(falling.shape, dtype=bool)
    begins[:, 1:] = falling[:, 1:] != falling[:, :-1]
    row, place = np.nonzero(begins)
    last = np.append(place[1:], 0)
    last[last == 0] = falling.shape[1]
    return pl.DataFrame({"metric": named(metrics, row), "first": place + 1, "last": last, "p": falling[begins]})


def equal_curves(falling: Floats, positions: Sequence[int]) -> list[list[int]]:
    """The metrics at some positions, those with the same curve together.

    Examples
    --------
    >>> equal_curves(np.array([[1.0, 0.5], [1.0, 0.2], [1.0, 0.5]]), [0, 1, 2])
    [[0, 2], [1]]
    """
    found: dict[bytes, list[int]] = {}
    for position in positions:
        found.setdefault(falling[position].tobytes(), []).append(position)
    return list(found.values())


def curve_labels(metrics: Sequence[str], falling: Floats) -> dict[str, dict[str, list[int]]]:
    """Panel -> what stands in its legend -> the metrics that share this curve.

    Within a browsing model a metric goes by its aggregation, as long as that tells the metrics apart.

    Examples
    --------
    >>> names = ["RBP(p=0.8)*ERG", "RBP(p=0.8)*ETG", "RBP(p=0.8)*max"]
    >>> curve_labels(names, np.array([[1.0, 0.5], [1.0, 0.5], [1.0, 0.2]]))
    {'RBP(p=0.8)': {'ERG (canonical) = ETG': [0, 1], 'max': [2]}}
    """
    panels = {}
    for group, positions in groups(tuple(metrics), "browse").items():
        short = [_aggregation(metrics[i]) for i in positions]
        full = [metrics[i] for i in positions]
        names = dict(zip(positions, short if len(set(short)) == len(short) else full, strict=True))
        panels[group] = {
            " = ".join(names[i] + (" (canonical)" if is_canonical(metrics[i]) else "") for i in alike): alike
            for alike in equal_curves(falling, positions)
        }
    return panels


def _aggregation(name: str) -> str:
    product = product_of(name)
    return name if product is None else repr(product.aggregation)


def draw_curves(metrics: Sequence[str], falling: Floats, curve: pl.DataFrame, alpha: float) -> Any:
    """The panels of Figure 2 of Chen and Sakai (2023): a curve a metric, equal ones once, canonical ones thick.

    Only p-values of interest are drawn: it is about alpha that verdicts are decided. All panels share their scales.
    """
    import polars as pl

    from metameter.view.charts import curves

    top = min(1.0, max(0.15, 3.0 * alpha))
    by_metric = {name: part for (name,), part in curve.partition_by("metric", as_dict=True).items()}
    parts, thick = [], []
    for group, labels in curve_labels(metrics, falling).items():
        for label, alike in labels.items():
            points = _points(by_metric[metrics[alike[0]]], falling.shape[1], top)
            parts.append(points.with_columns(pl.lit(group).alias("panel"), pl.lit(label).alias("metric")))
            if any(is_canonical(metrics[i]) for i in alike):
                thick.append(label)
    frame = pl.concat(parts)
    title = f"Achieved significance levels, p up to {top:g}: the closer to the origin, the more a metric discriminates"
    chart = curves(frame, _ACROSS, "p", "metric", "panel", thick, title=title, domain=(0.0, top))
    ends = (int(frame[_ACROSS].to_numpy().min()), falling.shape[1])
    chart.concat = [_with_alpha(panel, ends, alpha) for panel in chart.concat]
    return chart


def _with_alpha(panel: Any, ends: tuple[int, int], alpha: float) -> Any:
    import altair as alt
    import polars as pl

    from metameter.view.charts.parts import chart_of
    from metameter.view.charts.theme import MUTED

    panel.encoding.x.scale = alt.Scale(domain=list(ends), nice=False, zero=False)
    panel.encoding.x.axis = alt.Axis(tickCount=6, labelOverlap=True)
    colour = panel.encoding.color["scale"]
    colour["range"] = aggregation_colours(colour["domain"]) or colour["range"]
    line = chart_of(pl.DataFrame({"p": [alpha]})).mark_rule(color=MUTED, strokeDash=[5, 4])
    heading, panel.title = panel.title, alt.Undefined
    return alt.layer(line.encode(alt.Y(field="p", type="quantitative")), panel).properties(title=heading)


def _points(curve: pl.DataFrame, pairs: int, top: float) -> pl.DataFrame:
    import polars as pl

    shown = curve.filter(pl.col("p") <= top)
    # More steps than a panel has room for cost time and show nothing; the last is kept.
    every = 1 + shown.height // _MOST_STEPS
    shown = shown.filter((pl.int_range(pl.len()) % every == 0) | (pl.int_range(pl.len()) == pl.len() - 1))
    ends = np.stack([shown["first"].to_numpy(), shown["last"].to_numpy()], axis=1).reshape(-1)
    # The line comes down from above the frame: it begins where it crosses its edge, at the last pair if nowhere.
    x = np.concatenate([ends[:1], ends]) if len(ends) else np.array([pairs, pairs])
    y = np.concatenate([[top], np.repeat(shown["p"].to_numpy(), 2)]) if len(ends) else np.array([top, top])
    return pl.DataFrame({_ACROSS: x.astype(np.int64), "p": y})
