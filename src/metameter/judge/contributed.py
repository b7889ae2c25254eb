"""The pool of contributing runs: its depth, its judgments, and those of shallower pools."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.judge.index import ideal_of, ranks_of_ideal
from metameter.judge.ranked import ABSENT, JUDGED, NEVER, POOLED, Judgments

if TYPE_CHECKING:
    from metameter.judge.index import Index
    from metameter.judge.judged_run import JudgedRun

__all__ = [
    *("FEWEST_SHARING", "WELL_JUDGED", "CommonestDepth", "JudgingDepth", "Pool", "best_ranks_over", "commonest_depth"),
    *("depths_judged", "judged_at_least", "judging_depth"),
]

#: If at least this many runs have their first unjudged document at one depth, that is the depth of the pool.
FEWEST_SHARING = 10
#: Lists count as judged if at least this share of their documents is judged.
WELL_JUDGED = 0.95


@dataclass(frozen=True, eq=False)
class Pool:
    """The judgments, and the best rank of each judged document over the contributing runs.

    Attributes
    ----------
    topics : tuple of str
    max_grade : float
    topic, grade : ndarray
        The topic's number and the grade of each document, in the order of the qrels.
    rank : ndarray
        The best rank of each over the contributing runs, from 1; `NEVER` if none has it.
    in_pool : ndarray of bool
        Whether each of these judgments is in the pool.
    depth : int, optional
        The depth to which judgments were restricted: from there on R_k = R.
    """

    topics: tuple[str, ...]
    max_grade: float
    topic: NDArray[np.int64]
    grade: NDArray[np.float64]
    rank: NDArray[np.int64]
    in_pool: NDArray[np.bool_]
    depth: int | None = None

    @classmethod
    def of(cls, index: Index, runs: Iterable[JudgedRun] = (), depth: int | None = None) -> Pool:
        """The pool of these runs; with a depth, only documents in their top ``depth`` are judged.

        Examples
        --------
        >>> import polars as pl
        >>> from metameter.judge.index import index_judgments
        >>> from metameter.types import Qrels
        >>> qrels = Qrels(pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "b"], "grade": [1.0, 0.0]}))
        >>> Pool.of(index_judgments(qrels)).judgments.ideal
        array([[1., 0.]])
        """
        topic, grade = index.topic, index.grade
        judgments, every = index.judgments, np.ones(grade.size, np.bool_)
        whole = cls(judgments.topics, judgments.max_grade, topic, grade, best_ranks_over(runs, grade.size), every)
        return whole if depth is None else whole.shallower(depth)

    def shallower(self, depth: int) -> Pool:
        """The pool of the same runs, judged to this depth only."""
        return replace(self, in_pool=self.in_pool & (self.rank <= depth), depth=depth)

    def without(self, unique: NDArray[np.bool_]) -> Pool:
        """The pool without the judgments for which ``unique`` is True."""
        return replace(self, in_pool=self.in_pool & ~unique)

    @cached_property
    def judgments(self) -> Judgments:
        """What metrics need of these judgments."""
        rows = np.flatnonzero(self.in_pool)
        ideal, which = ideal_of(self.topic[rows], self.grade[rows], len(self.topics))
        return Judgments(self.topics, ideal, self.max_grade, ranks_of_ideal(which, self.rank[rows]), self.depth)

    @cached_property
    def status(self) -> NDArray[np.int8]:
        """The status of each document of the qrels: judged, in the pool without judgment, or absent from it."""
        return np.where(self.in_pool, np.where(self.grade < 0, POOLED, JUDGED), ABSENT).astype(np.int8)

    @cached_property
    def judged_grade(self) -> NDArray[np.float64]:
        """The grade of each document of the qrels; 0 where there is no judgment."""
        return np.where(self.in_pool, np.maximum(self.grade, 0.0), 0.0)

    @property
    def judged(self) -> int:
        """The number of judgments."""
        return int(np.count_nonzero(self.in_pool & (self.grade >= 0)))

    def judged_within(self, depth: int) -> int:
        """The number of judgments that a pool of this depth needs."""
        return int(np.count_nonzero(self.in_pool & (self.grade >= 0) & (self.rank <= depth)))


def best_ranks_over(runs: Iterable[JudgedRun], documents: int) -> NDArray[np.int64]:
    """Return the best rank, from 1, of each document of the qrels over some runs; `NEVER` if no run retrieves it.

    Examples
    --------
    >>> from metameter.judge.judged_run import JudgedRun
    >>> length, rows = np.array([9]), np.array([0, 1])
    >>> runs = [JudgedRun("s", length, np.array(cells), rows, length) for cells in ([0, 4], [2, 1])]
    >>> best_ranks_over(runs, 2)
    array([1, 2])
    """
    rank = np.full(documents, NEVER)
    for run in runs:
        rank[run.row] = np.minimum(rank[run.row], run.ranks)
    return rank


def depths_judged(runs: Sequence[JudgedRun]) -> NDArray[np.int64]:
    """Return, per topic, the greatest d with no unjudged document in the top d of any run; at most the longest list.

    Examples
    --------
    >>> from metameter.judge.judged_run import JudgedRun
    >>> gaps = [np.array([3, NEVER]), np.array([5, 2])]
    >>> empty = np.zeros(0, np.int32)
    >>> runs = [JudgedRun("s", np.array([9, 9]), empty, empty, judged_to) for judged_to in gaps]
    >>> depths_judged(runs)
    array([3, 2])
    """
    longest = max(run.width for run in runs)
    return np.asarray(np.minimum(np.minimum.reduce([run.judged_to for run in runs]), longest))


def judged_at_least(runs: Sequence[JudgedRun], depth: int) -> list[JudgedRun]:
    """Return the runs without an unjudged document in their top ``depth``: they may have contributed to that pool."""
    sure = [run for run in runs if run.judged_to.min(initial=NEVER) >= depth]
    if not sure:
        deepest = max(int(run.judged_to.min(initial=NEVER)) for run in runs)
        raise MetameterError(
            f"every run has an unjudged document in its first {depth}",
            given=depth,
            allowed=f"at most {deepest}" if deepest else "a list of contributing runs",
            fix="Give a smaller depth, or name the contributing runs in a file.",
        )
    return sure


class CommonestDepth(NamedTuple):
    """The depth at which more runs have their first unjudged document than at any other.

    Attributes
    ----------
    depths : tuple of int
        The most common number of documents above the first unjudged one, not counting 0; several if equally common.
    runs : int
        The number of runs with each of these depths.
    """

    depths: tuple[int, ...]
    runs: int

    @property
    def pool_depth(self) -> int | None:
        """The depth of the pool, if it is one depth and `FEWEST_SHARING` runs share it; otherwise None."""
        return self.depths[0] if len(self.depths) == 1 and self.runs >= FEWEST_SHARING else None


def commonest_depth(runs: Sequence[JudgedRun]) -> CommonestDepth:
    """Return the depth at which most runs have their first unjudged document: the pool depth, if many contributed.

    The first gaps of runs that did not contribute are scattered; those of contributing runs lie just below the pool.

    Examples
    --------
    >>> from metameter.judge.judged_run import JudgedRun
    >>> empty = np.zeros(0, np.int32)
    >>> gaps = (*[0] * 20, 3, *[7] * 12, 9)
    >>> commonest = commonest_depth([JudgedRun("s", np.array([99]), empty, empty, np.array([gap])) for gap in gaps])
    >>> commonest, commonest.pool_depth
    (CommonestDepth(depths=(7,), runs=12), 7)
    """
    longest = max(run.width for run in runs)
    gaps = np.minimum([run.judged_to.min(initial=NEVER) for run in runs], longest)
    depths, counts = np.unique(gaps[gaps > 0], return_counts=True)
    if not counts.size:
        return CommonestDepth((), 0)
    return CommonestDepth(tuple(int(depth) for depth in depths[counts == counts.max()]), int(counts.max()))


@dataclass(frozen=True, eq=False)
class JudgingDepth:
    """How deep judgments reach in the lists of some systems.

    Attributes
    ----------
    depth : int or None
        The judging depth; None if no depth is judged well enough.
    shares : ndarray, (longest list,)
        judged@k of the systems for k = 1, 2, ...: the share of the documents retrieved down to k that are judged.
    by_share : bool
        Whether the depth follows from these shares, since the depth of the pool is not known.
    """

    depth: int | None
    shares: NDArray[np.float64]
    by_share: bool = False

    def share(self, depth: int) -> float:
        """judged@depth; beyond the longest list, that of the whole lists."""
        return float(self.shares[min(depth, self.shares.size) - 1])


def judging_depth(
    runs: Sequence[JudgedRun], pool: Pool, topics: NDArray[np.bool_], known: int | None = None
) -> JudgingDepth:
    """Estimate how deep the judgments reach.

    That is the depth of the pool where it is known or where the first gaps of the runs show it. Otherwise it is the
    deepest k with judged@k of at least `WELL_JUDGED`, reduced to the deepest rank up to k at which at least this share
    of the documents is judged: judged@k is cumulative, so it falls only slowly below the pool.

    Parameters
    ----------
    runs : sequence of JudgedRun
        The systems.
    pool : Pool
        The judgments.
    topics : ndarray of bool
        Which topics count.
    known : int, optional
        The depth of the pool.

    Examples
    --------
    >>> from metameter.judge.judged_run import JudgedRun
    >>> grade = np.ones(5)
    >>> pool = Pool(("1",), 1.0, np.zeros(5, np.int64), grade, np.arange(5), np.ones(5, np.bool_))
    >>> run = JudgedRun("s", np.array([9]), np.array([0, 1, 2, 3, 6]), np.arange(5), np.array([4]))
    >>> judging = judging_depth([run], pool, np.array([True]))  # ranks 1 to 4 and 7 of 9 are judged
    >>> judging.depth, judging.shares.round(2)
    (4, array([1.  , 1.  , 1.  , 1.  , 0.8 , 0.67, 0.71, 0.62, 0.56]))
    """
    judged, retrieved = _judged_by_rank(runs, pool, topics)
    shares = np.cumsum(judged) / np.maximum(np.cumsum(retrieved), 1)
    depth = known or commonest_depth(runs).pool_depth
    if depth is not None:
        return JudgingDepth(depth, shares)
    enough = np.flatnonzero(shares >= WELL_JUDGED)
    within = np.arange(judged.size) <= enough.max(initial=-1)
    full = np.flatnonzero(within & (judged >= WELL_JUDGED * retrieved) & (retrieved > 0))
    return JudgingDepth(int(full.max()) + 1 if full.size else None, shares, by_share=True)


def _judged_by_rank(
    runs: Sequence[JudgedRun], pool: Pool, topics: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The number of judged documents at each rank, and of all documents."""
    longest = max(run.width for run in runs)
    judged, lengths = np.zeros(longest, np.int64), np.zeros(longest + 1, np.int64)
    for run in runs:
        counted = (pool.status[run.row] == JUDGED) & topics[pool.topic[run.row]]
        judged += np.bincount(run.ranks[counted] - 1, minlength=longest)
        lengths += np.bincount(run.length[topics], minlength=longest + 1)
    return judged, lengths[:0:-1].cumsum()[::-1]
