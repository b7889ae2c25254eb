"""MAP_IA: intent-aware average precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.judge.faceted import Faceted
from metameter.judge.ranked import Ranked
from metameter.metric.classic.base import divide
from metameter.metric.diversity.base import Diversity
from metameter.metric.diversity.ideal import covered
from metameter.registry import register


@register("metric", "MAP_IA")
@dataclass(frozen=True, repr=False)
class MAPIA(Diversity):
    r"""A user with one of the intents, all as likely, wants all documents on it: the mean of the average precisions.

    .. math:: MAP\mbox{-}IA = \frac{1}{M} \sum_s \frac{1}{R_s} \sum_{i : s \in d_i}
              \frac{|\{ j \le i : s \in d_j \}|}{i}

    where R_s documents cover the subtopic s, and M subtopics have a relevant document.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    rel : number above 0
        The least that the ratings of a document on a subtopic must add up to, to cover it; 1 stands for any judgment
        that it is relevant.

    References
    ----------
    agrawal2009

    Examples
    --------
    A list without subtopics has one: (1/1 + 2/3) / 2.

    >>> round(MAPIA()([1, 0, 1]), 4)
    0.8333
    """

    reference = "agrawal2009"
    aliases = {"AP_IA": "MAP_IA"}
    fixed_divisor = True

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """The precision on each subtopic that a document covers, over its documents; one over the rank."""
        faceted = Faceted.of(ranked)
        covers = self.covers(faceted)
        documents = self._documents(faceted)[covers.topic, covers.subtopic]
        share = divide(covers.above() + 1, documents)
        rank = np.arange(1.0, faceted.depth + 1)
        return covers.added(share, len(faceted.length), faceted.depth), 1.0 / rank

    def _documents(self, faceted: Faceted) -> NDArray[np.float64]:
        """R_s: how many documents cover each subtopic, topics x subtopics."""
        facets = faceted.facets

        def make() -> NDArray[np.float64]:
            covers = covered(facets.passages, self.rel)
            counts = np.zeros((len(facets.listed), max(int(facets.listed.max(initial=1)), 1)))
            np.add.at(counts, (covers.topic, covers.subtopic), 1.0)
            return counts

        return facets.once(("documents", self.rel), make)

    def divisor(self, ranked: Ranked) -> Any:
        """All subtopics that can be covered."""
        return self.subtopics(ranked)
