"""Bpref and gm_bpref: binary preference, from judged documents alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.judge.ranked import JUDGED, Ranked
from metameter.judge.sums import Cells
from metameter.metric.classic.base import Summed, divide
from metameter.metric.classic.relevance import Binary, logarithm
from metameter.registry import register


@register("metric")
@dataclass(frozen=True, repr=False)
class Bpref(Binary, Summed):
    r"""How often relevant documents rank above documents judged not relevant; documents without judgment are ignored.

    .. math:: bpref = \frac{1}{R} \sum_{i: rel_i} \Big( 1 - \frac{\min(b_i, R)}{\min(N, R)} \Big)

    where b_i of the N documents judged not relevant stand above rank i.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    rel : number above 0
        The lowest grade that counts as relevant.

    References
    ----------
    buckley2004

    Examples
    --------
    One of two relevant documents stands above the one that is not.

    >>> Bpref()([1, None, 0, 1])
    0.5
    """

    reference = "buckley2004"
    fixed_divisor = True

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each relevant document adds the share of its preferences that the list satisfies."""
        hits, total = self.hits(ranked), self.total(ranked)
        above = np.cumsum((ranked.status == JUDGED) & (hits == 0), axis=1)
        rivals = np.minimum(ranked.judgments.judged() - total, total)
        return hits, 1.0 - divide(np.minimum(above, total[:, None]), rivals[:, None])

    def rank_attention(self, ranked: Ranked) -> NDArray[np.float64]:
        """1 at judged documents, 0 at the others, which are ignored."""
        return np.asarray((ranked.status == JUDGED) * super().rank_attention(ranked))

    def nonzero_cells(self, ranked: Ranked) -> Cells:
        """The relevant documents."""
        return self.where_relevant(ranked)

    def divisor(self, ranked: Ranked) -> Any:
        """All relevant documents of the qrels."""
        return self.total(ranked)


@register("metric", "gm_bpref")
@dataclass(frozen=True, repr=False)
class GeometricBpref(Binary):
    r"""The logarithm of binary preference: a score that doubles counts the same on hard and on easy topics.

    .. math:: \log \max(bpref, 0.00001)

    The summary over topics is the exponential of the mean: the geometric mean of bpref.

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
    >>> GeometricBpref()([1, 0])
    0.0
    """

    reference = "robertson2006"

    def summarise(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The geometric mean over topics: the exponential of the mean logarithm."""
        return np.asarray(np.exp(values.mean(axis=-1)))

    def values(self, ranked: Ranked) -> NDArray[np.float64]:
        """One score per topic."""
        return logarithm(Bpref(k=self.k, rel=self.rel).values(ranked))

    def curve(self, ranked: Ranked, depths: Sequence[int]) -> NDArray[np.float64]:
        """The scores at each of several depths, topics x depths, in one pass."""
        return logarithm(Bpref(rel=self.rel, judged_only=self.judged_only).curve(ranked, depths))
