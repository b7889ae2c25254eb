"""Scores along the ranks: every system, metric and depth, plain and condensed, for one pool or several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.judge.pool import shallow
from metameter.meta.volatility.families import Family
from metameter.metric.residual import bounds_at
from metameter.parallel import Workers, reported

if TYPE_CHECKING:
    from collections.abc import Callable

    from metameter.judge.contributed import Pool
    from metameter.judge.judged_run import JudgedRun
    from metameter.judge.ranked import Ranked
    from metameter.stats.checks import Floats


@dataclass(frozen=True, eq=False)
class Wanted:
    """Which scores are wanted.

    Attributes
    ----------
    families : tuple of Family
    listed : tuple of int
        The depths of the tables; the last is the final one.
    every : tuple of int
        The depths among which the one is found from which on orderings are settled: all of them, where a study lists
        only some.
    depths : tuple of int
        Where means are wanted: at every depth, and at the pool depth.
    kept : tuple of int
        The depths at which the scores of every topic are kept.
    pools : tuple of int
        Shallower pools; and the depths at which topics' scores are kept there.
    grid : tuple of int
    topics : ndarray of bool
        Which topics count.
    residual : bool
        Whether residuals are wanted at the kept depths.
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


@dataclass(frozen=True, eq=False)
class Curves:
    """The scores of all systems.

    Attributes
    ----------
    means : ndarray, (families, depths, systems)
    topical : ndarray, (families, kept, topics, systems)
    shallow : ndarray, (families, pools, grid, topics, systems)
    residual : ndarray, (families, kept, systems)
        The residual of each system's score; NaN if it was not asked for.
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
    wanted: Wanted,
    *,
    jobs: int | Workers | None = None,
    progress: Callable[..., None] | None = None,
) -> Curves:
    """Score all runs at all depths; each run is gone through once."""
    done = Workers.of(jobs).map(_of_run, runs, pool=pool, wanted=wanted)
    every = list(reported(done, len(runs), "curves", progress))
    parts = ("means", "topical", "shallow", "residual", "shallow_residual")
    return Curves(*(np.stack([each[part] for each in every], axis=-1) for part in parts))


def _of_run(run: JudgedRun, *, pool: Pool, wanted: Wanted) -> dict[str, Floats]:
    blocks = run.ranked_blocks(pool, pool_ranks=bool(wanted.pools))
    found = _joined([_of_block(ranked, wanted, wanted.topics[topics]) for topics, ranked in blocks])
    kept = np.searchsorted(wanted.depths, wanted.kept)
    # Rows of topics, as score has them: the same sums in the same order.
    by_depth = [np.ascontiguousarray(curve.T) for curve in found["curves"]]
    grids = [[curve.T for curve in pools] for pools in found["grids"]]
    means = [each.measure.summarise(curve) for each, curve in zip(wanted.families, by_depth, strict=True)]
    size = (len(wanted.families), len(wanted.pools), len(wanted.grid))
    open_there = [_residuals(ends, wanted.grid, wanted) for ends in found["ends of pools"]]
    return {
        "means": np.stack(means),
        "topical": np.stack([curve[kept] for curve in by_depth]),
        "shallow": np.array(grids, dtype=np.float64).reshape(*size, int(wanted.topics.sum())),
        "residual": _residuals(found["ends"], wanted.kept, wanted),
        "shallow_residual": np.stack(open_there, axis=1) if open_there else np.empty(size),
    }


def _of_block(ranked: Ranked, wanted: Wanted, topics: np.ndarray) -> dict[str, Any]:
    """What is found in a block of topics; the first axis of every array is that of the topics that count."""
    pools = [shallow(ranked, depth) for depth in wanted.pools]
    return {
        "curves": [each.measure.curve(ranked, wanted.depths)[topics] for each in wanted.families],
        "grids": [[each.measure.curve(pooled, wanted.grid)[topics] for pooled in pools] for each in wanted.families],
        "ends": _ends(ranked, wanted.kept, wanted, topics),
        "ends of pools": [_ends(pooled, wanted.grid, wanted, topics) for pooled in pools],
    }


def _ends(ranked: Ranked, depths: Sequence[int], wanted: Wanted, topics: np.ndarray) -> dict[str, list[Floats]]:
    """The lowest and the highest scores, (topics, depths), by the name of the family."""
    found: dict[str, list[Floats]] = {}
    for family in wanted.families if wanted.residual else ():
        # Once all documents are judged, none is removed: condensed lists have the bounds of plain ones.
        if family.name not in found:
            both = bounds_at(family.measure, ranked, depths)
            found[family.name] = [both.low[topics], both.high[topics]]
    return found


def _joined(blocks: Sequence[Any]) -> Any:
    """The arrays of blocks of topics as those of all topics, in lists and dictionaries like theirs."""
    first = blocks[0]
    if len(blocks) == 1:
        return first
    if isinstance(first, dict):
        return {name: _joined([block[name] for block in blocks]) for name in first}
    if isinstance(first, list):
        return [_joined(parts) for parts in zip(*blocks, strict=True)]
    return np.concatenate(blocks)


def _residuals(ends: dict[str, list[Floats]], depths: Sequence[int], wanted: Wanted) -> Floats:
    """The residuals of the run's scores, (families, depths)."""
    measures = {family.name: family.measure for family in wanted.families}
    both = {name: [measures[name].summarise(end.T) for end in pair] for name, pair in ends.items()}
    found = {name: high - low for name, (low, high) in both.items()}
    nothing = np.full(len(depths), np.nan)
    return np.stack([found.get(family.name, nothing) for family in wanted.families])
