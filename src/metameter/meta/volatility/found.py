"""Everything that `volatility` finds: the pool, curves, orderings, the grid, and the tables made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.caveats import FEWEST_SYSTEMS
from metameter.meta.sampling import groups_among
from metameter.meta.volatility.asked import Asked
from metameter.meta.volatility.curves import Curves, Wanted, curves_of
from metameter.meta.volatility.differences import difference_table
from metameter.meta.volatility.grid import Grid, grid_of
from metameter.meta.volatility.groups import group_table
from metameter.meta.volatility.plan import planning_table
from metameter.meta.volatility.pooling import Pooling, pooling_of
from metameter.meta.volatility.sentences import notes_of, reach_of
from metameter.meta.volatility.settled_table import settled_table
from metameter.meta.volatility.summary import Evidence, summary_table
from metameter.meta.volatility.tables import curve_table, marked_table, pool_table
from metameter.meta.volatility.wanted import topics_of, wanted_by
from metameter.scoring.manifest import manifest_of
from metameter.stats.depth_bounds import DepthBounds, depth_bounds
from metameter.types.shared_ends import STRIPPED, SharedEnds

if TYPE_CHECKING:
    import polars as pl

    from metameter.metric.base import Measure
    from metameter.scoring.judged_runs import JudgedRuns
    from metameter.stats.checks import Floats

__all__ = ["Found", "found_by"]


@dataclass(frozen=True, eq=False)
class Found:
    """The tables, and what is said of them."""

    tables: dict[str, pl.DataFrame]
    manifest: dict[str, Any]
    notes: tuple[str, ...]
    pool_depth: int | None
    judging_depth: int | None
    reach: str


def found_by(judged: JudgedRuns, measures: Sequence[Measure], asked: Asked) -> Found:
    """Follow the metrics along depth, and say what that shows."""
    known = [*judged.systems, *(run.system for run in judged.contributing or ())]
    groups = groups_among(asked.groups or {}, known, SharedEnds.noted(judged.manifest))
    topics = topics_of(judged)
    pooling = pooling_of(judged, asked.judged_to, topics=topics, restrict_curves=not asked.brief)
    wanted = wanted_by(judged, pooling, topics, measures, asked)
    followed = [*pooling.systems, *(pooling.others if asked.include_others else ())]
    curves = curves_of(followed, pooling.pool, wanted, jobs=asked.jobs, progress=asked.progress)
    evidence = _evidence(curves, pooling, wanted, asked)
    tables = _tables(curves, evidence, pooling, wanted, asked)
    if evidence.grid is not None:
        options: dict[str, Any] = {"alpha": asked.alpha, "resamples": asked.resamples, "seed": asked.seed}
        planned = planning_table(wanted.families, evidence.grid, pooling.pool, **options, jobs=asked.jobs)
        tables["volatility_planning"] = planned
    if groups:
        at = (wanted.families, wanted.listed[-1], wanted.topics)
        tables["volatility_groups"] = group_table(pooling, groups, *at, jobs=asked.jobs)
    notes = notes_of(pooling, asked, evidence, int(wanted.topics.sum()))
    reach = reach_of(pooling.judging, wanted.listed[-1])
    manifest = _manifest(judged, pooling, wanted, asked)
    return Found(tables, manifest, notes, pooling.depth, pooling.judging.depth, reach)


def _evidence(curves: Curves, pooling: Pooling, wanted: Wanted, asked: Asked) -> Evidence:
    """What the contributing systems show: their orderings are compared, those of others are not."""
    mine = len(pooling.systems)
    topical, means = curves.topical[..., :mine], curves.means[..., :mine]
    return Evidence(
        families=wanted.families,
        depths=wanted.listed,
        means=means[:, np.searchsorted(wanted.depths, wanted.listed)],
        every_depth=wanted.every,
        every_mean=means[:, np.searchsorted(wanted.depths, wanted.every)],
        pool_depth=pooling.depth,
        at_pool=_at_pool(means, pooling, wanted),
        kept=wanted.kept,
        bounds=_bounds(topical, asked),
        residual=curves.residual[..., :mine].mean(axis=-1),
        judging=pooling.judging,
        grid=_grid(topical, curves, pooling, wanted, asked),
    )


def _at_pool(means: Floats, pooling: Pooling, wanted: Wanted) -> Floats | None:
    """The means at the pool depth, if the list goes beyond it."""
    if pooling.depth is None or pooling.depth >= wanted.listed[-1]:
        return None
    return np.asarray(means[:, wanted.depths.index(pooling.depth)])


def _bounds(topical: Floats, asked: Asked) -> DepthBounds | None:
    if not asked.resamples or topical.shape[-1] < FEWEST_SYSTEMS:
        return None
    options: dict[str, Any] = {"seed": asked.seed, "jobs": asked.jobs, "progress": asked.progress}
    return depth_bounds(topical, only_final=asked.brief, resamples=asked.resamples, **options)


def _grid(topical: Floats, curves: Curves, pooling: Pooling, wanted: Wanted, asked: Asked) -> Grid | None:
    if not wanted.pools:
        return None
    mine = topical.shape[-1]
    deepest = topical[:, np.searchsorted(wanted.kept, wanted.grid)]
    cells = np.concatenate([curves.shallow[..., :mine], deepest[:, None]], axis=1)
    residual = curves.shallow_residual[..., :mine].mean(axis=-1)
    options: dict[str, Any] = {"trials": asked.trials, "alpha": asked.alpha, "seed": asked.seed}
    options |= {"jobs": asked.jobs, "progress": asked.progress}
    # Judgments beyond an inferred depth are there as well: only a depth that was given is that of all judgments.
    last = pooling.depth if pooling.given else None
    return grid_of((*wanted.pools, last), wanted.grid, cells, residual, **options)


def _tables(
    curves: Curves, evidence: Evidence, pooling: Pooling, wanted: Wanted, asked: Asked
) -> dict[str, pl.DataFrame]:
    names = [run.system for run in pooling.systems]
    others = [run.system for run in pooling.others] if asked.include_others else []
    contributed = [True] * len(names) + [False] * len(others) if others else None
    means = curves.means[:, np.searchsorted(wanted.depths, wanted.listed)]
    tables = {
        "volatility": curve_table(wanted.families, [*names, *others], wanted.listed, means, contributed),
        "volatility_summary": summary_table(evidence),
        "marked": marked_table(wanted.families, names, evidence.means[:, -1]),
    }
    if len(names) >= FEWEST_SYSTEMS:
        tables["volatility_settled"] = settled_table(evidence, asked.settled)
    elif len(names) > 1:
        tables["volatility_difference"] = difference_table(
            wanted.families, names, wanted.kept, curves.topical[..., : len(names)]
        )
    return {**tables, "volatility_pools": pool_table(pooling, wanted.topics)}


def _manifest(judged: JudgedRuns, pooling: Pooling, wanted: Wanted, asked: Asked) -> dict[str, Any]:
    facts = {
        "procedure": "volatility",
        "metrics": [family.label for family in wanted.families],
        "depths": _spelled(wanted.listed),
        "pools": list(wanted.pools) or None,
        **asked.manifest,
        **judged.policy.changed(),
        "contributing": [run.system for run in pooling.contributing],
    }
    noted = {key: judged.manifest[key] for key in ("inputs", STRIPPED) if key in judged.manifest}
    return {**manifest_of(**facts), **noted}


def _spelled(depths: Sequence[int]) -> str:
    """Depths as one would write them."""
    run = len(depths) > 2 and depths[-1] - depths[0] == len(depths) - 1
    return f"{depths[0]}-{depths[-1]}" if run else ",".join(map(str, depths))
