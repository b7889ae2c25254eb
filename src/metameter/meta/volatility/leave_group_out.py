"""Leave one group out: score its runs without the judgments that only this group contributed to the pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


#: Whether the group was named, and its name or that of its only system.
Group = tuple[bool, str]


def group_table(
    pooling: Pooling,
    groups: Mapping[str, str],
    families: tuple[Family, ...],
    depth: int,
    topics: np.ndarray,
    jobs: int | Workers | None = None,
) -> pl.DataFrame:
    """The scores of each contributing group's runs with and without the judgments that only this group contributed.

    ``change`` is the mean change of the scores of a group's systems, ``largest`` the change of the system whose score
    changes most, ``places`` the largest fall in rank of one of its systems. In the row of all groups every system is
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
        raise MetameterError("the pool depth is unknown, so no group's share in the pool is known", fix=fix)
    members: dict[Group, list[int]] = {}
    for row, run in enumerate(pooling.systems):
        members.setdefault(_group(run, groups), []).append(row)
    unique = {group: _unique(pooling, groups, group, pooling.depth) for group in members}
    items = [(pooling.systems[row], unique[group]) for group, rows in members.items() for row in rows]
    work = partial(_with_and_without, pool=pooling.pool, families=families, depth=depth, topics=topics)
    order = [row for rows in members.values() for row in rows]
    scored = np.empty((len(order), 2, len(families)))
    scored[order] = list(Workers.of(jobs).map(work, items))
    relevant = pooling.pool.judged_grade > 0
    table = []
    for number, family in enumerate(families):
        full, reduced = scored[:, 0, number], scored[:, 1, number]
        kind = {"metric": family.name, "condensed": family.condensed}
        for group, rows in members.items():
            start = {**kind, "group": group[1], "systems": len(rows), **_documents([unique[group]], relevant)}
            table.append({**start, **_changes(full, reduced, rows), "tau": None})
        start = {**kind, "group": "all", "systems": len(order), **_documents([*unique.values()], relevant)}
        changes = _changes(full, reduced, list(range(len(order))))
        table.append({**start, **changes, "tau": float(tau_b(full, reduced))})
    return pl.DataFrame(table, infer_schema_length=None).with_columns(pl.selectors.float().fill_nan(None))


def _documents(unique: Sequence[np.ndarray], relevant: np.ndarray) -> dict[str, int]:
    """The numbers of judged and of relevant documents that only their group contributed, summed over groups."""
    judged = sum(int(each.sum()) for each in unique)
    return {"judged": judged, "relevant": sum(int((each & relevant).sum()) for each in unique)}


def _group(run: JudgedRun, groups: Mapping[str, str]) -> Group:
    # A system without a group is a group of its own, even if another group has its name.
    return (True, groups[run.system]) if run.system in groups else (False, run.system)


def _unique(pooling: Pooling, groups: Mapping[str, str], group: Group, depth: int) -> np.ndarray:
    """Which documents of the qrels only this group has in its top ``depth``."""
    pool = pooling.pool
    others = best_ranks_over((run for run in pooling.contributing if _group(run, groups) != group), pool.rank.size)
    return np.asarray(pool.in_pool & (pool.rank <= depth) & (others > depth))


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


def _changes(full: Floats, reduced: Floats, rows: list[int]) -> dict[str, Any]:
    """The changes of the systems in these rows if only their scores are reduced."""
    change, mixed = reduced[rows] - full[rows], full.copy()
    mixed[rows] = reduced[rows]
    falls = [_systems_above(mixed, row) - _systems_above(full, row) for row in rows]
    return {"change": float(change.mean()), "largest": float(change[np.abs(change).argmax()]), "places": max(falls)}


def _systems_above(means: Floats, row: int) -> int:
    """How many other systems have a higher mean; means that differ by rounding only are tied."""
    score, others = means[row], np.delete(means, row)
    return int((others > score + 1e-12 * np.abs(means).max()).sum())
