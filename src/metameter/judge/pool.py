"""Pools: which documents would have been judged, had the contributing runs been pooled to a smaller depth."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.judge.align import DocumentRanks, document_ranks
from metameter.judge.index import Index, ideal_of, ranks_of_ideal
from metameter.judge.lookup import Lookup
from metameter.judge.ranked import ABSENT, BEYOND, NEVER, Judgments, Ranked

if TYPE_CHECKING:
    from metameter.types import Run


_POOL_FIX = "Call pool_ranks with those runs first."


def best_ranks(
    run: Run, index: Index, *, ties: str = "docid-desc", precision: str = "double", depth: int | None = None
) -> NDArray[np.int64]:
    """Return the rank, from 1, of each judged document in one run; `NEVER` where it is not retrieved.

    Documents are in the order of the qrels: runs can be processed in parallel, and the pool rank is the minimum over
    them.
    """
    return ranks_of_judged(document_ranks(run, index, ties=ties, precision=precision, depth=depth), index)


def ranks_of_judged(ranks: DocumentRanks, index: Index) -> NDArray[np.int64]:
    """Return the result of `best_ranks`, from document ranks that are already computed."""
    best = np.full(index.grade.size, NEVER)
    best[ranks.position] = ranks.rank[ranks.in_index] + 1
    return best


def pool_ranks(
    runs: Iterable[Run],
    index: Index,
    *,
    ties: str = "docid-desc",
    precision: str = "double",
    pool_depth: int | None = None,
) -> Index:
    """Return the index with the best rank of every judged document over the contributing runs.

    Parameters
    ----------
    runs : iterable of Run
        The contributing runs; read one at a time.
    index : Index
    ties, precision : str
        As in `align`.
    pool_depth : int, optional
        The depth to which the pool is known to be judged. From this k on, R_k (the relevant documents that some
        contributing run has in its top k) equals R.

    Examples
    --------
    >>> import polars as pl
    >>> from metameter.judge.index import index_judgments
    >>> from metameter.types import Qrels, Run
    >>> qrels = Qrels(pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "b"], "grade": [1.0, 2.0]}))
    >>> run = Run("s", pl.DataFrame({"topic": ["1", "1"], "doc": ["x", "a"], "score": [2.0, 1.0]}))
    >>> index = pool_ranks([run], index_judgments(qrels))
    >>> index.judgments.relevant_in_pools(np.array([1, 2])), index.judgments.relevant()
    (array([[0, 1]]), array([2]))
    """
    ranks = np.full(index.grade.size, NEVER)
    for run in runs:
        np.minimum(ranks, best_ranks(run, index, ties=ties, precision=precision), out=ranks)
    return with_pool_ranks(index, ranks, pool_depth)


def with_pool_ranks(index: Index, ranks: NDArray[np.int64], pool_depth: int | None = None) -> Index:
    """Return the index with the pool ranks of all documents, as `best_ranks` gives them."""
    ideal, which = ideal_of(index.topic, index.grade, len(index.topics))
    pool_rank = ranks_of_ideal(which, ranks)
    judgments = replace(index.judgments, ideal=ideal, pool_rank=pool_rank, pool_depth=pool_depth)
    return replace(index, judgments=judgments, pool_rank=ranks)


def restrict(index: Index, depth: int) -> Index:
    """Return the index as if only the top ``depth`` documents of the contributing runs had been judged.

    Other documents count as not in the qrels.
    """
    if index.pool_rank is None:
        raise MetameterError("a shallower pool needs the contributing runs", fix=_POOL_FIX)
    if depth < 1:
        fix = "Give a whole number of ranks."
        raise MetameterError("pool_depth is out of range", given=depth, allowed="1 or more", fix=fix)
    rows = np.flatnonzero(index.pool_rank <= depth)
    lookup = Lookup.of(index.topics, index.topic[rows], index.lookup.doc.take(rows))
    fewer = replace(index, lookup=lookup, topic=index.topic[rows], grade=index.grade[rows])
    return with_pool_ranks(fewer, index.pool_rank[rows], depth)


def shallow(ranked: Ranked, depth: int) -> Ranked:
    """Return the run against the judgments of a pool of depth ``depth``, without reading it again.

    Examples
    --------
    >>> judgments = Judgments(("1",), np.array([[1.0, 1.0]]), 1, np.array([[1, 20]]))
    >>> grade, status = np.ones((1, 2)), np.full((1, 2), 2, np.int8)
    >>> ranked = Ranked("s", judgments, grade, status, np.array([2]), np.array([[20, 1]]))
    >>> shallow(ranked, 10).grade, shallow(ranked, 10).judgments.ideal
    (array([[0., 1.]]), array([[ 1., -1.]]))
    """
    if ranked.pool_rank is None:
        raise MetameterError("a shallower pool needs the contributing runs", fix=_POOL_FIX)
    unknown = ranked.pool_rank > depth
    status = np.where(unknown & (ranked.status != BEYOND), ABSENT, ranked.status).astype(np.int8)
    grade = np.where(unknown, 0.0, ranked.grade)
    return replace(ranked, judgments=_shallow(ranked.judgments, depth), grade=grade, status=status, documents=None)


def _shallow(judgments: Judgments, depth: int) -> Judgments:
    def compute() -> Judgments:
        if judgments.pool_rank is None:
            raise MetameterError("a shallower pool needs the contributing runs", fix=_POOL_FIX)
        ideal = np.where(judgments.pool_rank <= depth, judgments.ideal, -1.0)
        order = np.argsort(-ideal, axis=1, kind="stable")
        ideal = np.take_along_axis(ideal, order, axis=1)
        ranks = np.where(ideal >= 0, np.take_along_axis(judgments.pool_rank, order, axis=1), NEVER)
        return replace(judgments, ideal=ideal, pool_rank=ranks, pool_depth=depth)

    return judgments.once(("pool", depth), compute)
