"""What diversity metrics share: which documents cover which subtopics, and the list that is best for novelty."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.judge.faceted import Faceted
from metameter.judge.passages import Covers
from metameter.judge.ranked import Ranked
from metameter.metric.classic.base import Summed, above
from metameter.parameters import Bounds, depth, option

if TYPE_CHECKING:
    from metameter.judge.facets import Facets
    from metameter.judge.passages import Passages


@dataclass(frozen=True, repr=False)
class Diversity(Summed):
    """A metric of what a list covers.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    rel : number above 0
        The least that the ratings of a document on a subtopic must add up to, to cover it; 1 stands for any judgment
        that it is relevant.
    """

    rel: float = above(0, default=1)

    evidence = Faceted
    distinguishes = "grade"

    def covers(self, faceted: Faceted) -> Covers:
        """Which ranks cover which subtopics."""
        return covered(faceted.seen, self.rel)

    def subtopics(self, ranked: Ranked) -> NDArray[np.int64]:
        """M: how many subtopics of each topic have a relevant document."""
        facets = Faceted.of(ranked).facets
        return facets.once(("subtopics", self.rel), lambda: self._subtopics(facets))

    def _subtopics(self, facets: Facets) -> NDArray[np.int64]:
        covers = covered(facets.passages, self.rel)
        pairs = np.unique(np.stack([covers.topic, covers.subtopic]), axis=1)
        return np.bincount(pairs[0], minlength=len(facets.listed))


@dataclass(frozen=True, repr=False)
class Novelty(Diversity):
    """A metric of novelty: another document on a subtopic is worth less than the one before.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    alpha : number in [0, 1]
        How much of a subtopic's worth is gone once a document has covered it.
    rel : number above 0
        The least that the ratings of a document on a subtopic must add up to, to cover it; 1 stands for any judgment
        that it is relevant.
    """

    alpha: float = option(0.5, bounds=Bounds(0, 1))

    @abstractmethod
    def attention(self, depth: int) -> NDArray[np.float64]:
        """What is left of a gain at each rank down to a depth."""

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """What is new at each rank, and what is left of it."""
        return self.novel(ranked), self.attention(ranked.depth)

    def novel(self, ranked: Ranked) -> NDArray[np.float64]:
        """How much that is new each rank has: topics x depth."""
        faceted = Faceted.of(ranked)
        return faceted.once(("novel", self.alpha, self.rel), lambda: self._novel(faceted))

    def _novel(self, faceted: Faceted) -> NDArray[np.float64]:
        covers = self.covers(faceted)
        above = covers.above()
        # Multiplied again and again, as the ideal list does it: what should be equal is.
        left = np.cumprod(np.append(1.0, np.full(int(above.max(initial=0)), 1.0 - self.alpha)))
        return covers.added(left[above], len(faceted.length), faceted.depth)


@dataclass(frozen=True, repr=False)
class AgainstTheBest(Novelty):
    """The same of the best list of the collection is 1; without a relevant document the score is 0."""

    def divisor(self, ranked: Ranked) -> Any:
        """The sum of the best list."""
        last = self._ideal(ranked, None).shape[1] if self.k is None else self.k
        return self.divisors(ranked, np.array([max(last, 1)]))[:, 0]

    def divisors(self, ranked: Ranked, depths: NDArray[np.int64]) -> Any:
        """The same at each of several depths."""
        best = self._ideal(ranked, int(depths.max(initial=1)))
        if not best.shape[1]:
            return np.zeros((len(best), depths.size))
        sums = np.cumsum(best * self.attention(best.shape[1]), axis=1)
        return np.asarray(sums[:, np.minimum(depths, sums.shape[1]) - 1])

    def _ideal(self, ranked: Ranked, depth: int | None) -> NDArray[np.float64]:
        """How much that is new each rank of the best list has, at least to a depth: topics x ranks."""
        return ideal_gains(Faceted.of(ranked).facets, self.alpha, self.rel, depth)


@dataclass(frozen=True, repr=False)
class AgainstAll(Novelty):
    """A list on which every document covers all subtopics is 1, whether the collection has such documents or not.

    Parameters
    ----------
    k : int
        The list is cut after k documents.
    form : official or corrected
        ndeval's arithmetic, which forgets to divide at k = 1, or without that quirk.
    """

    k: int | None = depth(required=True)
    form: str = option("official", choices=("official", "corrected"))

    def divisor(self, ranked: Ranked) -> Any:
        """The sum of such a list."""
        return self.divisors(ranked, np.array([self.k]))[:, 0]

    def divisors(self, ranked: Ranked, depths: NDArray[np.int64]) -> Any:
        """The same at each of several depths."""
        deepest = int(depths.max(initial=1))
        new = (1.0 - self.alpha) ** np.arange(deepest)
        best = np.cumsum(new * self.attention(deepest))[depths - 1] * self.subtopics(ranked)[:, None]
        # A list of one document is not divided by anything in ndeval; without subtopics it scores 0 all the same.
        forgotten = (depths == 1) & (self.form == "official")
        return np.where(forgotten, best > 0, best)


def covered(passages: Passages, rel: float) -> Covers:
    """Which documents cover which subtopics, with at least this rating; 1 is any."""
    covers = passages.covers("official")
    if rel == 1:
        return covers
    kept = covers.rating >= rel
    return Covers(covers.topic[kept], covers.place[kept], covers.subtopic[kept], covers.rating[kept])


def ideal_gains(facets: Facets, alpha: float, rel: float, depth: int | None) -> NDArray[np.float64]:
    """How much that is new each rank of the best list has, at least to a depth or to its end: topics x ranks."""
    longest = facets.once(("most documents", rel), lambda: _most_documents(covered(facets.passages, rel)))
    wanted = longest if depth is None else min(depth, longest)
    key = ("ideal", alpha, rel)
    known: NDArray[np.float64] | None = facets.memo.get(key)
    if known is None or known.shape[1] < wanted:
        covers = covered(facets.passages, rel)
        known = np.zeros((len(facets.listed), wanted))
        for topic in range(len(known)):
            gains = ideal_list(covers, topic, int(facets.listed[topic]), wanted, alpha)[1]
            known[topic, : gains.size] = gains
        facets.memo[key] = known
    return known


def _most_documents(covers: Covers) -> int:
    """How many documents the topic with the most relevant ones has."""
    documents = np.unique(np.stack([covers.topic, covers.place]), axis=1)[0]
    return int(np.bincount(documents).max(initial=0))


def ideal_list(
    covers: Covers, topic: int, subtopics: int, depth: int, alpha: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The documents of a topic, each time one that has most that is new, of equals the first; and how much that is.

    Examples
    --------
    The document on both subtopics comes first; the others have half of one each.

    >>> from metameter.judge.passages import Covers
    >>> zero = np.zeros(4, dtype=np.int64)
    >>> covers = Covers(zero, np.array([0, 1, 1, 2]), np.array([0, 0, 1, 1]), np.ones(4))
    >>> ideal_list(covers, 0, 2, 9, 0.5)
    (array([1, 0, 2]), array([2. , 0.5, 0.5]))
    """
    mine = np.flatnonzero(covers.topic == topic)
    documents, row = np.unique(covers.place[mine], return_inverse=True)
    has = np.zeros((max(subtopics, 1), documents.size))
    has[covers.subtopic[mine], row] = 1.0
    worth, left = np.ones(len(has)), np.ones(documents.size, np.bool_)
    chosen, gains = [], []
    for _ in range(min(depth, documents.size)):
        new = np.zeros(documents.size)
        # Subtopic by subtopic, as ndeval adds: sums that should be equal are, and ties are ties.
        for each, value in zip(has, worth, strict=True):
            new += each * value
        best = int(np.argmax(np.where(left, new, -1.0)))
        chosen.append(int(documents[best]))
        gains.append(float(new[best]))
        worth[has[:, best] > 0] *= 1.0 - alpha
        left[best] = False
    return np.array(chosen, dtype=np.int64), np.array(gains)
