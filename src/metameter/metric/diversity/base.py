"""What metrics of diversity have in common: which documents cover which subtopics, and the best list of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.judge.faceted import Faceted
from metameter.judge.passages import Covers
from metameter.judge.ranked import Ranked
from metameter.metric.classic.base import Summed, above
from metameter.metric.diversity.ideal import ideal_gains
from metameter.parameters import Bounds, option

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.judge.facets import Facets
    from metameter.judge.passages import Passages

__all__ = ["Diversity", "Novelty", "covered"]


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

    def ideal(self, ranked: Ranked, depth: int | None) -> NDArray[np.float64]:
        """How much that is new each rank of the best list has, at least to a depth: topics x ranks."""
        return ideal_gains(Faceted.of(ranked).facets, self.alpha, self.rel, depth)

    def normalised(self, attention: Any, ranked: Ranked, depths: NDArray[np.int64]) -> NDArray[np.float64]:
        """The sum of the best list at each of several depths, where ranks count as a function says: topics x depths."""
        best = self.ideal(ranked, int(depths.max(initial=1)))
        sums = np.cumsum(best * attention(best.shape[1]), axis=1)
        if not sums.shape[1]:
            return np.zeros((len(sums), depths.size))
        return np.asarray(sums[:, np.minimum(depths, sums.shape[1]) - 1])

    def best(self, attention: Any, ranked: Ranked) -> NDArray[np.float64]:
        """The sum of the best list down to the cut."""
        last = self.ideal(ranked, self.k).shape[1] if self.k is None else self.k
        return self.normalised(attention, ranked, np.array([max(last, 1)]))[:, 0]


def covered(passages: Passages, rel: float) -> Covers:
    """Which documents cover which subtopics, with at least this rating; 1 is any."""
    covers = passages.covers("official")
    if rel == 1:
        return covers
    kept = covers.rating >= rel
    return Covers(covers.topic[kept], covers.place[kept], covers.subtopic[kept], covers.rating[kept])
