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
    """A metric of the subtopics that a list covers.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    rel : number above 0
        A document covers a subtopic if its ratings on it sum to at least this; 1 accepts any judgment of relevance.
    """

    rel: float = above(0, default=1)

    evidence = Faceted
    distinguishes = "grade"

    def covers(self, faceted: Faceted) -> Covers:
        """Which ranks cover which subtopics."""
        return covered(faceted.seen, self.rel)

    def subtopics(self, ranked: Ranked) -> NDArray[np.int64]:
        """M: the number of each topic's subtopics with a relevant document."""
        facets = Faceted.of(ranked).facets
        return facets.once(("subtopics", self.rel), lambda: self._subtopics(facets))

    def _subtopics(self, facets: Facets) -> NDArray[np.int64]:
        covers = covered(facets.passages, self.rel)
        pairs = np.unique(np.stack([covers.topic, covers.subtopic]), axis=1)
        return np.bincount(pairs[0], minlength=len(facets.listed))


@dataclass(frozen=True, repr=False)
class Novelty(Diversity):
    """A metric of novelty: each further document on a subtopic is worth less than the one before.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    alpha : number in [0, 1]
        The share of a subtopic's value that is lost with each document that covers it.
    rel : number above 0
        A document covers a subtopic if its ratings on it sum to at least this; 1 accepts any judgment of relevance.
    """

    alpha: float = option(0.5, bounds=Bounds(0, 1))

    @abstractmethod
    def attention(self, depth: int) -> NDArray[np.float64]:
        """The discount factor of each rank down to a depth."""

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """The novelty gain and the discount factor of each rank."""
        return self.novel(ranked), self.attention(ranked.depth)

    def novel(self, ranked: Ranked) -> NDArray[np.float64]:
        """The novelty gain of each rank: topics x depth."""
        faceted = Faceted.of(ranked)
        return faceted.once(("novel", self.alpha, self.rel), lambda: self._novel(faceted))

    def _novel(self, faceted: Faceted) -> NDArray[np.float64]:
        covers = self.covers(faceted)
        above = covers.above()
        # A running product, as in the ideal list, so that equal gains are equal to the last bit.
        left = np.cumprod(np.append(1.0, np.full(int(above.max(initial=0)), 1.0 - self.alpha)))
        return covers.sum_by_document(left[above], len(faceted.length), faceted.depth)


@dataclass(frozen=True, repr=False)
class RelativeToBest(Novelty):
    """A novelty metric relative to the best list of the collection; without a relevant document the score is 0."""

    def divisor(self, ranked: Ranked) -> Any:
        """The sum for the best list."""
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
class RelativeToFullCoverage(Novelty):
    """A novelty metric relative to a list in which every document covers all subtopics.

    Parameters
    ----------
    k : int
        The list is cut after k documents.
    form : official or corrected
        As ndeval computes it, without dividing at k = 1, or with the division at every k.
    """

    k: int | None = depth(required=True)
    form: str = option("official", choices=("official", "corrected"))

    def divisor(self, ranked: Ranked) -> Any:
        """The sum for such a list."""
        return self.divisors(ranked, np.array([self.k]))[:, 0]

    def divisors(self, ranked: Ranked, depths: NDArray[np.int64]) -> Any:
        """The same at each of several depths."""
        deepest = int(depths.max(initial=1))
        new = (1.0 - self.alpha) ** np.arange(deepest)
        best = np.cumsum(new * self.attention(deepest))[depths - 1] * self.subtopics(ranked)[:, None]
        # ndeval does not divide at depth 1; without subtopics the score is 0 there, too.
        forgotten = (depths == 1) & (self.form == "official")
        return np.where(forgotten, best > 0, best)


def covered(passages: Passages, rel: float) -> Covers:
    """Which documents cover which subtopics with at least this rating; 1 accepts any."""
    covers = passages.covers("official")
    if rel == 1:
        return covers
    rated = covers.rating >= rel
    return Covers(covers.topic[rated], covers.position[rated], covers.subtopic[rated], covers.rating[rated])


def ideal_gains(facets: Facets, alpha: float, rel: float, depth: int | None) -> NDArray[np.float64]:
    """The novelty gain at each rank of the best list, down to at least a depth (None: to its end): topics x ranks."""
    longest = facets.once(("most documents", rel), lambda: _most_documents(covered(facets.passages, rel)))
    depth_needed = longest if depth is None else min(depth, longest)

    def make() -> NDArray[np.float64]:
        covers = covered(facets.passages, rel)
        ideal = np.zeros((len(facets.listed), depth_needed))
        for topic in range(len(ideal)):
            gains = ideal_list(covers, topic, int(facets.listed[topic]), depth_needed, alpha)[1]
            ideal[topic, : gains.size] = gains
        return ideal

    return facets.once_to_depth(("ideal", alpha, rel), depth_needed, make)


def _most_documents(covers: Covers) -> int:
    """The number of relevant documents of the topic that has most."""
    documents = np.unique(np.stack([covers.topic, covers.position]), axis=1)[0]
    return int(np.bincount(documents).max(initial=0))


def ideal_list(
    covers: Covers, topic: int, subtopics: int, depth: int, alpha: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Order the documents of a topic greedily by novelty gain, the first of equals first; and return these gains.

    Examples
    --------
    The document on both subtopics comes first; the others then gain half a subtopic each.

    >>> from metameter.judge.passages import Covers
    >>> zero = np.zeros(4, dtype=np.int64)
    >>> covers = Covers(zero, np.array([0, 1, 1, 2]), np.array([0, 0, 1, 1]), np.ones(4))
    >>> ideal_list(covers, 0, 2, 9, 0.5)
    (array([1, 0, 2]), array([2. , 0.5, 0.5]))
    """
    mine = np.flatnonzero(covers.topic == topic)
    documents, row = np.unique(covers.position[mine], return_inverse=True)
    has = np.zeros((max(subtopics, 1), documents.size))
    has[covers.subtopic[mine], row] = 1.0
    worth, left = np.ones(len(has)), np.ones(documents.size, np.bool_)
    chosen, gains = [], []
    for _ in range(min(depth, documents.size)):
        new = np.zeros(documents.size)
        # Added subtopic by subtopic, as ndeval does, so that equal sums are equal to the last bit and ties are kept.
        for each, value in zip(has, worth, strict=True):
            new += each * value
        best = int(np.argmax(np.where(left, new, -1.0)))
        chosen.append(int(documents[best]))
        gains.append(float(new[best]))
        worth[has[:, best] > 0] *= 1.0 - alpha
        left[best] = False
    return np.array(chosen, dtype=np.int64), np.array(gains)
