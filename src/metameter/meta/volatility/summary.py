"""The summary by depth: tau between each ordering and the final one, changes of scores, and the settled depths."""

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
        The depths of the tables.
    means : ndarray, (families, depths, systems)
    every_depth : tuple of int
        The depths at which the ordering is checked to be settled: all of them, also where the tables list only some.
    every_mean : ndarray, (families, every depth, systems)
    pool_depth : int or None
    at_pool : ndarray, (families, systems), optional
        The means at the pool depth, where the listed depths go beyond it.
    kept : tuple of int
        The listed depths with intervals and residuals.
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


def summary_table(evidence: Evidence) -> pl.DataFrame:
    """One row for each metric, kind of list, pool depth and evaluation depth."""
    import polars as pl

    size = len(evidence.depths)
    columns: dict[str, Any] = {
        "pool_depth": np.nan if evidence.pool_depth is None else float(evidence.pool_depth),
        "depth": np.asarray(evidence.depths, dtype=np.int64),
        **_order_columns(evidence.means, None),
        "drift": _drift(evidence.means, evidence.depths, evidence.pool_depth, evidence.at_pool),
        "residual": _spread(evidence.residual, evidence.kept, evidence.depths),
        "judged_share": np.array([evidence.judging.share(depth) for depth in evidence.depths]),
        **_intervals(evidence),
        **_verdicts(evidence),
    }
    parts = [frame_of_rows(evidence.families, columns, size)]
    if evidence.grid is not None:
        parts.append(_shallow_rows(evidence, evidence.grid))
    table = pl.concat(parts, how="diagonal").with_columns(pl.col(_WHOLE).cast(pl.Int64))
    first = [family.label for family in evidence.families]
    order = (pl.col("metric") + pl.when("condensed").then(pl.lit(" (condensed)")).otherwise(pl.lit(""))).replace_strict(
        first, range(len(first)), return_dtype=pl.Int64
    )
    # Shallow pools first; the pool of all judgments, whose depth may be unknown, last.
    deepest = pl.col("pool_depth").fill_null(1 << 60)
    return table.sort(order, deepest, "depth", maintain_order=True).select(_COLUMNS)


_COLUMNS = (
    *("metric", "condensed", "pool_depth", "depth", "tau_to_final", "low", "high", "tau_to_previous"),
    *("tau_ap_to_final", "crossings", "falls", "range", "drift", "residual", "discriminated", "lost", "reversed"),
    *("kept", "pairs", "power", "tau_ap_low", "tau_ap_high", "previous_low", "previous_high", "judged_share"),
)
_WHOLE = ("pool_depth", "depth", "crossings", "falls", "discriminated", "lost", "reversed", "pairs")


def _order_columns(means: Floats, final: Floats | None) -> dict[str, Any]:
    ordered = orderings(means, final)
    names = ("tau_to_final", "tau_to_previous", "tau_ap_to_final", "crossings", "falls", "range")
    return {name: getattr(ordered, name) for name in names}


def _drift(means: Floats, depths: Sequence[int], pool_depth: int | None, at_pool: Floats | None) -> Floats:
    """How far the means have moved, up or down, since the pool depth; NaN down to it, and where it is unknown."""
    drift = np.full(means.shape[:2], np.nan)
    if at_pool is not None and pool_depth is not None:
        past = np.asarray(depths) > pool_depth
        drift[:, past] = np.abs(means[:, past] - at_pool[:, None]).mean(axis=-1)
    return drift


def _intervals(evidence: Evidence) -> dict[str, Floats]:
    columns = {}
    for kind, names in _ENDS.items():
        drawn: DepthTaus | None = getattr(evidence.bounds, kind, None)
        for name, end in zip(names, (None, None) if drawn is None else drawn.interval(), strict=True):
            columns[name] = _spread(_of_averages(end, evidence), evidence.kept, evidence.depths)
    # Neighbours among the kept depths are not neighbours among the listed ones.
    if evidence.kept != evidence.depths:
        columns |= {name: np.full_like(columns[name], np.nan) for name in _ENDS["tau_to_previous"]}
    return columns


def _of_averages(ends: Floats | None, evidence: Evidence) -> Floats | None:
    """The ends of intervals of means over topics; NaN for metrics that are summarised otherwise."""
    if ends is None:
        return None
    return np.where(np.array([family.averaged for family in evidence.families])[:, None], ends, np.nan)


def _spread(values: Floats | None, kept: Sequence[int], depths: Sequence[int]) -> Any:
    """Values at the kept depths, NaN at the others."""
    if values is None:
        return np.nan
    spread = np.full((values.shape[0], len(depths)), np.nan)
    spread[:, np.searchsorted(depths, kept)] = values
    return spread


def _verdicts(evidence: Evidence) -> dict[str, Any]:
    names = ("discriminated", "lost", "reversed", "kept", "pairs", "power")
    if evidence.grid is None:
        return dict.fromkeys(names, np.nan)
    at_end = evidence.grid.columns(-1)
    return {name: _spread(at_end[name], evidence.grid.depths, evidence.depths) for name in names}


def _shallow_rows(evidence: Evidence, grid: Grid) -> pl.DataFrame:
    """The rows of the shallower pools, at the depths of the grid."""
    import polars as pl

    parts = []
    for number, depth in enumerate(grid.pools[:-1]):
        means = grid.means(number, evidence.families)
        # A shallower pool was scored at the depths of the grid only.
        at_pool = means[:, grid.depths.index(depth)] if depth in grid.depths else None
        columns = {
            "pool_depth": float(depth or 0),
            "depth": np.asarray(grid.depths, dtype=np.int64),
            **_order_columns(means, evidence.means[:, -1]),
            **grid.columns(number),
            "drift": _drift(means, grid.depths, depth, at_pool),
            "residual": grid.residual[:, number],
        }
        parts.append(frame_of_rows(evidence.families, columns, len(grid.depths)))
    return pl.concat(parts) if parts else frame_of_rows(evidence.families, {"depth": np.zeros(0, np.int64)}, 0)


def settled_table(evidence: Evidence, threshold: float) -> pl.DataFrame:
    """One row for each metric and kind of list; null where the ordering is not settled before the last depth.

    The settled depth is the first from which on tau is at least the threshold at all depths, listed or not. Topics are
    resampled at the kept depths only, so the ends of intervals are among these; they hold for all rows together.
    """
    import polars as pl

    codes = tied_codes(evidence.every_mean)
    depth = first_stable_depth(tau_to_last(codes, codes[:, -1]), evidence.every_depth, threshold)
    low, high = np.full_like(depth, np.nan), np.full_like(depth, np.nan)
    if evidence.bounds is not None and len(evidence.bounds.tau_to_final.drawn):
        ends = stability_depth(evidence.bounds.tau_to_final, evidence.kept, threshold)
        averaged = [family.averaged for family in evidence.families]
        low = np.where(averaged, np.fmin(ends.low, depth), np.nan)
        # An ordering that is not settled before the last depth has no upper end either.
        open_end = np.isnan(ends.high) | np.isnan(depth) | ~np.array(averaged)
        high = np.where(open_end, np.nan, np.fmax(ends.high, depth))
    columns: dict[str, Any] = {"threshold": threshold, "depth": depth[:, None], "low": low[:, None]}
    final = [_final_depth(family, evidence.depths[-1]) for family in evidence.families]
    columns |= {"high": high[:, None], "final": np.array(final, dtype=np.float64)[:, None]}
    columns["tau_at_pool_depth"] = _tau_at_pool_depth(evidence)[:, None]
    columns["judging_depth"] = np.nan if evidence.judging.depth is None else float(evidence.judging.depth)
    columns["judged_share"] = np.array([evidence.judging.share(depth) for depth in final])[:, None]
    whole = pl.col("depth", "low", "high", "final", "judging_depth").cast(pl.Int64)
    return frame_of_rows(evidence.families, columns, 1).with_columns(whole)


def _final_depth(family: Family, deepest: int) -> int:
    """The depth of the final ordering: the deepest one, or the last rank that the metric looks at."""
    # The first k documents of a condensed list may come from any depth.
    return deepest if family.condensed else family.measure.at(deepest).reach or deepest


def _tau_at_pool_depth(evidence: Evidence) -> Floats:
    """Tau between the ordering at the pool depth and the final one."""
    if evidence.at_pool is None:
        return np.full(len(evidence.families), np.nan)
    both = np.stack([evidence.at_pool, evidence.means[:, -1]], axis=1)
    return orderings(both).tau_to_final[:, 0]
