"""The analysis behind `volatility`: from judged runs to the tables, the manifest and the notes of the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.framework.caveats import FEWEST_SYSTEMS
from metameter.meta.framework.sampling import groups_among
from metameter.meta.volatility.curves import Curves, curves_of
from metameter.meta.volatility.evaluation_plan import EvaluationPlan, counted_topics, evaluation_plan
from metameter.meta.volatility.grid import Grid, grid_of, planning_table
from metameter.meta.volatility.leave_group_out import group_table
from metameter.meta.volatility.options import VolatilityOptions
from metameter.meta.volatility.pooling import Pooling, pooling_of
from metameter.meta.volatility.summary import Evidence, settled_table, summary_table
from metameter.meta.volatility.tables import curve_table, difference_table, marked_table, pool_table
from metameter.meta.volatility.text import notes_of, reach_of
from metameter.scoring.manifest import manifest_of
from metameter.stats.checks import Floats
from metameter.stats.depth.orderings import DepthBounds, depth_bounds
from metameter.types.system_names import STRIPPED, CommonAffixes

if TYPE_CHECKING:
    import polars as pl

    from metameter.metric.base import Measure
    from metameter.scoring.judged_runs import JudgedRuns


@dataclass(frozen=True, eq=False)
class Analysis:
    """The parts of a `Volatility` result; its docstring describes them."""

    tables: dict[str, pl.DataFrame]
    manifest: dict[str, Any]
    notes: tuple[str, ...]
    pool_depth: int | None
    judging_depth: int | None
    reach: str


def analyse(judged: JudgedRuns, measures: Sequence[Measure], options: VolatilityOptions) -> Analysis:
    """Score the runs at all depths and make the tables."""
    known = [*judged.systems, *(run.system for run in judged.contributing or ())]
    groups = groups_among(options.groups or {}, known, CommonAffixes.of_manifest(judged.manifest))
    topics = counted_topics(judged)
    pooling = pooling_of(judged, options.judged_to, topics=topics, restrict_curves=not options.brief)
    plan = evaluation_plan(judged, pooling, topics, measures, options)
    runs = [*pooling.systems, *(pooling.others if options.include_others else ())]
    curves = curves_of(runs, pooling.pool, plan, jobs=options.jobs, progress=options.progress)
    evidence = _evidence(curves, pooling, plan, options)
    tables = _tables(curves, evidence, pooling, plan, options)
    if evidence.grid is not None:
        tables["volatility_planning"] = planning_table(
            plan.families,
            evidence.grid,
            pooling.pool,
            alpha=options.alpha,
            resamples=options.resamples,
            seed=options.seed,
            jobs=options.jobs,
        )
    if groups:
        tables["volatility_groups"] = group_table(
            pooling, groups, plan.families, plan.listed[-1], plan.topics, jobs=options.jobs
        )
    notes = notes_of(pooling, options, evidence, int(plan.topics.sum()))
    reach = reach_of(pooling.judging, plan.listed[-1])
    manifest = _manifest(judged, pooling, plan, options)
    return Analysis(tables, manifest, notes, pooling.depth, pooling.judging.depth, reach)


def _evidence(curves: Curves, pooling: Pooling, plan: EvaluationPlan, options: VolatilityOptions) -> Evidence:
    """The scores of the contributing systems: only their orderings are compared."""
    systems = len(pooling.systems)
    topical, means = curves.topical[..., :systems], curves.means[..., :systems]
    return Evidence(
        families=plan.families,
        depths=plan.listed,
        means=means[:, np.searchsorted(plan.depths, plan.listed)],
        every_depth=plan.every,
        every_mean=means[:, np.searchsorted(plan.depths, plan.every)],
        pool_depth=pooling.depth,
        at_pool=_means_at_pool_depth(means, pooling, plan),
        kept=plan.kept,
        bounds=_bounds(topical, options),
        residual=curves.residual[..., :systems].mean(axis=-1),
        judging=pooling.judging,
        grid=_grid(topical, curves, pooling, plan, options),
    )


def _means_at_pool_depth(means: Floats, pooling: Pooling, plan: EvaluationPlan) -> Floats | None:
    """The means at the pool depth, if the listed depths go beyond it."""
    if pooling.depth is None or pooling.depth >= plan.listed[-1]:
        return None
    return np.asarray(means[:, plan.depths.index(pooling.depth)])


def _bounds(topical: Floats, options: VolatilityOptions) -> DepthBounds | None:
    if not options.resamples or topical.shape[-1] < FEWEST_SYSTEMS:
        return None
    return depth_bounds(
        topical,
        only_final=options.brief,
        resamples=options.resamples,
        seed=options.seed,
        jobs=options.jobs,
        progress=options.progress,
    )


def _grid(
    topical: Floats, curves: Curves, pooling: Pooling, plan: EvaluationPlan, options: VolatilityOptions
) -> Grid | None:
    if not plan.pools:
        return None
    systems = topical.shape[-1]
    deepest = topical[:, np.searchsorted(plan.kept, plan.grid)]
    # An inferred pool depth does not bound the judgments, some of which lie deeper; a depth that was given does.
    last = pooling.depth if pooling.given else None
    return grid_of(
        (*plan.pools, last),
        plan.grid,
        np.concatenate([curves.shallow[..., :systems], deepest[:, None]], axis=1),
        curves.shallow_residual[..., :systems].mean(axis=-1),
        trials=options.trials,
        alpha=options.alpha,
        seed=options.seed,
        jobs=options.jobs,
        progress=options.progress,
    )


def _tables(
    curves: Curves, evidence: Evidence, pooling: Pooling, plan: EvaluationPlan, options: VolatilityOptions
) -> dict[str, pl.DataFrame]:
    names = [run.system for run in pooling.systems]
    others = [run.system for run in pooling.others] if options.include_others else []
    contributed = [True] * len(names) + [False] * len(others) if others else None
    means = curves.means[:, np.searchsorted(plan.depths, plan.listed)]
    tables = {
        "volatility": curve_table(plan.families, [*names, *others], plan.listed, means, contributed),
        "volatility_summary": summary_table(evidence),
        "marked": marked_table(plan.families, names, evidence.means[:, -1]),
    }
    if len(names) >= FEWEST_SYSTEMS:
        tables["volatility_settled"] = settled_table(evidence, options.settled)
    elif len(names) > 1:
        topical = curves.topical[..., : len(names)]
        tables["volatility_difference"] = difference_table(plan.families, names, plan.kept, topical)
    return {**tables, "volatility_pools": pool_table(pooling, plan.topics)}


def _manifest(judged: JudgedRuns, pooling: Pooling, plan: EvaluationPlan, options: VolatilityOptions) -> dict[str, Any]:
    manifest = manifest_of(
        procedure="volatility",
        metrics=[family.label for family in plan.families],
        depths=_spelled(plan.listed),
        pools=list(plan.pools) or None,
        **options.manifest,
        **judged.policy.changed(),
        contributing=[run.system for run in pooling.contributing],
    )
    return {**manifest, **{key: judged.manifest[key] for key in ("inputs", STRIPPED) if key in judged.manifest}}


def _spelled(depths: Sequence[int]) -> str:
    """Depths as the option ``depths`` takes them: a range, or a list with commas."""
    is_range = len(depths) > 2 and depths[-1] - depths[0] == len(depths) - 1
    return f"{depths[0]}-{depths[-1]}" if is_range else ",".join(map(str, depths))
