"""Everything that `volatility` finds: the pool, curves, orderings, the grid, and the tables made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.errors import MetameterError
from metameter.meta.framework.caveats import FEWEST_SYSTEMS
from metameter.meta.framework.sampling import groups_among
from metameter.meta.volatility.curves import Curves, Wanted, curves_of
from metameter.meta.volatility.depths import FEW, MANY, depth_list, thinned
from metameter.meta.volatility.differences import COMMON_DEPTH, difference_table
from metameter.meta.volatility.families import families
from metameter.meta.volatility.grid import GRID_DEPTHS, Grid, grid_of
from metameter.meta.volatility.options import Asked
from metameter.meta.volatility.plan import planning_table
from metameter.meta.volatility.pooling import Pooling, pooling_of
from metameter.meta.volatility.summary import Evidence, settled_table, summary_table
from metameter.meta.volatility.tables import curve_table, marked_table, pool_table
from metameter.meta.volatility.text import notes_of, reach_of
from metameter.meta.volatility.without_group import group_table
from metameter.notices import notice
from metameter.scoring.manifest import manifest_of
from metameter.stats.checks import Floats
from metameter.stats.depth.orderings import DepthBounds, depth_bounds
from metameter.types.system_names import STRIPPED, SharedEnds

if TYPE_CHECKING:
    import polars as pl

    from metameter.metric.base import Measure
    from metameter.scoring.judged_runs import JudgedRuns


_MOST_CELLS = 12  # a list of so many depths is the grid's; of a longer one, the usual depths are


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


def wanted_by(
    judged: JudgedRuns, pooling: Pooling, topics: np.ndarray, measures: Sequence[Measure], asked: Asked
) -> Wanted:
    """The scores that are needed; refused if there would be nothing to see in them."""
    longest = max(run.width for run in judged.runs)
    every = listed = depth_list(asked.depths, longest)
    # Of few systems the order at every depth that judgments reach is told, and the differences at two of them.
    few, reached = len(pooling.systems) < FEWEST_SYSTEMS, pooling.judging.depth or longest
    named = {COMMON_DEPTH, pooling.judging.depth or COMMON_DEPTH} if few else set()
    if asked.brief and asked.depths is None:
        usual = [depth for depth in GRID_DEPTHS if depth in every] if asked.grid else []
        usual += [depth for depth in every if depth <= reached] if few else []
        listed = tuple(sorted({*thinned(every, FEW), *usual}))
    _refuse_unjudged(pooling, listed[-1])
    if listed[-1] > longest:
        notice(f"no run returns more than {longest:,} documents, so depths beyond {longest:,} add nothing")
    pools, grid = _cells(pooling, listed, longest, topics, asked) if asked.grid else ((), ())
    at_pool = {pooling.depth} if pooling.depth is not None and pooling.depth < listed[-1] else set()
    return Wanted(
        families=families(measures, asked.condensed),
        listed=listed,
        every=every,
        depths=tuple(sorted({*every, *at_pool})),
        kept=tuple(sorted({*thinned(listed, FEW if asked.brief else MANY), *grid, *named.intersection(listed)})),
        pools=pools,
        grid=grid,
        topics=topics,
        residual=not asked.brief,
    )


def _cells(
    pooling: Pooling, listed: tuple[int, ...], longest: int, topics: np.ndarray, asked: Asked
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shallower pools and the evaluation depths of the grid; in a study none where there can be no grid."""
    if len(pooling.systems) < FEWEST_SYSTEMS or topics.sum() < 2:
        what = f"a grid needs {FEWEST_SYSTEMS} systems and two topics or more"
        if not asked.brief:
            given = f"{len(pooling.systems)} systems, {int(topics.sum())} topics"
            raise MetameterError(what, given=given, fix="Give more runs and judgments, or leave the grid out.")
        notice(f"no grid: {what}")
        return (), ()
    # Of a deeper pool than the judgments reach only a part is judged: it would take more judgments than there are.
    limit = pooling.judging.depth or longest
    pools = tuple(depth for depth in asked.pool_depths if depth < limit)
    if not pools and asked.brief:
        notice(f"no grid: no pool of it is shallower than the judgments' ({limit:,})")
        return (), ()
    if not pools:
        given = ", ".join(map(str, asked.pool_depths))
        what, fix = "no pool of the grid is shallower than the judgments'", "Give shallower pools, or no grid."
        raise MetameterError(what, given=given, allowed=f"below {limit}", fix=fix)
    usual = listed if len(listed) <= _MOST_CELLS else [depth for depth in listed if depth in GRID_DEPTHS]
    return pools, tuple(sorted({*usual, listed[-1]}))


def _refuse_unjudged(pooling: Pooling, deepest: int) -> None:
    judged = pooling.pool.kept & (pooling.pool.grade >= 0)
    if not any((judged[run.row] & (run.ranks <= deepest)).any() for run in pooling.systems):
        what = f"no run has a judged document in its first {deepest:,}"
        raise MetameterError(what, fix="Give deeper depths, or check that the judgments are those of these runs.")


def topics_of(judged: JudgedRuns) -> np.ndarray:
    """Which topics count: all, or those that every run has."""
    if judged.policy.topics == "qrels":
        return np.ones(len(judged.index.topics), dtype=np.bool_)
    shared = np.asarray(np.all([run.length > 0 for run in judged.runs], axis=0))
    if not shared.any():
        raise MetameterError("no topic is in the qrels and in every run", fix="Set topics to qrels (--topics qrels).")
    return shared
