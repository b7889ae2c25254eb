"""Scores by depth: the plan of metrics, depths, pools and topics, and the scores of all systems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.errors import MetameterError
from metameter.judge.pool import shallow
from metameter.meta.framework.caveats import FEWEST_SYSTEMS
from metameter.meta.volatility.families import Family, families
from metameter.meta.volatility.grid import GRID_DEPTHS
from metameter.meta.volatility.options import COMMON_DEPTH, FEW, MANY, VolatilityOptions, depth_list, spread_depths
from metameter.meta.volatility.pooling import Pooling
from metameter.metric.residual import bounds_at
from metameter.notices import notice
from metameter.parallel import Workers, reported

if TYPE_CHECKING:
    from metameter.judge.contributed import Pool
    from metameter.judge.judged_run import JudgedRun
    from metameter.judge.ranked import Ranked
    from metameter.metric.base import Measure
    from metameter.scoring.judged_runs import JudgedRuns
    from metameter.stats.checks import Floats


#: The grid has all listed depths up to this number; of longer lists it has those of GRID_DEPTHS.
_MOST_CELLS = 12


@dataclass(frozen=True, eq=False)
class EvaluationPlan:
    """Which scores are computed.

    Attributes
    ----------
    families : tuple of Family
    listed : tuple of int
        The depths of the tables; the last is the final depth.
    every : tuple of int
        The depths at which the ordering is checked to be settled: all depths, even if a study lists only some.
    depths : tuple of int
        The depths at which means over topics are computed: ``every``, and the pool depth.
    topic_depths : tuple of int
        The depths at which the scores of every topic are stored.
    pools : tuple of int
        The shallower pools of the grid.
    grid : tuple of int
        The evaluation depths of the grid, at which the scores of every topic are stored for each pool.
    topics : ndarray of bool
        Which topics count.
    residual : bool
        Whether residuals are computed, at ``topic_depths``.
    """

    families: tuple[Family, ...]
    listed: tuple[int, ...]
    every: tuple[int, ...]
    depths: tuple[int, ...]
    topic_depths: tuple[int, ...]
    pools: tuple[int, ...]
    grid: tuple[int, ...]
    topics: np.ndarray
    residual: bool


def evaluation_plan(
    judged: JudgedRuns, pooling: Pooling, topics: np.ndarray, measures: Sequence[Measure], options: VolatilityOptions
) -> EvaluationPlan:
    """Return the plan; refuse depths at which no run has a judged document."""
    longest = max(run.width for run in judged.runs)
    every = listed = depth_list(options.depths, longest)
    # The answer about few systems gives their order at every judged depth, and their differences at two depths.
    few_systems, reached = len(pooling.systems) < FEWEST_SYSTEMS, pooling.judging.depth or longest
    in_answer = {COMMON_DEPTH, pooling.judging.depth or COMMON_DEPTH} if few_systems else set()
    if options.brief and options.depths is None:
        added = [depth for depth in GRID_DEPTHS if depth in every] if options.grid else []
        added += [depth for depth in every if depth <= reached] if few_systems else []
        listed = tuple(sorted({*spread_depths(every, FEW), *added}))
    _refuse_unjudged(pooling, listed[-1])
    if listed[-1] > longest:
        notice(f"no run returns more than {longest:,} documents, so depths beyond {longest:,} add nothing")
    pools, grid = _cells(pooling, listed, longest, topics, options) if options.grid else ((), ())
    at_pool = {pooling.depth} if pooling.depth is not None and pooling.depth < listed[-1] else set()
    return EvaluationPlan(
        families=families(measures, options.condensed),
        listed=listed,
        every=every,
        depths=tuple(sorted({*every, *at_pool})),
        topic_depths=tuple(
            sorted({*spread_depths(listed, FEW if options.brief else MANY), *grid, *in_answer & {*listed}})
        ),
        pools=pools,
        grid=grid,
        topics=topics,
        residual=not options.brief,
    )


def _cells(
    pooling: Pooling, listed: tuple[int, ...], longest: int, topics: np.ndarray, options: VolatilityOptions
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The pool depths and the evaluation depths of the grid; in a study both empty where no grid is possible."""
    if len(pooling.systems) < FEWEST_SYSTEMS or topics.sum() < 2:
        what = f"a grid needs {FEWEST_SYSTEMS} systems and two topics or more"
        if not options.brief:
            sizes = f"{len(pooling.systems)} systems, {int(topics.sum())} topics"
            raise MetameterError(what, given=sizes, fix="Give more runs and judgments, or leave the grid out.")
        notice(f"no grid: {what}")
        return (), ()
    # A pool deeper than the judgments is judged in part only: it would take more judgments than there are.
    limit = pooling.judging.depth or longest
    pools = tuple(depth for depth in options.pool_depths if depth < limit)
    if not pools and options.brief:
        notice(f"no grid: none of its pools is shallower than the judgments ({limit:,})")
        return (), ()
    if not pools:
        depths = ", ".join(map(str, options.pool_depths))
        what, fix = "no pool of the grid is shallower than the judgments", "Give shallower pools, or no grid."
        raise MetameterError(what, given=depths, allowed=f"below {limit}", fix=fix)
    chosen = listed if len(listed) <= _MOST_CELLS else [depth for depth in listed if depth in GRID_DEPTHS]
    return pools, tuple(sorted({*chosen, listed[-1]}))


def _refuse_unjudged(pooling: Pooling, deepest: int) -> None:
    judged = pooling.pool.in_pool & (pooling.pool.grade >= 0)
    if not any((judged[run.row] & (run.ranks <= deepest)).any() for run in pooling.systems):
        what = f"no run has a judged document in its first {deepest:,}"
        raise MetameterError(what, fix="Give deeper depths, or check that the judgments are those of these runs.")


def counted_topics(judged: JudgedRuns) -> np.ndarray:
    """Which topics count: all of the qrels, or those that every run has."""
    if judged.policy.topics == "qrels":
        return np.ones(len(judged.index.topics), dtype=np.bool_)
    shared = np.asarray(np.all([run.length > 0 for run in judged.runs], axis=0))
    if not shared.any():
        raise MetameterError("no topic is in the qrels and in every run", fix="Set topics to qrels (--topics qrels).")
    return shared


@dataclass(frozen=True, eq=False)
class Curves:
    """The scores of all systems.

    Attributes
    ----------
    means : ndarray, (families, depths, systems)
    topical : ndarray, (families, topic depths, topics, systems)
    shallow : ndarray, (families, pools, grid, topics, systems)
    residual : ndarray, (families, topic depths, systems)
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
    arrays = _concatenate([_score_block(ranked, plan, plan.topics[topics]) for topics, ranked in blocks])
    at_topic_depths = np.searchsorted(plan.depths, plan.topic_depths)
    # One row of topics per depth, as in `score`: the same sums in the same order.
    by_depth = [np.ascontiguousarray(curve.T) for curve in arrays["curves"]]
    grids = [[curve.T for curve in pools] for pools in arrays["grids"]]
    means = [each.measure.summarise(curve) for each, curve in zip(plan.families, by_depth, strict=True)]
    size = (len(plan.families), len(plan.pools), len(plan.grid))
    shallow_residuals = [_residuals(bounds, plan.grid, plan) for bounds in arrays["bounds of pools"]]
    return {
        "means": np.stack(means),
        "topical": np.stack([curve[at_topic_depths] for curve in by_depth]),
        "shallow": np.array(grids, dtype=np.float64).reshape(*size, int(plan.topics.sum())),
        "residual": _residuals(arrays["bounds"], plan.topic_depths, plan),
        "shallow_residual": np.stack(shallow_residuals, axis=1) if shallow_residuals else np.empty(size),
    }


def _score_block(ranked: Ranked, plan: EvaluationPlan, topics: np.ndarray) -> dict[str, Any]:
    """The scores and bounds of a block of topics; the first axis of every array is that of the topics that count."""
    pools = [shallow(ranked, depth) for depth in plan.pools]
    return {
        "curves": [each.measure.curve(ranked, plan.depths)[topics] for each in plan.families],
        "grids": [[each.measure.curve(pooled, plan.grid)[topics] for pooled in pools] for each in plan.families],
        "bounds": _bounds(ranked, plan.topic_depths, plan, topics),
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


def _concatenate(blocks: Sequence[Any]) -> Any:
    """Concatenate the arrays of blocks of topics, which are nested in lists and dictionaries."""
    first = blocks[0]
    if len(blocks) == 1:
        return first
    if isinstance(first, dict):
        return {name: _concatenate([block[name] for block in blocks]) for name in first}
    if isinstance(first, list):
        return [_concatenate(parts) for parts in zip(*blocks, strict=True)]
    return np.concatenate(blocks)


def _residuals(bounds: dict[str, list[Floats]], depths: Sequence[int], plan: EvaluationPlan) -> Floats:
    """The residuals of the run's scores, (families, depths)."""
    measures = {family.name: family.measure for family in plan.families}
    means = {name: [measures[name].summarise(bound.T) for bound in pair] for name, pair in bounds.items()}
    residuals = {name: high - low for name, (low, high) in means.items()}
    missing = np.full(len(depths), np.nan)
    return np.stack([residuals.get(family.name, missing) for family in plan.families])
