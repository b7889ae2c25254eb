"""AP: average precision, with the three normalisations in use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.judge.ranked import Ranked
from metameter.judge.sums import Places
from metameter.metric.classic.base import Summed, ranks
from metameter.metric.classic.relevance import Binary
from metameter.parameters import option
from metameter.registry import register


@register("metric")
@dataclass(frozen=True, repr=False)
class AP(Binary, Summed):
    r"""Users each look for one of the relevant documents and see the precision of the list that leads to it.

    .. math:: AP@k = \frac{1}{N} \sum_{i \le k} rel_i \, P(i)

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    norm : R, min or pool
        N: all relevant documents of the qrels (as trec_eval does); or no more of them than a list of k could hold,
        min(k, R); or those found in the first k of any contributing run, R_k.
    rel : number above 0
        The lowest grade that counts as relevant.

    References
    ----------
    buckley2000, lu2016

    Examples
    --------
    One of two relevant documents is first, the other third: (1/1 + 2/3) / 2.

    >>> round(AP()([1, 0, 1]), 4)
    0.8333
    >>> AP(k=1)([1, 0, 1]), AP(k=1, norm="min")([1, 0, 1])
    (0.5, 1.0)
    """

    norm: str = option("R", choices=("R", "min", "pool"))
    distinguishes = "relevance"
    reference = "buckley2000"
    aliases = {"map": "AP", "map@{k}": "AP@{k}", "map_cut_{k}": "AP@{k}"}

    @property
    def needs(self) -> frozenset[str]:
        """R_k depends on which runs contributed to the pool."""
        return frozenset({"pool"}) if self.norm == "pool" and self.k is not None else frozenset()

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each relevant document counts the precision down to it."""
        return self.hits(ranked), self.retrieved(ranked) / ranks(ranked)

    @property
    def parts_key(self) -> tuple[str, float]:
        """All normalisations divide the same sums."""
        return "AP down", self.rel

    def counted(self, ranked: Ranked) -> Places:
        """The relevant documents."""
        return self.where_relevant(ranked)

    def divisor(self, ranked: Ranked) -> Any:
        """The relevant documents that the list is held to."""
        if self.k is None:
            return self.total(ranked)
        return self.divisors(ranked, np.array([self.k]))[:, 0]

    def divisors(self, ranked: Ranked, depths: NDArray[np.int64]) -> Any:
        """The same at each of several depths."""
        if self.norm == "pool":
            return ranked.judgments.relevant_in_pools(depths, self.rel)
        total = self.total(ranked)[:, None]
        return total if self.norm == "R" else np.minimum(total, depths)
