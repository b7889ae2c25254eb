"""Everything that `volatility` finds: pools, curves, orderings, the grid, and the tables made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.errors import MetameterError
from metameter.meta.sampling import refuse_strangers
from metameter.meta.volatility.asked import Asked
from metameter.meta.volatility.curves import Curves, Wanted, curves_of
from metameter.meta.volatility.depths import depth_list, thinned
from metameter.meta.volatility.families import Family, families
from metameter.meta.volatility.grid import GRID_DEPTHS, Grid, grid_of, planning_table
from metameter.meta.volatility.groups import group_table
from metameter.meta.volatility.pooling import Pooling, pooling_of
from metameter.meta.volatility.sentences import notes_of
from metameter.meta.volatility.settled_table import settled_table
from metameter.meta.volatility.summary import Evidence, summary_table
from metameter.meta.volatility.tables import curve_table, marked_table, pool_table
from metameter.notices import notice
from metameter.scoring.manifest import manifest_of
from metameter.stats.depth_bounds import DepthBounds, depth_bounds
from metameter.stats.resampled_verdicts import holds

if TYPE_CHECKING:
    import polars as pl

    from metameter.metric.base import Measure
    from metameter.scoring.judged_runs import JudgedRuns

__all__ = ["Found", "found_by"]

_MOST_CELLS = 12  # depths that are all cells of the grid; of more, the usual ones are


@dataclass(frozen=True, eq=False)
class Found:
    """The tables, and what is said of them."""

    tables: dict[str, pl.DataFrame]
    manifest: dict[str, Any]
    notes: tuple[str, ...]
    pool_depth: int | None


def found_by(judged: JudgedRuns, measures: Sequence[Measure], asked: Asked) -> Found:
    """Follow the metrics along depth, and say what that shows."""
    refuse_strangers(asked.groups or {}, judged.systems)
    pooling = pooling_of(judged, asked.judged_to, restrict_curves=asked.restrict_curves)
    rows = families(measures, asked.condensed)
    wanted = _wanted(judged, pooling, rows, asked)
    listed = wanted.listed
    followed = [*pooling.systems, *(pooling.others if asked.include_others else ())]
    curves = curves_of(followed, pooling.pool, wanted, jobs=asked.jobs, progress=asked.progress)
    mine = len(pooling.systems)
    among = np.searchsorted(wanted.depths, listed)
    means = curves.means[:, among]
    kept = [depth for depth in wanted.kept if depth in set(listed)]
    at_kept = np.searchsorted(wanted.kept, kept)
    topical = curves.topical[..., :mine]
    bounds = _bounds(topical[:, at_kept], asked)
    grid = _grid(topical, curves, pooling, wanted, mine, asked)
    at_pool = _at_pool(curves, wanted, pooling, listed, mine)
    found = Evidence(
        *(rows, listed, means[..., :mine], pooling.depth, at_pool),
        *(tuple(kept), bounds, curves.residual[:, at_kept, :mine].mean(axis=-1), grid),
    )
    names = [run.system for run in followed]
    contributed = [place < mine for place in range(len(names))] if asked.include_others else None
    systems = names[:mine]
    tables = {
        "volatility": curve_table(rows, names, listed, means, contributed),
        "volatility_summary": summary_table(found),
        "marked": marked_table(rows, systems, means[:, -1, :mine]),
        "volatility_settled": settled_table(found, asked.settled),
        "volatility_pools": pool_table(pooling),
    }
    if grid is not None:
        options: dict[str, Any] = {"alpha": asked.alpha, "resamples": asked.resamples, "seed": asked.seed}
        tables["volatility_planning"] = planning_table(rows, grid, pooling.pool, **options, jobs=asked.jobs)
    if asked.groups:
        tables["volatility_groups"] = group_table(pooling, asked.groups, rows, listed[-1], wanted.topics, asked.jobs)
    contributing = [run.system for run in pooling.contributing]
    facts = {"procedure": "volatility", "metrics": [each.label for each in rows], "depths": _spelled(listed)}
    facts |= {**asked.manifest, "pool_depth": judged.policy.pool_depth, "contributing": contributing}
    manifest = {**manifest_of(**facts), **({"inputs": judged.manifest["inputs"]} if judged.manifest else {})}
    notes = notes_of(pooling, asked, listed, tuple(kept), systems, int(wanted.topics.sum()), grid)
    return Found(tables, manifest, notes, pooling.depth)


def _wanted(judged: JudgedRuns, pooling: Pooling, rows: tuple[Family, ...], asked: Asked) -> Wanted:
    longest = max(run.width for run in judged.runs)
    depths = depth_list(asked.depths, longest)
    if asked.few_depths and asked.depths is None:
        depths = thinned(depths, asked.intervals_at)
    _refuse_unjudged(pooling, depths[-1])
    if depths[-1] > longest:
        notice(f"no list is longer than {longest:,}: what is deeper is about short lists, not about documents")
    pools: tuple[int, ...] = ()
    cells: tuple[int, ...] = ()
    if asked.grid:
        limit = pooling.depth or longest
        pools = tuple(depth for depth in asked.pool_depths if depth < limit)
        few = depths if len(depths) <= _MOST_CELLS else [depth for depth in depths if depth in GRID_DEPTHS]
        cells = tuple(sorted({*few, depths[-1]}))
        if not pools:
            fix = "Give shallower pools, or leave the grid out."
            given, allowed = ", ".join(map(str, asked.pool_depths)), f"below {limit}"
            raise MetameterError("no pool of the grid is shallower than the judgments'", given=given, allowed=allowed, fix=fix)
    kept = {*thinned(depths, asked.intervals_at), *cells}
    extra = {pooling.depth} if pooling.depth is not None and pooling.depth < depths[-1] else set()
    every = tuple(sorted({*depths, *extra}))
    return Wanted(rows, depths, every, tuple(sorted(kept)), pools, cells, _topics(judged, pooling), asked.residual)


def _refuse_unjudged(pooling: Pooling, deepest: int) -> None:
    judged = pooling.pool.kept & (pooling.pool.grade >= 0)
    if not any((judged[run.row] & (run.ranks <= deepest)).any() for run in pooling.systems):
        what = f"no run has a judged document in its first {deepest:,}"
        raise MetameterError(what, fix="Give deeper depths, or check that the judgments are those of these runs.")


def _topics(judged: JudgedRuns, pooling: Pooling) -> np.ndarray:
    if judged.policy.topics == "qrels":
        return np.ones(len(pooling.pool.topics), dtype=np.bool_)
    shared = np.all([run.length > 0 for run in judged.runs], axis=0)
    if not shared.any():
        raise MetameterError("no topic is in the qrels and in every run", fix="Set topics to qrels.")
    return np.asarray(shared)


def _bounds(topical: np.ndarray, asked: Asked) -> DepthBounds | None:
    if not asked.resamples or topical.shape[-1] < 2 or topical.shape[-2] < 2:
        return None
    options: dict[str, Any] = {"seed": asked.seed, "jobs": asked.jobs, "progress": asked.progress}
    return depth_bounds(topical, resamples=asked.resamples, **options)


def _grid(
    topical: np.ndarray, curves: Curves, pooling: Pooling, wanted: Wanted, mine: int, asked: Asked
) -> Grid | None:
    if not asked.grid:
        return None
    if mine < 2 or topical.shape[-2] < 2:
        fix = "Give more runs and judgments, or leave the grid out."
        raise MetameterError("a grid needs two systems and two topics or more", fix=fix)
    deepest = topical[:, np.searchsorted(wanted.kept, wanted.grid)]
    cells = np.concatenate([curves.shallow[..., :mine], deepest[:, None]], axis=1)
    options: dict[str, Any] = {"trials": asked.trials, "alpha": asked.alpha, "seed": asked.seed}
    return grid_of(
        (*wanted.pools, pooling.depth), wanted.grid, cells, **options, jobs=asked.jobs, progress=asked.progress
    )


def _at_pool(
    curves: Curves, wanted: Wanted, pooling: Pooling, listed: tuple[int, ...], mine: int
) -> np.ndarray | None:
    if pooling.depth is None or pooling.depth >= listed[-1]:
        return None
    return np.asarray(curves.means[:, wanted.depths.index(pooling.depth), :mine])


def _spelled(depths: Sequence[int]) -> str:
    whole = list(range(depths[0], depths[-1] + 1))
    return f"{depths[0]}-{depths[-1]}" if list(depths) == whole and len(whole) > 1 else ",".join(map(str, depths))
