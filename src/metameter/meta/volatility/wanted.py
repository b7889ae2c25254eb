"""Which scores `volatility` needs: depths, pools, cells and topics, from what was asked and from what there is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from metameter.errors import MetameterError
from metameter.meta.caveats import FEWEST_SYSTEMS
from metameter.meta.volatility.asked import Asked
from metameter.meta.volatility.curves import Wanted
from metameter.meta.volatility.depths import FEW, MANY, depth_list, thinned
from metameter.meta.volatility.differences import COMMON_DEPTH
from metameter.meta.volatility.families import families
from metameter.meta.volatility.grid import GRID_DEPTHS
from metameter.meta.volatility.pooling import Pooling
from metameter.notices import notice

if TYPE_CHECKING:
    from metameter.metric.base import Measure
    from metameter.scoring.judged_runs import JudgedRuns

__all__ = ["topics_of", "wanted_by"]

_MOST_CELLS = 12  # a list of so many depths is the grid's; of a longer one, the usual depths are


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
