"""Compat: how similar a list is to an ideal list."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.judge.ranked import Ranked
from metameter.judge.sums import sum_down
from metameter.metric.classic.base import divide, ranks
from metameter.metric.classic.relevance import Binary
from metameter.parameters import number, option
from metameter.registry import register


@register("metric")
@dataclass(frozen=True, repr=False)
class Compat(Binary):
    r"""The rank-biased overlap between the list and the ideal list that is most similar to it.

    .. math:: \frac{\sum_d p^{d-1} \, |list_d \cap ideal_d| / d}{\sum_d p^{d-1} \, \min(d, R) / d}

    summed over depths d down to the end of the longer list. Within a grade, the ideal list keeps the order of the run
    and puts documents that the run lacks last.

    Parameters
    ----------
    p : float in (0, 1)
        Persistence: the probability that the user compares one rank further.
    k : int, optional
        The list is cut after k documents.
    normalize : bool
        Divide by the overlap of the ideal list with itself; if False, by the sum of the weights p^(d-1).
    rel : number above 0
        The lowest grade that counts as relevant.

    References
    ----------
    clarke2021

    Examples
    --------
    Nothing overlaps at depth 1, one half at depth 2: (0 + 0.5/2) / (1 + 0.5/2).

    >>> Compat(p=0.5)([0, 1])
    0.2
    """

    p: float = number(0.95, low=0, high=1, low_open=True, high_open=True)
    normalize: bool = option(True, choices=(True, False))
    distinguishes = "grade"
    reference = "clarke2021"

    def values(self, ranked: Ranked) -> NDArray[np.float64]:
        """One score per topic."""
        ranked = ranked.cut(self.k)
        total = self.total(ranked)
        deepest = np.maximum(total, ranked.length)
        depth = np.arange(1.0, int(deepest.max(initial=0)) + 1)
        weight = self.p ** (depth - 1) * (depth <= deepest[:, None])
        overlap = np.cumsum(self._joined(ranked, len(depth)), axis=1)
        best = np.minimum(depth, total[:, None]) / depth if self.normalize else 1.0
        return divide(sum_down(weight * overlap / depth), sum_down(weight * best))

    def _joined(self, ranked: Ranked, depth: int) -> NDArray[np.float64]:
        # A document enters the overlap at the deeper of its two ranks, in the list and in the ideal list.
        hits, ideal = self.hits(ranked) > 0, ranked.judgments.ideal
        ideal_rank = np.zeros(ranked.grade.shape)
        for grade in np.unique(ranked.grade[hits]):
            same = ranked.grade == grade
            better = (ideal > grade).sum(axis=1, keepdims=True)
            ideal_rank += same * (better + np.cumsum(same, axis=1))
        # A list given as gains may hold more documents of a grade than the qrels: they enter below the last depth.
        deeper = np.minimum(np.maximum(ideal_rank, ranks(ranked)), depth + 1)
        topic, rank = np.nonzero(hits)
        joined = np.zeros((len(hits), depth + 2))
        np.add.at(joined, (topic, deeper[topic, rank].astype(np.int64)), 1.0)
        return joined[:, 1:-1]
