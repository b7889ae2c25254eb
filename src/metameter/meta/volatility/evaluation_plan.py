"""The evaluation plan: which metrics are scored at which depths, for which pools and topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metameter.errors import MetameterError
from metameter.meta.framework.caveats import FEWEST_SYSTEMS
from metameter.meta.volatility.families import Family, families
from metameter.meta.volatility.grid import GRID_DEPTHS
from metameter.meta.volatility.options import COMMON_DEPTH, FEW, MANY, VolatilityOptions, depth_list, thinned
from metameter.meta.volatility.pooling import Pooling
from metameter.notices import notice

if TYPE_CHECKING:
    from metameter.metric.base import Measure
    from metameter.scoring.judged_runs import JudgedRuns


_MOST_CELLS = 12  # the grid takes all listed depths up to this number, and of longer lists those of GRID_DEPTHS


@dataclass(frozen=True, eq=False)
class EvaluationPlan:
    """Which scores are computed.

    Attributes
    ----------
    families : tuple of Family
    listed : tuple of int
        The depths of the tables; the last is the final depth.
    every : tuple of int
        The depths at which the ordering is checked to be settled: all of them, also where a study lists only some.
    depths : tuple of int
        The depths at which means over topics are computed: ``every``, and the pool depth.
    kept : tuple of int
        The depths at which the scores of every topic are kept.
    pools : tuple of int
        The shallower pools of the grid.
    grid : tuple of int
        The evaluation depths of the grid, at which the scores of every topic are kept for each pool.
    topics : ndarray of bool
        Which topics count.
    residual : bool
        Whether residuals are computed, at the depths ``kept``.
    """

    families: tuple[Family, ...]
    listed: tuple[int, ...]
    every: tuple[int, ...]
    depths: tuple[int, ...]
    kept: tuple[int, ...]
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
        listed = tuple(sorted({*thinned(every, FEW), *added}))
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
        kept=tuple(sorted({*thinned(listed, FEW if options.brief else MANY), *grid, *in_answer.intersection(listed)})),
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
            given = f"{len(pooling.systems)} systems, {int(topics.sum())} topics"
            raise MetameterError(what, given=given, fix="Give more runs and judgments, or leave the grid out.")
        notice(f"no grid: {what}")
        return (), ()
    # A pool deeper than the judgments is judged in part only: it would take more judgments than there are.
    limit = pooling.judging.depth or longest
    pools = tuple(depth for depth in options.pool_depths if depth < limit)
    if not pools and options.brief:
        notice(f"no grid: none of its pools is shallower than the judgments ({limit:,})")
        return (), ()
    if not pools:
        given = ", ".join(map(str, options.pool_depths))
        what, fix = "no pool of the grid is shallower than the judgments", "Give shallower pools, or no grid."
        raise MetameterError(what, given=given, allowed=f"below {limit}", fix=fix)
    depths = listed if len(listed) <= _MOST_CELLS else [depth for depth in listed if depth in GRID_DEPTHS]
    return pools, tuple(sorted({*depths, listed[-1]}))


def _refuse_unjudged(pooling: Pooling, deepest: int) -> None:
    judged = pooling.pool.kept & (pooling.pool.grade >= 0)
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
