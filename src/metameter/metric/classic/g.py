"""G and BinG: gain discounted by what has gone wrong above, not by rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from metameter.judge.ranked import Ranked
from metameter.metric.classic.base import Summed, ranks
from metameter.metric.classic.relevance import Binary, Graded, fitted
from metameter.registry import register


@register("metric")
@dataclass(frozen=True, repr=False)
class BinG(Binary, Summed):
    r"""Users each look for one relevant document and lose patience with every other one above it.

    .. math:: \frac{1}{R} \sum_i \frac{rel_i}{\log_2(2 + i - C(i))}

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    rel : number above 0
        The lowest grade that counts as relevant.

    References
    ----------
    trec_eval

    Examples
    --------
    One document above the only relevant one is not: 1 / log2(3).

    >>> round(BinG()([0, 1]), 4)
    0.6309
    """

    distinguishes = "relevance"
    reference = "trec_eval"
    fixed_divisor = True

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each relevant document counts the less, the more others stand above it."""
        return self.hits(ranked), 1.0 / np.log2(2.0 + ranks(ranked) - self.retrieved(ranked))

    def divisor(self, ranked: Ranked) -> Any:
        """All relevant documents of the qrels."""
        return self.total(ranked)


@register("metric")
@dataclass(frozen=True, repr=False)
class G(Graded, Summed):
    r"""Users gain from each document the less, the further the list has fallen behind the best list.

    .. math:: \frac{1}{\sum_i g^*_i} \sum_i \frac{g_i}{\log_2 \big( 2 + \sum_{j \le i} (\max(g^*_j, 1) - g_j) \big)}

    with gains g, and g* those of the best list.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    gain : linear, exp or a table
        A document of grade g is worth g, or 2^g - 1, or what the table ``{grade: gain}`` says.

    References
    ----------
    trec_eval

    Examples
    --------
    The list is one document behind: 1 / log2(3).

    >>> round(G()([0, 1]), 4)
    0.6309
    """

    distinguishes = "grade"
    reference = "trec_eval"
    fixed_divisor = True

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each gain counts the less, the further the list is behind."""
        gains = self.gains(ranked)
        best = np.maximum(fitted(self.ideal_gains(ranked), ranked.depth), 1.0)
        return gains, 1.0 / np.log2(2.0 + np.cumsum(best - gains, axis=1))

    def divisor(self, ranked: Ranked) -> Any:
        """The gain of the whole best list."""
        return self.ideal_gains(ranked).sum(axis=1)
