"""Leave one group out: what its runs score without the judgments that only they brought into the pool."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.errors import MetameterError
from metameter.judge.contributed import best_ranks_over
from metameter.meta.volatility.families import Family
from metameter.parallel import Workers
from metameter.stats.checks import Floats
from metameter.stats.rank_correlation.kendall import tau_b

if TYPE_CHECKING:
    import polars as pl

    from metameter.judge.contributed import Pool
    from metameter.judge.judged_run import JudgedRun
    from metameter.meta.volatility.pooling import Pooling


Group = tuple[bool, str]


def group_table(
    pooling: Pooling,
    groups: Mapping[str, str],
    families: tuple[Family, ...],
    depth: int,
    topics: np.ndarray,
    jobs: int | Workers | None = None,
) -> pl.DataFrame:
    """Each contributing group's runs with and without the judgments that only this group brought into the pool.

    Of a group, ``change`` is the mean change of its systems' scores, ``largest`` that of the system that moves most,
    ``places`` the most places that one of its systems falls among the others. In the row of all groups every system is
    scored without its own group's judgments, and ``tau`` compares that ordering with the one by all judgments.

    Parameters
    ----------
    pooling : Pooling
    groups : mapping
        System -> group; a system that is not named is its own group.
    families : tuple of Family
    depth : int
        The evaluation depth.
    topics : ndarray of bool
        Which topics count.
    jobs : int or Workers, optional
    """
    import polars as pl

    if pooling.depth is None:
        fix = "Give pool_depth, or name the runs that contributed in contributing or judged_to."
        raise MetameterError("the pool depth is not known, so nobody's share in it is", fix=fix)
    members: dict[Group, list[int]] = {}
    for place, run in enumerate(pooling.systems):
        members.setdefault(_group(run, groups), []).append(place)
    unique = {group: _unique(pooling, groups, group, pooling.depth) for group in members}
    items = [(pooling.systems[place], unique[group]) for group, places in members.items() for place in places]
    work = partial(_with_and_without, pool=pooling.pool, families=families, depth=depth, topics=topics)
    order = [place for places in members.values() for place in places]
    scored = np.empty((len(order), 2, len(families)))
    scored[order] = list(Workers.of(jobs).map(work, items))
    found = pooling.pool.worth > 0
    rows = []
    for number, family in enumerate(families):
        full, reduced = scored[:, 0, number], scored[:, 1, number]
        start = {"metric": family.name, "condensed": family.condensed}
        for group, places in members.items():
            own = {"group": group[1], "systems": len(places), "judged": int(unique[group].sum())}
            own["relevant"] = int((unique[group] & found).sum())
            rows.append({**start, **own, **_moved(full, reduced, places), "tau": None})
        every = _moved(full, reduced, list(range(len(order))))
        total = {"group": "all", "systems": len(order), "judged": sum(int(each.sum()) for each in unique.values())}
        total["relevant"] = sum(int((each & found).sum()) for each in unique.values())
        rows.append({**start, **total, **every, "tau": float(tau_b(full, reduced))})
    return pl.DataFrame(rows, infer_schema_length=None).with_columns(pl.selectors.float().fill_nan(None))


def _group(run: JudgedRun, groups: Mapping[str, str]) -> Group:
    # A system without a group is its own one, even if some group has its name.
    return (True, groups[run.system]) if run.system in groups else (False, run.system)


def _unique(pooling: Pooling, groups: Mapping[str, str], group: Group, depth: int) -> np.ndarray:
    """Which documents of the qrels only this group has in its top ``depth``."""
    pool = pooling.pool
    others = best_ranks_over((run for run in pooling.contributing if _group(run, groups) != group), pool.rank.size)
    return np.asarray(pool.kept & (pool.rank <= depth) & (others > depth))


def _with_and_without(
    item: tuple[JudgedRun, np.ndarray], *, pool: Pool, families: tuple[Family, ...], depth: int, topics: np.ndarray
) -> Floats:
    run, unique = item
    scores = []
    for judged in (pool, pool.without(unique)):
        measures = [family.measure.at(depth) for family in families]
        blocks = run.ranked_blocks(judged, pool_ranks=False)
        scored = zip(*([each.score(ranked) for each in measures] for _, ranked in blocks), strict=True)
        by_topic = [np.concatenate(parts)[topics] for parts in scored]
        scores.append([float(each.summarise(row)) for each, row in zip(measures, by_topic, strict=True)])
    return np.array(scores)


def _moved(full: Floats, reduced: Floats, places: list[int]) -> dict[str, Any]:
    change, now = reduced[places] - full[places], full.copy()
    now[places] = reduced[places]
    fallen = [_above(now[place], now, place) - _above(full[place], full, place) for place in places]
    return {"change": float(change.mean()), "largest": float(change[np.abs(change).argmax()]), "places": max(fallen)}


def _above(score: float, means: Floats, place: int) -> int:
    """How many of the other systems are above a score; what differs by rounding is tied."""
    others = np.delete(means, place)
    return int((others > score + 1e-12 * np.abs(means).max()).sum())
