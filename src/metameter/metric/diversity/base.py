"""What metrics of diversity have in common: which documents cover which subtopics, and the best list of all."""

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
from metameter.metric.diversity.ideal import covered, ideal_gains
from metameter.parameters import Bounds, depth, option

if TYPE_CHECKING:
    from metameter.judge.facets import Facets


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
