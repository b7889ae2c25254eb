"""The summary along depth: how near each ordering is to the final one, what moved, and what is still open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.volatility.tables import frame_of_rows
from metameter.stats.checks import Floats
from metameter.stats.depth.orderings import orderings, tau_to_last
from metameter.stats.depth.stability_depth import first_stable_depth, stability_depth
from metameter.stats.ties import tied_codes

if TYPE_CHECKING:
    import polars as pl

    from metameter.judge.contributed import JudgingDepth
    from metameter.meta.volatility.families import Family
    from metameter.meta.volatility.grid import Grid
    from metameter.stats.depth.orderings import DepthBounds, DepthTaus


# Kind of tau -> its columns with the ends of the interval.
_ENDS = {
    "tau_to_final": ("low", "high"),
    "tau_to_previous": ("previous_low", "previous_high"),
    "tau_ap_to_final": ("tau_ap_low", "tau_ap_high"),
}


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the summary is made of.

    Attributes
    ----------
    families : tuple of Family
    depths : tuple of int
        Of the tables.
    means : ndarray, (families, depths, systems)
    every_depth : tuple of int
        The depths among which orderings settle: all, where the tables have only some.
    every_mean : ndarray, (families, every depth, systems)
    pool_depth : int or None
    at_pool : ndarray, (families, systems), optional
        The means at the pool depth, where that is above the end of the list.
    kept : tuple of int
        The depths with intervals and residuals, among those of the list.
    bounds : DepthBounds, optional
        At the kept depths.
    residual : ndarray, (families, kept)
    judging : JudgingDepth
        How deep the judgments reach, and judged@k.
    grid : Grid, optional
    """

    families: tuple[Family, ...]
    depths: tuple[int, ...]
    means: Floats
    every_depth: tuple[int, ...]
    every_mean: Floats
    pool_depth: int | None
    at_pool: Floats | None
    kept: tuple[int, ...]
    bounds: DepthBounds | None
    residual: Floats
    judging: JudgingDepth
    grid: Grid | None


def summary_table(found: Evidence) -> pl.DataFrame:
    """One row for each metric, kind of list, pool depth and evaluation depth."""
    import polars as pl

    size = len(found.depths)
    columns: dict[str, Any] = {
        "pool_depth": np.nan if found.pool_depth is None else float(found.pool_depth),
        "depth": np.asarray(found.depths, dtype=np.int64),
        **_order_columns(found.means, None),
        "drift": _drift(found.means, found.depths, found.pool_depth, found.at_pool),
        "residual": _spread(found.residual, found.kept, found.depths),
        "judged_share": np.array([found.judging.share(depth) for depth in found.depths]),
        **_intervals(found),
        **_verdicts(found),
    }
    parts = [frame_of_rows(found.families, columns, size)]
    if found.grid is not None:
        parts.append(_shallow_rows(found, found.grid))
    table = pl.concat(parts, how="diagonal").with_columns(pl.col(_WHOLE).cast(pl.Int64))
    first = [family.label for family in found.families]
    order = (pl.col("metric") + pl.when("condensed").then(pl.lit(" (condensed)")).otherwise(pl.lit(""))).replace_strict(
        first, range(len(first)), return_dtype=pl.Int64
    )
    # Pools from shallow to deep; the one of all judgments, whose depth may be unknown, last.
    deepest = pl.col("pool_depth").fill_null(1 << 60)
    return table.sort(order, deepest, "depth", maintain_order=True).select(_COLUMNS)


_COLUMNS = (
    *("metric", "condensed", "pool_depth", "depth", "tau_to_final", "low", "high", "tau_to_previous"),
    *("tau_ap_to_final", "crossings", "falls", "range", "drift", "residual", "discriminated", "lost", "reversed"),
    *("kept", "pairs", "power", "tau_ap_low", "tau_ap_high", "previous_low", "previous_high", "judged_share"),
)
_WHOLE = ("pool_depth", "depth", "crossings", "falls", "discriminated", "lost", "reversed", "pairs")


def _order_columns(means: Floats, final: Floats | None) -> dict[str, Any]:
    found = orderings(means, final)
    names = ("tau_to_final", "tau_to_previous", "tau_ap_to_final", "crossings", "falls", "range")
    return {name: getattr(found, name) for name in names}


def _drift(means: Floats, depths: Sequence[int], pool_depth: int | None, at_pool: Floats | None) -> Floats:
    """How far the means have moved, up or down, since the pool depth; NaN down to it, and where it is not known."""
    drift = np.full(means.shape[:2], np.nan)
    if at_pool is not None and pool_depth is not None:
        past = np.asarray(depths) > pool_depth
        drift[:, past] = np.abs(means[:, past] - at_pool[:, None]).mean(axis=-1)
    return drift


def _intervals(found: Evidence) -> dict[str, Floats]:
    columns = {}
    for kind, names in _ENDS.items():
        drawn: DepthTaus | None = getattr(found.bounds, kind, None)
        for name, end in zip(names, (None, None) if drawn is None else drawn.interval(), strict=True):
            columns[name] = _spread(_of_averages(end, found), found.kept, found.depths)
    # Between kept depths others lie: what is next to each other in the resamples is not so in the list.
    if found.kept != found.depths:
        columns |= {name: np.full_like(columns[name], np.nan) for name in _ENDS["tau_to_previous"]}
    return columns


def _of_averages(ends: Floats | None, found: Evidence) -> Floats | None:
    """The ends of intervals, which are those of means over topics; NaN for metrics with another summary."""
    if ends is None:
        return None
    return np.where(np.array([family.averaged for family in found.families])[:, None], ends, np.nan)


def _spread(values: Floats | None, kept: Sequence[int], depths: Sequence[int]) -> Any:
    """Values at some of the depths, NaN at the others."""
    if values is None:
        return np.nan
    spread = np.full((values.shape[0], len(depths)), np.nan)
    spread[:, np.searchsorted(depths, kept)] = values
    return spread


def _verdicts(found: Evidence) -> dict[str, Any]:
    names = ("discriminated", "lost", "reversed", "kept", "pairs", "power")
    if found.grid is None:
        return dict.fromkeys(names, np.nan)
    at_end = found.grid.columns(-1)
    return {name: _spread(at_end[name], found.grid.depths, found.depths) for name in names}


def _shallow_rows(found: Evidence, grid: Grid) -> pl.DataFrame:
    """The rows of pools shallower than that of the judgments, at the depths of the grid."""
    import polars as pl

    parts = []
    for number, depth in enumerate(grid.pools[:-1]):
        means = grid.means(number, found.families)
        # A shallower pool was scored at the depths of the grid only.
        at_pool = means[:, grid.depths.index(depth)] if depth in grid.depths else None
        columns = {
            "pool_depth": float(depth or 0),
            "depth": np.asarray(grid.depths, dtype=np.int64),
            **_order_columns(means, found.means[:, -1]),
            **grid.columns(number),
            "drift": _drift(means, grid.depths, depth, at_pool),
            "residual": grid.residual[:, number],
        }
        parts.append(frame_of_rows(found.families, columns, len(grid.depths)))
    return pl.concat(parts) if parts else frame_of_rows(found.families, {"depth": np.zeros(0, np.int64)}, 0)


def settled_table(found: Evidence, threshold: float) -> pl.DataFrame:
    """One row for each metric and kind of list; null where the ordering is not settled before the last depth.

    The depth is the first from which on tau stays at least the threshold at all depths, those included that the other
    tables leave out. Topics are resampled at the kept depths only, so the ends of intervals are among these; they hold
    for all rows together.
    """
    import polars as pl

    codes = tied_codes(found.every_mean)
    depth = first_stable_depth(tau_to_last(codes, codes[:, -1]), found.every_depth, threshold)
    low, high = np.full_like(depth, np.nan), np.full_like(depth, np.nan)
    if found.bounds is not None and len(found.bounds.tau_to_final.drawn):
        ends = stability_depth(found.bounds.tau_to_final, found.kept, threshold)
        averaged = [family.averaged for family in found.families]
        low = np.where(averaged, np.fmin(ends.low, depth), np.nan)
        # What is not settled before the end has no upper end either.
        open_end = np.isnan(ends.high) | np.isnan(depth) | ~np.array(averaged)
        high = np.where(open_end, np.nan, np.fmax(ends.high, depth))
    columns: dict[str, Any] = {"threshold": threshold, "depth": depth[:, None], "low": low[:, None]}
    final = [_final(family, found.depths[-1]) for family in found.families]
    columns |= {"high": high[:, None], "final": np.array(final, dtype=np.float64)[:, None]}
    columns["tau_at_pool_depth"] = _at_pool(found)[:, None]
    columns["judging_depth"] = np.nan if found.judging.depth is None else float(found.judging.depth)
    columns["judged_share"] = np.array([found.judging.share(depth) for depth in final])[:, None]
    whole = pl.col("depth", "low", "high", "final", "judging_depth").cast(pl.Int64)
    return frame_of_rows(found.families, columns, 1).with_columns(whole)


def _final(family: Family, deepest: int) -> int:
    """The depth of the final ordering: the deepest one, or the last rank that the metric looks at."""
    # A condensed list may be filled from any depth.
    return deepest if family.condensed else family.measure.at(deepest).reach or deepest


def _at_pool(found: Evidence) -> Floats:
    """Tau between the ordering at the pool depth and the final one."""
    if found.at_pool is None:
        return np.full(len(found.families), np.nan)
    both = np.stack([found.at_pool, found.means[:, -1]], axis=1)
    return orderings(both).tau_to_final[:, 0]
