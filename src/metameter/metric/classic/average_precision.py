"""AP, infAP and gm_map: average precision, also of sampled judgments and on a logarithmic scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.judge.ranked import JUDGED, POOLED, Ranked
from metameter.judge.sums import Cells
from metameter.metric.classic.base import Summed, ranks
from metameter.metric.classic.relevance import Binary, logarithm
from metameter.parameters import option
from metameter.registry import register


@register("metric")
@dataclass(frozen=True, repr=False)
class AP(Binary, Summed):
    r"""A user looks for one of the relevant documents; the score is the expected precision of the list down to it.

    .. math:: AP@k = \frac{1}{N} \sum_{i \le k} rel_i \, P(i)

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    norm : R, min or pool
        N is the number of relevant documents in the qrels (``R``, as in trec_eval); at most k of them (``min``:
        min(k, R)); or the number of those in the first k of any contributing run (``pool``: R_k).
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
        """The ranks in the contributing runs, for R_k."""
        return frozenset({"pool"}) if self.norm == "pool" and self.k is not None else frozenset()

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each relevant document adds the precision down to its rank."""
        return self.hits(ranked), self.retrieved_relevant(ranked) / ranks(ranked)

    @property
    def parts_key(self) -> tuple[str, float]:
        """All normalisations share the same sums."""
        return "AP down", self.rel

    def nonzero_cells(self, ranked: Ranked) -> Cells:
        """The relevant documents."""
        return self.where_relevant(ranked)

    def divisor(self, ranked: Ranked) -> Any:
        """N, the number of relevant documents by the chosen normalisation."""
        if self.k is None:
            return self.total(ranked)
        return self.divisors(ranked, np.array([self.k]))[:, 0]

    def divisors(self, ranked: Ranked, depths: NDArray[np.int64]) -> Any:
        """The divisors at each of several depths."""
        if self.norm == "pool":
            return ranked.judgments.relevant_in_pools(depths, self.rel)
        total = self.total(ranked)[:, None]
        return total if self.norm == "R" else np.minimum(total, depths)


_EPSILON = 1e-5


@register("metric", "infAP")
@dataclass(frozen=True, repr=False)
class InfAP(Binary, Summed):
    r"""Average precision, estimated where only a random sample of the pool was judged.

    .. math:: infAP = \frac{1}{R} \sum_{i: rel_i} \Big( \frac{1}{i} + \frac{i - 1}{i} \cdot
        \frac{r + s + u}{i - 1} \cdot \frac{r + \epsilon}{r + s + 2 \epsilon} \Big)

    where, above rank i, r documents are judged relevant, s are judged not relevant and u are in the pool but not judged
    (a grade below 0 in the qrels); epsilon is 0.00001.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    rel : number above 0
        The lowest grade that counts as relevant.

    References
    ----------
    yilmaz2006

    Examples
    --------
    If all documents are judged, this is average precision, apart from epsilon.

    >>> round(InfAP()([1, 0, 1]), 4)
    0.8333
    """

    reference = "yilmaz2006"
    fixed_divisor = True

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each relevant document adds the expected precision down to its rank."""
        hits, rank = self.hits(ranked), ranks(ranked)
        relevant = self.retrieved_relevant(ranked) - hits
        judged = np.cumsum(ranked.status == JUDGED, axis=1) - hits
        pooled = np.cumsum(ranked.status == POOLED, axis=1)
        sampled = (relevant + _EPSILON) / (judged + 2 * _EPSILON)
        # At rank 1 no document is above, so the second term is 0.
        return hits, (1.0 + (judged + pooled) * sampled) / rank

    def nonzero_cells(self, ranked: Ranked) -> Cells:
        """The relevant documents."""
        return self.where_relevant(ranked)

    def divisor(self, ranked: Ranked) -> Any:
        """All relevant documents of the qrels."""
        return self.total(ranked)


@register("metric", "gm_map")
@dataclass(frozen=True, repr=False)
class GeometricAP(Binary):
    r"""The logarithm of average precision: a score that doubles counts the same on hard and on easy topics.

    .. math:: \log \max(AP, 0.00001)

    The summary over topics is the exponential of the mean: the geometric mean of AP.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    rel : number above 0
        The lowest grade that counts as relevant.

    References
    ----------
    robertson2006

    Examples
    --------
    >>> GeometricAP()([1]), round(GeometricAP()([0]), 4)
    (0.0, -11.5129)
    """

    distinguishes = "relevance"
    reference = "robertson2006"
    aliases = {"gmap": "gm_map"}

    def summarise(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The geometric mean over topics: the exponential of the mean logarithm."""
        return np.asarray(np.exp(values.mean(axis=-1)))

    def values(self, ranked: Ranked) -> NDArray[np.float64]:
        """One score per topic."""
        return logarithm(AP(k=self.k, rel=self.rel).values(ranked))

    def curve(self, ranked: Ranked, depths: Sequence[int]) -> NDArray[np.float64]:
        """The scores at each of several depths, topics x depths, in one pass."""
        return logarithm(AP(rel=self.rel, judged_only=self.judged_only).curve(ranked, depths))
