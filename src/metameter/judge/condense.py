"""Condensed lists: documents without judgment are removed and the gaps closed (trec_eval -J)."""

from __future__ import annotations

import numpy as np

from metameter.judge.ranked import BEYOND, JUDGED, Ranked

__all__ = ["condense"]


def condense(ranked: Ranked) -> Ranked:
    """The same run with every unjudged document removed; what the qrels hold is unchanged.

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
    kept = np.arange(ranked.depth) < length[:, None]
    status = np.where(kept, JUDGED, BEYOND).astype(np.int8)
    grade = np.where(kept, np.take_along_axis(ranked.grade, order, axis=1), 0.0)
    pool_rank = None if ranked.pool_rank is None else np.take_along_axis(ranked.pool_rank, order, axis=1)
    return Ranked(ranked.system, ranked.judgments, grade, status, length, pool_rank)
