"""The pool that contributing runs made: how deep it is, which judgments a shallower one has, and what each adds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from metameter.errors import MetameterError
from metameter.judge.index import ideal_of, ranks_of_ideal
from metameter.judge.ranked import ABSENT, JUDGED, NEVER, POOLED, Judgments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.judge.index import Index
    from metameter.judge.judged_run import JudgedRun

__all__ = ["Pool", "best_ranks_over", "commonest_depth", "depths_judged", "judged_at_least"]


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
    kept : ndarray of bool
        Which of these judgments there are; the others are left out.
    depth : int, optional
        The depth to which judgments were restricted: from there on R_k = R.
    """

    topics: tuple[str, ...]
    max_grade: float
    topic: NDArray[np.int64]
    grade: NDArray[np.float64]
    rank: NDArray[np.int64]
    kept: NDArray[np.bool_]
    depth: int | None = None

    @classmethod
    def of(cls, index: Index, runs: Iterable[JudgedRun] = (), depth: int | None = None) -> Pool:
        """The pool of these runs; with a depth, only what stands in their top ``depth`` is judged.

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
        """The pool of the same runs, had they been judged to this depth only."""
        return replace(self, kept=self.kept & (self.rank <= depth), depth=depth)

    def without(self, unique: NDArray[np.bool_]) -> Pool:
        """The pool without some of its judgments."""
        return replace(self, kept=self.kept & ~unique)

    @cached_property
    def judgments(self) -> Judgments:
        """What metrics need of these judgments."""
        rows = np.flatnonzero(self.kept)
        ideal, which = ideal_of(self.topic[rows], self.grade[rows], len(self.topics))
        return Judgments(self.topics, ideal, self.max_grade, ranks_of_ideal(which, self.rank[rows]), self.depth)

    @cached_property
    def status(self) -> NDArray[np.int8]:
        """Of each document of the qrels: judged, in the pool without judgment, or absent from it."""
        return np.where(self.kept, np.where(self.grade < 0, POOLED, JUDGED), ABSENT).astype(np.int8)

    @cached_property
    def worth(self) -> NDArray[np.float64]:
        """The grade of each document of the qrels; 0 where there is no judgment."""
        return np.where(self.kept, np.maximum(self.grade, 0.0), 0.0)

    @property
    def judged(self) -> int:
        """How many judgments there are."""
        return int(np.count_nonzero(self.kept & (self.grade >= 0)))

    def judged_within(self, depth: int) -> int:
        """How many judgments a pool of this depth takes."""
        return int(np.count_nonzero(self.kept & (self.grade >= 0) & (self.rank <= depth)))


def best_ranks_over(runs: Iterable[JudgedRun], documents: int) -> NDArray[np.int64]:
    """The best rank, from 1, of each document of the qrels over some runs; `NEVER` if none of them has it.

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
    """Per topic the greatest d with no unjudged document in the top d of any run; at most the longest list.

    Examples
    --------
    >>> from metameter.judge.judged_run import JudgedRun
    >>> ends = [np.array([3, NEVER]), np.array([5, 2])]
    >>> empty = np.zeros(0, np.int32)
    >>> runs = [JudgedRun("s", np.array([9, 9]), empty, empty, judged_to) for judged_to in ends]
    >>> depths_judged(runs)
    array([3, 2])
    """
    longest = max(run.width for run in runs)
    return np.asarray(np.minimum(np.minimum.reduce([run.judged_to for run in runs]), longest))


def judged_at_least(runs: Sequence[JudgedRun], depth: int) -> list[JudgedRun]:
    """The runs without an unjudged document in their top ``depth``: those that surely contributed to such a pool."""
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


def commonest_depth(runs: Sequence[JudgedRun]) -> int | None:
    """The depth at which more runs have their first gap than at any other: that of the pool, if many contributed to it.

    Runs that did not contribute have their first gaps here and there, those that did have them just below the pool.
    None if no two runs end alike.

    Examples
    --------
    >>> from metameter.judge.judged_run import JudgedRun
    >>> empty = np.zeros(0, np.int32)
    >>> ends = (0, 0, 0, 3, 7, 7, 7, 9)
    >>> commonest_depth([JudgedRun("s", np.array([99]), empty, empty, np.array([end])) for end in ends])
    7
    """
    longest = max(run.width for run in runs)
    ends = np.minimum([run.judged_to.min(initial=NEVER) for run in runs], longest)
    depths, counts = np.unique(ends[ends > 0], return_counts=True)
    if not counts.size or counts.max() < 2:
        return None
    return int(depths[counts == counts.max()][-1])
