"""Grids of evaluation and pool depths as heat maps: power, verdicts kept, and verdicts reversed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from metameter.meta.volatility.plan import KEPT, SURE
from metameter.view.charts.depth_lines import in_panes, pane_name
from metameter.view.charts.heat_map import heat_map

if TYPE_CHECKING:
    import polars as pl

__all__ = ["grid_charts"]

_AXES = ("evaluation depth", "pool depth")
_CELL = ["metric", "condensed", "pool_depth", "depth"]
_FRAME = (
    f"Framed: the shallowest pool, and with it the shallowest evaluation, that keep {KEPT:.0%} and reverse none, for "
    f"{SURE:.0%} of resampled topic sets, with fewer judgments than all."
)
_TITLES = {
    "power": "Discriminative power by pool and evaluation depth (share of pairs that differ significantly)",
    "kept": "Significant differences of the final evaluation that shallower ones find as well (share)",
    "reversed": "Significant differences that are significant the other way in the final evaluation (pairs)",
}


def grid_charts(tables: Mapping[str, pl.DataFrame]) -> dict[str, Any]:
    """The heat maps of a grid; none without one, and none of reversed verdicts if there are none.

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
    turned = (grid["reversed"].fill_null(0) > 0).any()
    return charts | ({"volatility_reversed": _chart(grid, "reversed")} if turned else {})


def _grid(summary: pl.DataFrame) -> pl.DataFrame:
    """The cells of the grid: pool and evaluation depths at which some metric was tested."""
    import polars as pl

    tested = summary.filter(pl.col("discriminated").is_not_null())
    keep = [pl.col(name).is_in(tested[name].unique().to_list(), nulls_equal=True) for name in ("pool_depth", "depth")]
    return summary.filter(*keep).unique(_CELL, keep="first", maintain_order=True)


def _with_names(grid: pl.DataFrame, planning: pl.DataFrame | None) -> pl.DataFrame:
    """With the names of panels and axes, and which cells were chosen; the deepest pool at the top."""
    import polars as pl

    # The deepest row is that of all judgments: its depth, if one is known, is only where they have no gaps.
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
    """The cells that surely do with fewer judgments than all, of metrics with any verdict to keep."""
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
