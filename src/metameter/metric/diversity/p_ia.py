"""P_IA: intent-aware precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.judge.faceted import Faceted
from metameter.judge.ranked import Ranked
from metameter.metric.diversity.base import Diversity
from metameter.parameters import depth
from metameter.registry import register


@register("metric", "P_IA")
@dataclass(frozen=True, repr=False)
class PIA(Diversity):
    r"""A user with one of the intents, all as likely, reads exactly k documents: the share of them on it.

    .. math:: P\mbox{-}IA@k = \frac{1}{k M} \sum_{i \le k} |\{ s : s \in d_i \}|

    where M subtopics have a relevant document.

    Parameters
    ----------
    k : int
        The list is cut after k documents.
    rel : number above 0
        The least that the ratings of a document on a subtopic must add up to, to cover it; 1 stands for any judgment
        that it is relevant.

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
        """How many subtopics each document covers."""
        faceted = Faceted.of(ranked)
        covers = self.covers(faceted)
        return covers.added(np.ones(covers.size), len(faceted.length), faceted.depth), 1.0

    def divisor(self, ranked: Ranked) -> Any:
        """Documents times subtopics."""
        return self.divisors(ranked, np.array([self.k]))[:, 0]

    def divisors(self, ranked: Ranked, depths: NDArray[np.int64]) -> Any:
        """The same at each of several depths."""
        return self.subtopics(ranked)[:, None] * depths
