"""IPrec and IPrecAvg: interpolated precision at one level of recall, and averaged over eleven."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.judge.ranked import Ranked
from metameter.metric.classic.base import ranks
from metameter.metric.classic.relevance import Binary
from metameter.parameters import number, option
from metameter.registry import register


@dataclass(frozen=True, repr=False)
class _Interpolated(Binary):
    rounding: str = option("up", choices=("up", "nearest"))

    def precision_at(self, ranked: Ranked, recall: float) -> NDArray[np.float64]:
        """The highest precision at any rank at which this recall is reached."""
        ranked = ranked.cut(self.k)
        # trec_eval 9 adds 0.9 and truncates; trec_eval 10 rounds, halves away from zero.
        needed = np.floor(recall * self.total(ranked) + (0.9 if self.rounding == "up" else 0.5))
        retrieved = self.retrieved_relevant(ranked)
        precision = retrieved / ranks(ranked)
        return np.asarray(np.where(retrieved >= needed[:, None], precision, 0.0).max(axis=1, initial=0.0))


@register("metric")
@dataclass(frozen=True, repr=False)
class IPrec(_Interpolated):
    r"""A user wants a given share of the relevant documents: the highest precision at which the list reaches it.

    .. math:: IPrec(x) = \max \{ P(i) : C(i) \ge xR \}

    Parameters
    ----------
    recall : float in [0, 1]
        The share x of the relevant documents that the user wants.
    k : int, optional
        The list is cut after k documents.
    rel : number above 0
        The lowest grade that counts as relevant.
    rounding : up or nearest
        How xR is rounded: floor(xR + 0.9) as in trec_eval 9, or to the nearest integer as in trec_eval 10.

    References
    ----------
    trec_eval

    Examples
    --------
    >>> IPrec(recall=0.5)([0, 1, 1, 0]), IPrec(recall=1)([1, 0, 0, 1])
    (0.6666666666666666, 0.5)
    """

    recall: float = number(low=0, high=1)
    distinguishes = "relevance"
    reference = "trec_eval"
    aliases = {"iprec_at_recall_{x}": "IPrec(recall={x})"}
    example = {"recall": 0.3}

    def values(self, ranked: Ranked) -> NDArray[np.float64]:
        """One score per topic."""
        return self.precision_at(ranked, self.recall)


@register("metric")
@dataclass(frozen=True, repr=False)
class IPrecAvg(_Interpolated):
    r"""The recall-precision curve in one number: interpolated precision averaged over recall 0, 0.1, ..., 1.

    .. math:: \frac{1}{11} \sum_{j=0}^{10} IPrec(j / 10)

    Known as 11pt_avg.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    rel : number above 0
        The lowest grade that counts as relevant.
    rounding : up or nearest
        As for ``IPrec``.

    References
    ----------
    trec_eval

    Examples
    --------
    Precision 1 holds for recall 0 to 0.5, precision 0.5 for recall 0.6 to 1: (6 x 1 + 5 x 0.5) / 11.

    >>> round(IPrecAvg()([1, 0, 0, 1]), 4)
    0.7727
    """

    distinguishes = "relevance"
    reference = "trec_eval"
    aliases = {"11pt_avg": "IPrecAvg"}

    def values(self, ranked: Ranked) -> NDArray[np.float64]:
        """One score per topic."""
        # Python's sum, since np.mean adds the values of a single topic in another order.
        return np.asarray(sum(self.precision_at(ranked, tenth / 10) for tenth in range(11)) / 11)
