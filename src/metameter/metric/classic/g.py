"""G and BinG: gain discounted by the shortfall of the list above a rank, not by the rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from metameter.judge.ranked import Ranked
from metameter.metric.classic.base import Summed, ranks
from metameter.metric.classic.relevance import Binary, Graded, pad_to_depth
from metameter.registry import register


@register("metric")
@dataclass(frozen=True, repr=False)
class BinG(Binary, Summed):
    r"""A user looks for one of the relevant documents and loses patience with each non-relevant one above it.

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
    One non-relevant document stands above the only relevant one: 1 / log2(3).

    >>> round(BinG()([0, 1]), 4)
    0.6309
    """

    distinguishes = "relevance"
    reference = "trec_eval"
    fixed_divisor = True

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each relevant document counts less the more non-relevant documents stand above it."""
        return self.hits(ranked), 1.0 / np.log2(2.0 + ranks(ranked) - self.retrieved_relevant(ranked))

    def divisor(self, ranked: Ranked) -> Any:
        """All relevant documents of the qrels."""
        return self.total(ranked)


@register("metric")
@dataclass(frozen=True, repr=False)
class G(Graded, Summed):
    r"""Each document counts less the further the gain of the list lags behind that of the best list.

    .. math:: \frac{1}{\sum_i g^*_i} \sum_i \frac{g_i}{\log_2 \big( 2 + \sum_{j \le i} (\max(g^*_j, 1) - g_j) \big)}

    where g are the gains of the list and g* those of the best list.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    gain : linear, exp or a table
        The gain of a document of grade g: g, 2^g - 1, or an entry of the table ``{grade: gain}``.

    References
    ----------
    trec_eval

    Examples
    --------
    The list lags one document behind: 1 / log2(3).

    >>> round(G()([0, 1]), 4)
    0.6309
    """

    distinguishes = "grade"
    reference = "trec_eval"
    fixed_divisor = True

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each gain counts less the further the list lags behind."""
        gains = self.gains(ranked)
        best = np.maximum(pad_to_depth(self.ideal_gains(ranked), ranked.depth), 1.0)
        return gains, 1.0 / np.log2(2.0 + np.cumsum(best - gains, axis=1))

    def divisor(self, ranked: Ranked) -> Any:
        """The gain of the whole best list."""
        return self.ideal_gains(ranked).sum(axis=1)
