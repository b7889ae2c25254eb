"""P_IA, MAP_IA and StRecall: precision, average precision and recall over subtopics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.judge.faceted import Faceted
from metameter.judge.ranked import Ranked
from metameter.metric.classic.base import divide
from metameter.metric.diversity.base import Diversity, covered
from metameter.parameters import depth
from metameter.registry import register


@register("metric", "P_IA")
@dataclass(frozen=True, repr=False)
class PIA(Diversity):
    r"""A user with one of the subtopics in mind, all equally likely, reads k documents: the share of them on it.

    .. math:: P\mbox{-}IA@k = \frac{1}{k M} \sum_{i \le k} |\{ s : s \in d_i \}|

    where M subtopics have a relevant document.

    Parameters
    ----------
    k : int
        The list is cut after k documents.
    rel : number above 0
        A document covers a subtopic if its ratings on it sum to at least this; 1 accepts any judgment of relevance.

    References
    ----------
    agrawal2009

    Examples
    --------
    >>> PIA(k=4)([1, 0, 1])
    0.5
    """

    k: int | None = depth(required=True)

    reference = "agrawal2009"

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """The number of subtopics that each document covers."""
        faceted = Faceted.of(ranked)
        covers = self.covers(faceted)
        return covers.sum_by_document(np.ones(covers.size), len(faceted.length), faceted.depth), 1.0

    def divisor(self, ranked: Ranked) -> Any:
        """The depth times M."""
        return self.divisors(ranked, np.array([self.k]))[:, 0]

    def divisors(self, ranked: Ranked, depths: NDArray[np.int64]) -> Any:
        """The same at each of several depths."""
        return self.subtopics(ranked)[:, None] * depths


@register("metric", "MAP_IA")
@dataclass(frozen=True, repr=False)
class MAPIA(Diversity):
    r"""A user with one of the subtopics in mind, all equally likely, wants all documents on it: mean average precision.

    .. math:: MAP\mbox{-}IA = \frac{1}{M} \sum_s \frac{1}{R_s} \sum_{i : s \in d_i}
              \frac{|\{ j \le i : s \in d_j \}|}{i}

    where R_s documents cover subtopic s, and M subtopics have a relevant document.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    rel : number above 0
        A document covers a subtopic if its ratings on it sum to at least this; 1 accepts any judgment of relevance.

    References
    ----------
    agrawal2009

    Examples
    --------
    A list without subtopics counts as having one: (1/1 + 2/3) / 2.

    >>> round(MAPIA()([1, 0, 1]), 4)
    0.8333
    """

    reference = "agrawal2009"
    aliases = {"AP_IA": "MAP_IA"}
    fixed_divisor = True

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Rank times precision on each subtopic that a document covers, over R_s, summed; and one over the rank."""
        faceted = Faceted.of(ranked)
        covers = self.covers(faceted)
        documents = self._documents(faceted)[covers.topic, covers.subtopic]
        share = divide(covers.above() + 1, documents)
        rank = np.arange(1.0, faceted.depth + 1)
        return covers.sum_by_document(share, len(faceted.length), faceted.depth), 1.0 / rank

    def _documents(self, faceted: Faceted) -> NDArray[np.float64]:
        """R_s: the number of documents that cover each subtopic, topics x subtopics."""
        facets = faceted.facets

        def make() -> NDArray[np.float64]:
            covers = covered(facets.passages, self.rel)
            counts = np.zeros((len(facets.listed), max(int(facets.listed.max(initial=1)), 1)))
            np.add.at(counts, (covers.topic, covers.subtopic), 1.0)
            return counts

        return facets.once(("documents", self.rel), make)

    def divisor(self, ranked: Ranked) -> Any:
        """M, the number of subtopics that can be covered."""
        return self.subtopics(ranked)


@register("metric")
@dataclass(frozen=True, repr=False)
class StRecall(Diversity):
    r"""A user wants something on every subtopic: the share of subtopics that the list covers.

    .. math:: StRecall@k = \frac{|\bigcup_{i \le k} \{ s : s \in d_i \}|}{M}

    where M subtopics have a relevant document.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    rel : number above 0
        A document covers a subtopic if its ratings on it sum to at least this; 1 accepts any judgment of relevance.

    References
    ----------
    zhai2003

    Examples
    --------
    A list without subtopics counts as having one.

    >>> StRecall(k=2)([0, 1, 1]), StRecall(k=1)([0, 1, 1])
    (1.0, 0.0)
    """

    reference = "zhai2003"
    aliases = {"strec@{k}": "StRecall@{k}"}
    fixed_divisor = True

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """The number of subtopics that each document is the first to cover."""
        faceted = Faceted.of(ranked)
        covers = self.covers(faceted)
        first = (covers.above() == 0).astype(np.float64)
        return covers.sum_by_document(first, len(faceted.length), faceted.depth), 1.0

    def divisor(self, ranked: Ranked) -> Any:
        """M, the number of subtopics that can be covered."""
        return self.subtopics(ranked)
