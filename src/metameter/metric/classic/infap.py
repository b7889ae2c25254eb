"""infAP: average precision inferred from a sample of the pool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from metameter.judge.ranked import JUDGED, POOLED, Ranked
from metameter.judge.sums import Places
from metameter.metric.classic.base import Summed, ranks
from metameter.metric.classic.relevance import Binary
from metameter.registry import register

_EPSILON = 1e-5


@register("metric", "infAP")
@dataclass(frozen=True, repr=False)
class InfAP(Binary, Summed):
    r"""Average precision as expected when only a random part of the pool has been judged.

    .. math:: infAP = \frac{1}{R} \sum_{i: rel_i} \Big( \frac{1}{i} + \frac{i - 1}{i} \cdot
        \frac{r + s + u}{i - 1} \cdot \frac{r + \epsilon}{r + s + 2 \epsilon} \Big)

    with, above rank i, r documents judged relevant, s judged not relevant and u in the pool but not judged (a grade
    below 0 in the qrels); epsilon is 0.00001.

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
    Where all is judged it is average precision, but for epsilon.

    >>> round(InfAP()([1, 0, 1]), 4)
    0.8333
    """

    reference = "yilmaz2006"
    fixed_divisor = True

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each relevant document counts the precision expected down to it."""
        hits, rank = self.hits(ranked), ranks(ranked)
        relevant = self.retrieved(ranked) - hits
        judged = np.cumsum(ranked.status == JUDGED, axis=1) - hits
        pooled = np.cumsum(ranked.status == POOLED, axis=1)
        sampled = (relevant + _EPSILON) / (judged + 2 * _EPSILON)
        # At rank 1 nothing is above: the second term is 0 of its own accord.
        return hits, (1.0 + (judged + pooled) * sampled) / rank

    def counted(self, ranked: Ranked) -> Places:
        """The relevant documents."""
        return self.where_relevant(ranked)

    def divisor(self, ranked: Ranked) -> Any:
        """All relevant documents of the qrels."""
        return self.total(ranked)
