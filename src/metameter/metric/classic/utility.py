"""Utility: what a set of documents is worth, counted in credits and debits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.judge.ranked import Ranked
from metameter.metric.classic.relevance import Binary
from metameter.parameters import number
from metameter.registry import register


@register("metric")
@dataclass(frozen=True, repr=False)
class Utility(Binary):
    r"""A user reads the whole list; each relevant document is worth something, each other one costs something.

    .. math:: relevant \cdot C(n) + other \cdot (n - C(n)) + missed \cdot (R - C(n))

    Parameters
    ----------
    relevant, other, missed : float
        The worth of a relevant document, of any other document, and of a relevant one that was not retrieved.
    k : int, optional
        The list is cut after k documents.
    rel : number above 0
        The lowest grade that counts as relevant.

    References
    ----------
    trec_eval

    Examples
    --------
    >>> Utility()([1, 0, 0])
    -1.0
    """

    relevant: float = number(1.0)
    other: float = number(-1.0)
    missed: float = number(0.0)
    unordered = True
    distinguishes = "relevance"
    reference = "trec_eval"

    def values(self, ranked: Ranked) -> NDArray[np.float64]:
        """One score per topic."""
        ranked = ranked.cut(self.k)
        hits = self.hits(ranked).sum(axis=1)
        scores = self.relevant * hits + self.other * (ranked.length - hits) + self.missed * (self.total(ranked) - hits)
        return np.where(ranked.length > 0, scores, 0.0)
