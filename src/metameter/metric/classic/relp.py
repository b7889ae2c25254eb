"""RelP: precision relative to the best that is possible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.judge.ranked import Ranked
from metameter.metric.classic.base import Summed
from metameter.metric.classic.relevance import Binary
from metameter.registry import register


@register("metric")
@dataclass(frozen=True, repr=False)
class RelP(Binary, Summed):
    r"""A user reads k documents: how many are relevant, of as many as could have been.

    .. math:: RelP@k = \frac{C(k)}{\min(k, R)}

    Parameters
    ----------
    k : int, optional
        How many documents are read; without it the whole list (trec_eval's set_relative_P).
    rel : number above 0
        The lowest grade that counts as relevant.

    References
    ----------
    trec_eval

    Examples
    --------
    >>> RelP(k=5)([1, 0, 1])
    1.0
    """

    linear = True
    distinguishes = "relevance"
    reference = "trec_eval"
    aliases = {"relative_P_{k}": "RelP@{k}", "set_relative_P": "RelP"}

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each relevant document counts 1."""
        return self.hits(ranked), 1.0

    def divisor(self, ranked: Ranked) -> Any:
        """The most that a list of this length could hold."""
        return np.minimum(self.total(ranked), ranked.length if self.k is None else self.k)

    def divisors(self, ranked: Ranked, depths: NDArray[np.int64]) -> Any:
        """The same at each of several depths."""
        return np.minimum(self.total(ranked)[:, None], depths)
