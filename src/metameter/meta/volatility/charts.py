"""The charts of `volatility`: curves of scores, how orderings settle along the depth, and grids of depths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from metameter.meta.volatility.grid import KEPT, SURE
from metameter.view.charts.depth_curves import depth_curves, in_panes, pane_name
from metameter.view.charts.depth_intervals import depth_bands, depth_intervals
from metameter.view.charts.heat_maps import heat_map

if TYPE_CHECKING:
    import polars as pl


_AXES = ("evaluation depth", "pool depth")
_CELL = ["metric", "condensed", "pool_depth", "depth"]
_FRAME = (
    f"Framed: the shallowest pool, and with it the shallowest evaluation, that keep {KEPT:.0%} and reverse none, for "
    f"{SURE:.0%} of resampled topic sets, with fewer judgments than all."
)
_TITLES = {
    "power": "Discriminative power by pool and evaluation depth (share of pairs that differ significantly)",
    "kept": "Significant differences of the final evaluation that are significant in shallower ones, too (share)",
    "reversed": "Significant differences that the final evaluation reverses significantly (pairs)",
}

#: Average precision as in equations 1 to 3 of Lu, Moffat and Culpepper (2015), and the divisor of each.
NORMALISATIONS = {"AP(norm=min)": "min(k, R)", "AP": "R", "AP(norm=pool)": "the R of pools of depth k"}
_LINES = "A thin line per system. Bold: the best, the quartile and the worst systems by their final scores."
_POINT = "Point at a line to see its system and scores."
_UNJUDGED = "Right of the dashed line some documents are unjudged, so settled depths there are uncertain."
Tables = Mapping[str, "pl.DataFrame"]


def charts_of(tables: Tables, pool_depth: int | None, threshold: float) -> dict[str, Any]:
    """Return all charts that apply, the most important first.

    Parameters
    ----------
    tables : dict
        ``volatility``, ``marked``, ``volatility_summary``, ``volatility_settled``, ``volatility_planning``; a chart
        whose table is missing or empty is left out.
    pool_depth : int or None
        The position of the dashed line.
    threshold : float
        The ordering is settled where tau to the final ordering is at least this.

    Returns
    -------
    dict
        Name -> chart: ``volatility``, ``volatility_settled``, ``volatility_tau``, ``volatility_ap``, and of a grid
        ``volatility_power``, ``volatility_kept``, ``volatility_reversed``. With too few systems for orderings,
        ``volatility_difference`` instead of the second and third.
    """
    known = {name: frame for name, frame in tables.items() if frame.height}
    charts = {
        "volatility": _curves_chart(known, pool_depth),
        "volatility_settled": _settled_chart(known, pool_depth, threshold),
        "volatility_difference": _difference_chart(known, pool_depth),
        "volatility_tau": _tau_chart(known, pool_depth, threshold),
        "volatility_ap": _normalisation_chart(known, pool_depth),
        **grid_charts(known),
    }
    return {name: chart for name, chart in charts.items() if chart is not None}


def _curves_chart(tables: Tables, pool_depth: int | None) -> Any:
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
    """The sentence on a pool depth beyond the chart."""
    deepest = frame["depth"].max()
    if pool_depth is None or not isinstance(deepest, int) or deepest >= pool_depth:
        return ""
    return f"All depths are within the pool depth, {pool_depth:,}."


def _normalisation_chart(tables: Tables, pool_depth: int | None) -> Any:
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


def _tau_chart(tables: Tables, pool_depth: int | None, threshold: float) -> Any:
    if "volatility_summary" not in tables or "volatility_difference" in tables:
        return None
    frame = of_all_judgments(tables["volatility_summary"])
    return depth_bands(
        frame,
        *("tau_to_final", "low", "high"),
        pool_depth=pool_depth,
        level=threshold,
        title="How alike systems are ordered at a depth and at the final one: tau to the final ordering",
        below=[f"Grey band and dotted lines: intervals over topics. Line across: {threshold:g}, the threshold."],
    )


def _difference_chart(tables: Tables, pool_depth: int | None) -> Any:
    """A pane per metric and, with more than two systems, per pair."""
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
        below=["Grey band and dotted lines: 95% intervals over topics, each alone. Line across: no difference."],
    )


def of_all_judgments(summary: pl.DataFrame) -> pl.DataFrame:
    """The rows of the deepest pool of each metric: that without a depth, if there is one."""
    import polars as pl

    deepest = pl.col("pool_depth").max().over("metric", "condensed")
    without = pl.col("pool_depth").is_null().any().over("metric", "condensed")
    return summary.filter(
        pl.when(without).then(pl.col("pool_depth").is_null()).otherwise(pl.col("pool_depth") == deepest)
    )


def _settled_chart(tables: Tables, pool_depth: int | None, threshold: float) -> Any:
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


def grid_charts(tables: Mapping[str, pl.DataFrame]) -> dict[str, Any]:
    """Return the heat maps of a grid; none without a grid, and none of reversed verdicts if there are none.

    Parameters
    ----------
    tables : dict
        ``volatility_summary`` with the columns of a grid, and ``volatility_planning``.
    """
    summary = tables.get("volatility_summary")
    if summary is None or "discriminated" not in summary.columns or not summary["discriminated"].is_not_null().any():
        return {}
    grid = _with_names(_grid(summary), tables.get("volatility_planning"))
    charts = {"volatility_power": _chart(grid, "power"), "volatility_kept": _chart(grid, "kept")}
    any_reversed = (grid["reversed"].fill_null(0) > 0).any()
    return charts | ({"volatility_reversed": _chart(grid, "reversed")} if any_reversed else {})


def _grid(summary: pl.DataFrame) -> pl.DataFrame:
    """The cells of the grid: pool and evaluation depths at which some metric was tested."""
    import polars as pl

    tested = summary.filter(pl.col("discriminated").is_not_null())
    keep = [pl.col(name).is_in(tested[name].unique().to_list(), nulls_equal=True) for name in ("pool_depth", "depth")]
    return summary.filter(*keep).unique(_CELL, keep="first", maintain_order=True)


def _with_names(grid: pl.DataFrame, planning: pl.DataFrame | None) -> pl.DataFrame:
    """The grid with the names of panels and axes, and the chosen cells; the deepest pool is at the top."""
    import polars as pl

    # The deepest row is that of all judgments; a known pool depth only bounds the complete ones.
    planned = [] if planning is None else _deepest_as_null(_sure(planning), grid).select(_CELL).iter_rows()
    grid, chosen = _deepest_as_null(grid, grid), {tuple(row) for row in planned}
    cells = list(grid.select(_CELL).iter_rows())
    ordered = grid.with_columns(
        pl.Series("chosen", [cell in chosen for cell in cells], dtype=pl.Boolean),
        pl.Series("pane", [pane_name(str(metric), bool(condensed)) for metric, condensed, *_ in cells]),
    )
    falling = ordered.sort("pool_depth", "depth", descending=[True, False], nulls_last=False, maintain_order=True)
    ordered = in_panes(falling)
    named = pl.col("pool_depth").cast(pl.String).fill_null("all").alias(_AXES[1])
    return ordered.with_columns(pl.col("depth").alias(_AXES[0]), named)


def _sure(planning: pl.DataFrame) -> pl.DataFrame:
    """The sure cells with fewer judgments than all, of metrics with any verdict to keep."""
    import polars as pl

    known = planning.filter(pl.col("sure_share") < 1, pl.col("verdicts") > 0)
    return known.with_columns(pool_depth="sure_pool_depth", depth="sure_depth")


def _deepest_as_null(table: pl.DataFrame, grid: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    if grid["pool_depth"].null_count():
        return table
    shallower = pl.col("pool_depth") != grid["pool_depth"].max()
    return table.with_columns(pl.when(shallower).then("pool_depth").alias("pool_depth"))


def _chart(grid: pl.DataFrame, value: str) -> Any:
    framed = bool(grid["chosen"].any())
    return heat_map(
        grid.select("pane", *_AXES, value, "discriminated", "lost", "chosen", *({"reversed"} - {value})),
        *(_AXES[0], _AXES[1], value, ("discriminated", "lost", "reversed"), "pane"),
        title=_TITLES[value],
        below=[_FRAME] if framed else [],
        titles=_AXES,
        outlined="chosen" if framed else None,
    )
