"""The charts of `volatility`: curves of scores, how orderings settle along the depth, and grids of depths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from metameter.meta.volatility.grid_charts import grid_charts
from metameter.view.charts.depth_bands import depth_bands
from metameter.view.charts.depth_curves import depth_curves
from metameter.view.charts.depth_intervals import depth_intervals

if TYPE_CHECKING:
    import polars as pl

__all__ = ["NORMALISATIONS", "charts_of"]

#: Average precision as in equations 1 to 3 of Lu, Moffat and Culpepper (2015), and what each divides by.
NORMALISATIONS = {"AP(norm=min)": "min(k, R)", "AP": "R", "AP(norm=pool)": "the R of pools of depth k"}
_LINES = "A thin line per system; bold, by their final scores: the best, the quartiles and the worst."
_POINT = "Pointing at a line tells its system and scores."
_UNJUDGED = "Right of the dashed line documents are unjudged: what settles there is not known."
Tables = Mapping[str, "pl.DataFrame"]


def charts_of(tables: Tables, pool_depth: int | None, threshold: float) -> dict[str, Any]:
    """All charts that apply, the most important first.

    Parameters
    ----------
    tables : dict
        ``volatility``, ``marked``, ``volatility_summary``, ``volatility_settled``, ``volatility_planning``; a chart
        whose table is missing or empty is left out.
    pool_depth : int or None
        Where the dashed line stands.
    threshold : float
        What tau to the final ordering must not fall below for the ordering to be settled.

    Returns
    -------
    dict
        Name -> chart: ``volatility``, ``volatility_settled``, ``volatility_tau``, ``volatility_ap``, and of a grid
        ``volatility_power``, ``volatility_kept``, ``volatility_reversed``. Of fewer systems than orderings take,
        ``volatility_difference`` in place of the second and third.
    """
    known = {name: frame for name, frame in tables.items() if frame.height}
    drawn = {
        "volatility": _curves(known, pool_depth),
        "volatility_settled": _settled(known, pool_depth, threshold),
        "volatility_difference": _differences(known, pool_depth),
        "volatility_tau": _tau(known, pool_depth, threshold),
        "volatility_ap": _normalisations(known, pool_depth),
        **grid_charts(known),
    }
    return {name: chart for name, chart in drawn.items() if chart is not None}


def _curves(tables: Tables, pool_depth: int | None) -> Any:
    if "volatility" not in tables:
        return None
    frame = tables["volatility"]
    below = [_LINES, _pool(frame, pool_depth), _POINT]
    return depth_curves(
        frame,
        tables.get("marked"),
        pool_depth=pool_depth,
        title="Scores along the evaluation depth: where lines cross, the order of systems changes",
        below=[" ".join(filter(None, below))],
    )


def _pool(frame: pl.DataFrame, pool_depth: int | None) -> str:
    """What is to be said of a pool depth that is not drawn."""
    deepest = frame["depth"].max()
    if pool_depth is None or not isinstance(deepest, int) or deepest >= pool_depth:
        return ""
    return f"All depths are within the pool depth, {pool_depth:,}."


def _normalisations(tables: Tables, pool_depth: int | None) -> Any:
    """Figure 5, with equation 1 beside it: the same lists, three denominators, one scale."""
    import polars as pl

    if "volatility" not in tables:
        return None
    frame = tables["volatility"].filter(~pl.col("condensed") & pl.col("metric").is_in(list(NORMALISATIONS)))
    parts = frame.partition_by("metric", as_dict=True, maintain_order=True)
    if len(parts) < 2:
        return None
    names = [name for name in NORMALISATIONS if (name,) in parts]
    divided = ", ".join(f"{name} by {NORMALISATIONS[name]}" for name in names)
    return depth_curves(
        pl.concat(parts[name,] for name in names),
        tables.get("marked"),
        pool_depth=pool_depth,
        common=True,
        abreast=len(parts),
        title="Average precision by its normalisation: scores along the evaluation depth",
        below=[f"With R relevant documents and evaluated to depth k, divided: {divided}."],
    )


def _tau(tables: Tables, pool_depth: int | None, threshold: float) -> Any:
    if "volatility_summary" not in tables or "volatility_difference" in tables:
        return None
    frame = of_all_judgments(tables["volatility_summary"])
    return depth_bands(
        frame,
        *("tau_to_final", "low", "high"),
        pool_depth=pool_depth,
        level=threshold,
        title="How alike systems are ordered at a depth and in the end: tau to the final ordering",
        below=[f"Grey band and dotted lines: intervals over topics. Line across: {threshold:g}, the threshold."],
    )


def _differences(tables: Tables, pool_depth: int | None) -> Any:
    """A pane per metric, and of more than two systems per pair."""
    import polars as pl

    if "volatility_difference" not in tables:
        return None
    frame = tables["volatility_difference"]
    pair = pl.format("{} minus {}", "system_a", "system_b")
    [first, *others] = frame.select(pair.alias("pair"))["pair"].unique(maintain_order=True).to_list()
    named = frame.with_columns(pl.format("{}: {}", "metric", pair).alias("metric")) if others else frame
    return depth_bands(
        named,
        *("difference", "low", "high"),
        pool_depth=pool_depth,
        level=0.0,
        bounded=False,
        title="Differences along the evaluation depth" if others else f"{first} along the evaluation depth",
        below=["Grey band and dotted lines: 95% intervals over topics, each for itself. Line across: no difference."],
    )


def of_all_judgments(summary: pl.DataFrame) -> pl.DataFrame:
    """The rows of the deepest pool of each metric: that without a depth, if there is one."""
    import polars as pl

    deepest = pl.col("pool_depth").max().over("metric", "condensed")
    without = pl.col("pool_depth").is_null().any().over("metric", "condensed")
    return summary.filter(
        pl.when(without).then(pl.col("pool_depth").is_null()).otherwise(pl.col("pool_depth") == deepest)
    )


def _settled(tables: Tables, pool_depth: int | None, threshold: float) -> Any:
    if "volatility_settled" not in tables:
        return None
    frame = tables["volatility_settled"].select("metric", "condensed", "depth", "low", "high")
    source = tables.get("volatility_summary", tables.get("volatility"))
    depths = [] if source is None else source["depth"].unique().sort().to_list()
    open_end = pool_depth is not None and bool(depths) and pool_depth < depths[-1]
    return depth_intervals(
        frame,
        depths,
        pool_depth=pool_depth,
        title="From which evaluation depth on is the ordering of the systems settled?",
        below=[
            f"From there on tau to the final ordering is at least {threshold:g}.",
            "Lines: intervals over topics. An arrow: not within the depths that were evaluated.",
            *([_UNJUDGED] if open_end else []),
        ],
    )
