"""Scores by depth: every system, metric and depth, on plain and condensed lists, for one pool or several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.judge.pool import shallow
from metameter.metric.residual import bounds_at
from metameter.parallel import Workers, reported

if TYPE_CHECKING:
    from collections.abc import Callable

    from metameter.judge.contributed import Pool
    from metameter.judge.judged_run import JudgedRun
    from metameter.judge.ranked import Ranked
    from metameter.meta.volatility.evaluation_plan import EvaluationPlan
    from metameter.stats.checks import Floats


@dataclass(frozen=True, eq=False)
class Curves:
    """The scores of all systems.

    Attributes
    ----------
    means : ndarray, (families, depths, systems)
    topical : ndarray, (families, kept, topics, systems)
    shallow : ndarray, (families, pools, grid, topics, systems)
    residual : ndarray, (families, kept, systems)
        The residual of each system's score; NaN without residuals.
    shallow_residual : ndarray, (families, pools, grid, systems)
    """

    means: Floats
    topical: Floats
    shallow: Floats
    residual: Floats
    shallow_residual: Floats


def curves_of(
    runs: Sequence[JudgedRun],
    pool: Pool,
    plan: EvaluationPlan,
    *,
    jobs: int | Workers | None = None,
    progress: Callable[..., None] | None = None,
) -> Curves:
    """Return the scores of all runs at all depths; each run is read once."""
    scored = Workers.of(jobs).map(_score_run, runs, pool=pool, plan=plan)
    every = list(reported(scored, len(runs), "curves", progress))
    parts = ("means", "topical", "shallow", "residual", "shallow_residual")
    return Curves(*(np.stack([each[part] for each in every], axis=-1) for part in parts))


def _score_run(run: JudgedRun, *, pool: Pool, plan: EvaluationPlan) -> dict[str, Floats]:
    blocks = run.ranked_blocks(pool, pool_ranks=bool(plan.pools))
    arrays = _joined([_score_block(ranked, plan, plan.topics[topics]) for topics, ranked in blocks])
    kept = np.searchsorted(plan.depths, plan.kept)
    # One row of topics per depth, as in `score`: the same sums in the same order.
    by_depth = [np.ascontiguousarray(curve.T) for curve in arrays["curves"]]
    grids = [[curve.T for curve in pools] for pools in arrays["grids"]]
    means = [each.measure.summarise(curve) for each, curve in zip(plan.families, by_depth, strict=True)]
    size = (len(plan.families), len(plan.pools), len(plan.grid))
    shallow_residuals = [_residuals(bounds, plan.grid, plan) for bounds in arrays["bounds of pools"]]
    return {
        "means": np.stack(means),
        "topical": np.stack([curve[kept] for curve in by_depth]),
        "shallow": np.array(grids, dtype=np.float64).reshape(*size, int(plan.topics.sum())),
        "residual": _residuals(arrays["bounds"], plan.kept, plan),
        "shallow_residual": np.stack(shallow_residuals, axis=1) if shallow_residuals else np.empty(size),
    }


def _score_block(ranked: Ranked, plan: EvaluationPlan, topics: np.ndarray) -> dict[str, Any]:
    """The scores and bounds of a block of topics; the first axis of every array is that of the topics that count."""
    pools = [shallow(ranked, depth) for depth in plan.pools]
    return {
        "curves": [each.measure.curve(ranked, plan.depths)[topics] for each in plan.families],
        "grids": [[each.measure.curve(pooled, plan.grid)[topics] for pooled in pools] for each in plan.families],
        "bounds": _bounds(ranked, plan.kept, plan, topics),
        "bounds of pools": [_bounds(pooled, plan.grid, plan, topics) for pooled in pools],
    }


def _bounds(ranked: Ranked, depths: Sequence[int], plan: EvaluationPlan, topics: np.ndarray) -> dict[str, list[Floats]]:
    """Family name -> the lowest and the highest possible scores, (topics, depths) each."""
    bounds: dict[str, list[Floats]] = {}
    for family in plan.families if plan.residual else ():
        # Once all documents are judged, none is removed: condensed lists have the bounds of plain ones.
        if family.name not in bounds:
            both = bounds_at(family.measure, ranked, depths)
            bounds[family.name] = [both.low[topics], both.high[topics]]
    return bounds


def _joined(blocks: Sequence[Any]) -> Any:
    """Concatenate the arrays of blocks of topics, which are nested in lists and dictionaries."""
    first = blocks[0]
    if len(blocks) == 1:
        return first
    if isinstance(first, dict):
        return {name: _joined([block[name] for block in blocks]) for name in first}
    if isinstance(first, list):
        return [_joined(parts) for parts in zip(*blocks, strict=True)]
    return np.concatenate(blocks)


def _residuals(bounds: dict[str, list[Floats]], depths: Sequence[int], plan: EvaluationPlan) -> Floats:
    """The residuals of the run's scores, (families, depths)."""
    measures = {family.name: family.measure for family in plan.families}
    means = {name: [measures[name].summarise(bound.T) for bound in pair] for name, pair in bounds.items()}
    residuals = {name: high - low for name, (low, high) in means.items()}
    missing = np.full(len(depths), np.nan)
    return np.stack([residuals.get(family.name, missing) for family in plan.families])
