"""The dots of the chart of gains: the reference and its alternatives, those with the same numbers as one dot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.groups import group_of, short_names
from metameter.meta.recommend.pareto_labels import ENDS, X, Y
from metameter.view.charts.meanings import REFERENCE

if TYPE_CHECKING:
    import polars as pl

__all__ = ["points"]

_SAME = 1e-9


def points(part: pl.DataFrame) -> pl.DataFrame:
    """One row per dot, that of the reference first.

    Parameters
    ----------
    part : polars.DataFrame
        The rows of ``recommendation`` that have one reference.

    Returns
    -------
    polars.DataFrame
        ``metric``, ``verdict``, ``close_call``, ``tau_to_canonical``, the differences and the ends of their
        intervals; ``label``, what is written beside the dot; ``panel``, the reference.
    """
    import polars as pl

    reference = str(part["canonical"][0])
    labels = _labels([reference, *part["metric"].to_list()])
    zeros = dict.fromkeys((X, Y, *ENDS), 0.0)
    first = {"metric": reference, "verdict": REFERENCE, "close_call": False, "tau_to_canonical": 1.0, **zeros}
    close = part["close_call"] if "close_call" in part.columns else pl.lit(False).alias("close_call")
    columns = ("metric", "verdict", "close_call", "tau_to_canonical", *zeros)
    rows: list[dict[str, Any]] = [first, *part.with_columns(close).select(columns).rows(named=True)]
    dots: list[dict[str, Any]] = []
    for row in rows:
        alike = [dot for dot in dots if all(_equal(dot[key], row[key]) for key in zeros)]
        label = labels[row["metric"]] + "*" * (row["metric"] == reference)
        if alike:
            alike[0]["label"] += f" = {label}"
            alike[0]["metric"] += f", {row['metric']}"
            alike[0]["close_call"] |= bool(row["close_call"])
        else:
            dots.append({**row, "close_call": bool(row["close_call"]), "label": label, "panel": reference})
    return pl.DataFrame(dots, schema_overrides=dict.fromkeys(zeros, pl.Float64), infer_schema_length=None)


def _labels(names: list[str]) -> dict[str, str]:
    """What tells metrics apart: their aggregations, if all have one browsing model; else their whole names."""
    groups = {group_of(name) for name in names}
    return dict(zip(names, short_names(names, groups.pop() if len(groups) == 1 else "all"), strict=True))


def _equal(a: float | None, b: float | None) -> bool:
    # Without intervals only the differences themselves can tell metrics apart.
    return a is None or b is None or abs(a - b) < _SAME
