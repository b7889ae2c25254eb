"""The summary by depth: tau between each ordering and the final one, changes of scores, and the settled depths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.volatility.families import frame_of_rows, in_family_order
from metameter.stats.checks import Floats
from metameter.stats.depth.orderings import orderings, tau_to_last
from metameter.stats.depth.stability_depth import first_stable_depth, interval_at_all_depths, stability_depth
from metameter.stats.ties import tied_codes

if TYPE_CHECKING:
    import polars as pl

    from metameter.meta.volatility.curves import Curves, EvaluationPlan
    from metameter.meta.volatility.families import Family
    from metameter.meta.volatility.grid import Grid
    from metameter.meta.volatility.pooling import Pooling
    from metameter.stats.depth.orderings import DepthBounds, DepthTaus


#: Kind of tau -> the columns with the ends of its interval.
_ENDS = {
    "tau_to_final": ("low", "high"),
    "tau_to_previous": ("previous_low", "previous_high"),
    "tau_ap_to_final": ("tau_ap_low", "tau_ap_high"),
}


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The scores of the contributing systems, whose orderings are compared, with intervals and tests.

    Attributes
    ----------
    plan : EvaluationPlan
    pooling : Pooling
    curves : Curves
        The contributing systems first, then the others.
    bounds : DepthBounds, optional
        At the topic depths of the plan.
    grid : Grid, optional
    """

    plan: EvaluationPlan
    pooling: Pooling
    curves: Curves
    bounds: DepthBounds | None
    grid: Grid | None

    def means_at(self, depths: Sequence[int]) -> Floats:
        """The means at some of the depths of the plan, (families, depths, systems)."""
        systems = len(self.pooling.systems)
        return np.asarray(self.curves.means[:, np.searchsorted(self.plan.depths, depths), :systems])

    @property
    def at_pool(self) -> Floats | None:
        """The means at the pool depth, (families, systems); None unless the listed depths go beyond it."""
        depth = self.pooling.depth
        return None if depth is None or depth >= self.plan.listed[-1] else self.means_at([depth])[:, 0]

    @property
    def residual(self) -> Floats:
        """The mean residual at the topic depths of the plan, (families, topic depths)."""
        return np.asarray(self.curves.residual[..., : len(self.pooling.systems)].mean(axis=-1))

    @property
    def has_intervals(self) -> bool:
        """Whether there are enough topics for intervals, and resamples."""
        return self.bounds is not None and len(self.bounds.tau_to_final.resampled) > 0


def summary_table(evaluation: Evaluation) -> pl.DataFrame:
    """One row for each metric, kind of list, pool depth and evaluation depth."""
    import polars as pl

    plan, pool_depth = evaluation.plan, evaluation.pooling.depth
    means = evaluation.means_at(plan.listed)
    columns: dict[str, Any] = {
        "pool_depth": np.nan if pool_depth is None else float(pool_depth),
        "depth": np.asarray(plan.listed, dtype=np.int64),
        **_order_columns(means, None),
        "drift": _drift(means, plan.listed, pool_depth, evaluation.at_pool),
        "residual": _spread(evaluation.residual, plan.topic_depths, plan.listed),
        "judged_share": np.array([evaluation.pooling.judging.share(depth) for depth in plan.listed]),
        **_intervals(evaluation),
        **_verdicts(evaluation),
    }
    parts = [frame_of_rows(plan.families, columns, len(plan.listed))]
    if evaluation.grid is not None:
        parts.append(_shallow_rows(evaluation, evaluation.grid))
    table = pl.concat(parts, how="diagonal").with_columns(pl.col(_WHOLE).cast(pl.Int64))
    # Shallow pools first; the pool of all judgments, whose depth may be unknown, last.
    deepest = pl.col("pool_depth").fill_null(1 << 60)
    return in_family_order(table, plan.families, deepest, "depth").select(_COLUMNS)


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
    """The mean absolute change of the means since the pool depth; NaN down to it, and if it is unknown."""
    drift = np.full(means.shape[:2], np.nan)
    if at_pool is not None and pool_depth is not None:
        past = np.asarray(depths) > pool_depth
        drift[:, past] = np.abs(means[:, past] - at_pool[:, None]).mean(axis=-1)
    return drift


def _intervals(evaluation: Evaluation) -> dict[str, Floats]:
    plan, columns = evaluation.plan, {}
    for kind, names in _ENDS.items():
        taus: DepthTaus | None = getattr(evaluation.bounds, kind, None)
        for name, end in zip(names, (None, None) if taus is None else taus.interval(), strict=True):
            columns[name] = _spread(_of_averages(end, plan.families), plan.topic_depths, plan.listed)
    # Neighbours among the topic depths are not neighbours among the listed ones.
    if plan.topic_depths != plan.listed:
        columns |= {name: np.full_like(columns[name], np.nan) for name in _ENDS["tau_to_previous"]}
    return columns


def _of_averages(ends: Floats | None, families: Sequence[Family]) -> Floats | None:
    """The ends of intervals of means over topics; NaN for metrics that are summarised otherwise."""
    if ends is None:
        return None
    return np.where(np.array([family.is_mean for family in families])[:, None], ends, np.nan)


def _spread(values: Floats | None, some: Sequence[int], depths: Sequence[int]) -> Any:
    """Values at some of the depths, NaN at the others."""
    if values is None:
        return np.nan
    spread = np.full((values.shape[0], len(depths)), np.nan)
    spread[:, np.searchsorted(depths, some)] = values
    return spread


def _verdicts(evaluation: Evaluation) -> dict[str, Any]:
    names = ("discriminated", "lost", "reversed", "kept", "pairs", "power")
    if evaluation.grid is None:
        return dict.fromkeys(names, np.nan)
    at_end = evaluation.grid.columns(-1)
    return {name: _spread(at_end[name], evaluation.grid.depths, evaluation.plan.listed) for name in names}


def _shallow_rows(evaluation: Evaluation, grid: Grid) -> pl.DataFrame:
    """The rows of the shallower pools, at the depths of the grid."""
    import polars as pl

    families, final = evaluation.plan.families, evaluation.means_at(evaluation.plan.listed[-1:])[:, 0]
    parts = []
    for number, depth in enumerate(grid.pools[:-1]):
        means = grid.means(number, families)
        # A shallower pool was scored at the depths of the grid only.
        at_pool = means[:, grid.depths.index(depth)] if depth in grid.depths else None
        columns = {
            "pool_depth": float(depth or 0),
            "depth": np.asarray(grid.depths, dtype=np.int64),
            **_order_columns(means, final),
            **grid.columns(number),
            "drift": _drift(means, grid.depths, depth, at_pool),
            "residual": grid.residual[:, number],
        }
        parts.append(frame_of_rows(families, columns, len(grid.depths)))
    return pl.concat(parts) if parts else frame_of_rows(families, {"depth": np.zeros(0, np.int64)}, 0)


def settled_table(evaluation: Evaluation, threshold: float) -> pl.DataFrame:
    """One row for each metric and kind of list; null if the ordering is not settled before the last depth.

    The settled depth is the first from which on tau is at least the threshold at all depths, listed or not. Topics are
    resampled at the topic depths only; a lower end is the depth after the previous topic depth, since the ordering may
    have settled anywhere between the two. Intervals hold for all rows together.
    """
    import polars as pl

    plan, judging = evaluation.plan, evaluation.pooling.judging
    codes = tied_codes(evaluation.means_at(plan.every))
    depth = first_stable_depth(tau_to_last(codes, codes[:, -1]), plan.every, threshold)
    low, high = _settled_interval(evaluation, depth, threshold)
    final = [_final_depth(family, plan.listed[-1]) for family in plan.families]
    columns: dict[str, Any] = {
        "threshold": threshold,
        "depth": depth[:, None],
        "low": low[:, None],
        "high": high[:, None],
        "final": np.array(final, dtype=np.float64)[:, None],
        "tau_at_pool_depth": _tau_at_pool_depth(evaluation)[:, None],
        "judging_depth": np.nan if judging.depth is None else float(judging.depth),
        "judged_share": np.array([judging.share(each) for each in final])[:, None],
    }
    whole = pl.col("depth", "low", "high", "final", "judging_depth").cast(pl.Int64)
    return frame_of_rows(plan.families, columns, 1).with_columns(whole)


def _settled_interval(evaluation: Evaluation, depth: Floats, threshold: float) -> tuple[Floats, Floats]:
    """The interval of each settled depth; NaN for open ends."""
    if evaluation.bounds is None or not evaluation.has_intervals:
        return np.full_like(depth, np.nan), np.full_like(depth, np.nan)
    ends = stability_depth(evaluation.bounds.tau_to_final, evaluation.plan.topic_depths, threshold)
    averaged = np.array([family.is_mean for family in evaluation.plan.families])
    low, high = interval_at_all_depths(ends, evaluation.plan.topic_depths, depth)
    return np.where(averaged, low, np.nan), np.where(averaged, high, np.nan)


def _final_depth(family: Family, deepest: int) -> int:
    """The depth of the final ordering: the deepest one, or the last rank that the metric looks at."""
    # The first k documents of a condensed list may come from any depth.
    return deepest if family.condensed else family.measure.at(deepest).reach or deepest


def _tau_at_pool_depth(evaluation: Evaluation) -> Floats:
    """Tau between the ordering at the pool depth and the final one."""
    at_pool, plan = evaluation.at_pool, evaluation.plan
    if at_pool is None:
        return np.full(len(plan.families), np.nan)
    both = np.stack([at_pool, evaluation.means_at(plan.listed[-1:])[:, 0]], axis=1)
    return orderings(both).tau_to_final[:, 0]
