"""Condensed lists: documents without judgment are removed and the gaps closed (trec_eval -J)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from metameter.judge.faceted import Faceted
from metameter.judge.ranked import BEYOND, JUDGED, Ranked


def condense(ranked: Ranked) -> Ranked:
    """Return the run without its unjudged documents; the judgments stay the same.

    Examples
    --------
    >>> condense(Ranked.of_gains([None, 1, None, 0.5])).grade
    array([[1. , 0.5, 0. , 0. ]])
    """
    return ranked.once("condensed", lambda: _condense(ranked))


def _condense(ranked: Ranked) -> Ranked:
    judged = ranked.status == JUDGED
    order = np.argsort(~judged, axis=1, kind="stable")
    length = judged.sum(axis=1)
    within = np.arange(ranked.depth) < length[:, None]
    status = np.where(within, JUDGED, BEYOND).astype(np.int8)
    grade = np.where(within, np.take_along_axis(ranked.grade, order, axis=1), 0.0)
    pool_rank = None if ranked.pool_rank is None else np.take_along_axis(ranked.pool_rank, order, axis=1)
    tied = None if ranked.tied is None else _first_of(np.take_along_axis(ranked.tied, order, axis=1), within)
    costs = None if ranked.costs is None else np.where(within, np.take_along_axis(ranked.costs, order, axis=1), 1.0)
    condensed = replace(
        ranked,
        grade=grade,
        status=status,
        length=length,
        pool_rank=pool_rank,
        tied=tied,
        costs=costs,
        documents=None,
    )
    if not isinstance(condensed, Faceted):
        return condensed
    return replace(condensed, seen=condensed.with_ranks(np.where(judged, np.cumsum(judged, axis=1) - 1, -1)))


def _first_of(group: NDArray[np.int64], within: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the first rank of each group of ties in the shorter list; each rank beyond its end is its own group."""
    rank = np.arange(group.shape[1])
    begins = np.ones(group.shape, dtype=np.bool_)
    begins[:, 1:] = (group[:, 1:] != group[:, :-1]) | ~within[:, 1:]
    return np.asarray(np.maximum.accumulate(np.where(begins, rank, 0), axis=1))
