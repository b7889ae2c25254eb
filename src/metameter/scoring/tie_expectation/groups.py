"""Groups of documents with equal scores, and which of their documents a metric can tell apart."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.judge.gain import gains_of
from metameter.judge.ranked import Ranked
from metameter.metric.base import Measure, Metric
from metameter.metric.classic.relevance import Binary, Graded
from metameter.metric.product import Product


@dataclass(frozen=True)
class Group:
    """Documents with equal scores that are of several kinds.

    Attributes
    ----------
    start, reached : int
        The first rank (from 0), and how many of the ranks the metric looks at.
    counts : tuple of int
        How many documents there are of each kind.
    examples : tuple of int
        A rank that holds a document of each kind.
    """

    start: int
    reached: int
    counts: tuple[int, ...]
    examples: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of documents."""
        return sum(self.counts)


@dataclass(frozen=True, eq=False)
class Ties:
    """The ties of a run whose order may change the score of a metric.

    Attributes
    ----------
    kind : ndarray, topics x depth
        Documents that the metric cannot tell apart have the same number.
    tied : ndarray, topics x depth
        The first rank of the documents with the same score.
    mixed : ndarray, topics x depth
        Whether the document is of another kind than the first of its group.
    reach : int
        How many ranks the metric looks at.
    """

    kind: NDArray[np.int64]
    tied: NDArray[np.int64]
    mixed: NDArray[np.bool_]
    reach: int

    @property
    def matter(self) -> bool:
        """Whether the order of any group can change a score."""
        return bool(self.mixed.any())

    @property
    def topics(self) -> list[int]:
        """The topics where the order of a group can change a score."""
        return [int(topic) for topic in np.flatnonzero(self.mixed.any(axis=1))]

    def groups(self, topic: int) -> list[Group]:
        """Return the groups of a topic whose order can change its score."""
        starts = np.unique(self.tied[topic][self.mixed[topic]])
        return [self._group(topic, int(start)) for start in starts]

    def _group(self, topic: int, start: int) -> Group:
        members = np.flatnonzero(self.tied[topic] == start)
        _, first, counts = np.unique(self.kind[topic, members], return_index=True, return_counts=True)
        reached = min(members.size, self.reach - start)
        return Group(start, reached, tuple(map(int, counts)), tuple(int(rank) for rank in members[first]))


def ties_of(measure: Measure, listed: Ranked) -> Ties:
    """Return the ties that may change a score; of a condensed metric, ``listed`` is condensed already."""
    depth = _depth(measure, listed)
    kind, tied = _kinds(measure, listed), np.asarray(listed.tied)
    mixed = (kind != np.take_along_axis(kind, tied, axis=1)) & (tied < depth)
    if isinstance(measure, Metric) and measure.unordered:
        # The order decides which documents are in the list only where a group is cut.
        cut = tied[:, depth - 1 : depth] if depth < listed.depth else np.full((len(tied), 1), -1)
        mixed &= tied == cut
    return Ties(kind, tied, mixed, depth)


def _depth(measure: Measure, listed: Ranked) -> int:
    """Return how many ranks of the list, condensed already, the metric looks at."""
    cuts: tuple[int | None, ...] = (measure.k,) if isinstance(measure, Metric) else ()
    if isinstance(measure, Product):
        cuts = measure.cut, measure.model.k
    return min(k for k in (*cuts, listed.depth) if k is not None)


def _kinds(measure: Measure, listed: Ranked) -> NDArray[np.int64]:
    if isinstance(measure, Product):
        return _codes_of(gains_of(listed, measure.model.gain))
    distinguishes = measure.distinguishes if isinstance(measure, Metric) else "status"
    if distinguishes == "relevance" and isinstance(measure, Binary):
        return listed.relevant(measure.rel).astype(np.int64)
    if distinguishes == "grade" and not (isinstance(measure, Graded) and isinstance(measure.gain, dict)):
        return _codes_of(listed.grade)
    # A table of gains may value a judged document of grade 0, but never one without judgment.
    return _codes_of(listed.grade) * 4 + listed.status


def _codes_of(values: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.unique(values, return_inverse=True)[1].reshape(values.shape).astype(np.int64)


def in_orders(listed: Ranked, topic: int, ranks: NDArray[np.int64]) -> Ranked:
    """Return one topic's list in several orders, one per row: ``ranks`` says which of its documents is at each rank."""
    rows, judgments = len(ranks), listed.judgments
    known = max(int((judgments.ideal[topic] >= 0).sum()), 1)

    def repeat(values: NDArray[Any]) -> NDArray[Any]:
        return np.broadcast_to(values[topic, :known], (rows, min(known, values.shape[1])))

    repeated_judgments = replace(
        judgments,
        topics=(judgments.topics[topic],) * rows,
        ideal=repeat(judgments.ideal),
        pool_rank=None if judgments.pool_rank is None else repeat(judgments.pool_rank),
    )
    length = np.full(rows, listed.length[topic])
    return Ranked(listed.system, repeated_judgments, listed.grade[topic][ranks], listed.status[topic][ranks], length)


def group_mean(values: NDArray[np.float64], tied: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return each value replaced by the mean of its group.

    Examples
    --------
    >>> group_mean(np.array([[3.0, 1.0, 5.0]]), np.array([[0, 0, 2]]))
    array([[2., 2., 5.]])
    """
    cell = (np.arange(len(tied))[:, None] * tied.shape[1] + tied).reshape(-1)
    sums = np.bincount(cell, weights=values.reshape(-1), minlength=tied.size)
    sizes = np.bincount(cell, minlength=tied.size)
    return np.asarray((sums[cell] / sizes[cell]).reshape(values.shape))


def log_choose(n: Any, k: Any) -> NDArray[np.longdouble]:
    """Return the logarithm of the binomial coefficient, minus infinity where it is 0.

    In extended precision, so that the exponential is good to the last digits of a double.

    Examples
    --------
    >>> np.exp(log_choose([4, 4, 1], [2, 0, 2])).astype(float).round(12)
    array([6., 1., 0.])
    """
    n, k = np.broadcast_arrays(np.asarray(n, dtype=np.int64), np.asarray(k, dtype=np.int64))
    possible = (k >= 0) & (k <= n)
    table = _log_factorials(1 << int(max(n.max(initial=1), 1)).bit_length())
    taken = np.where(possible, k, 0)
    ways = table[n] - table[taken] - table[n - taken]
    return np.where(possible, ways, -np.inf)


@lru_cache(maxsize=4)
def _log_factorials(most: int) -> NDArray[np.longdouble]:
    return np.concatenate([[np.longdouble(0)], np.cumsum(np.log(np.arange(1, most + 1, dtype=np.longdouble)))])
