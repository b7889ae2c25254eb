"""SetP, SetR, SetF, SetAP and Utility: the list as a set, whatever its order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.judge.ranked import Ranked
from metameter.metric.classic.base import Summed, divide
from metameter.metric.classic.relevance import Binary
from metameter.parameters import number
from metameter.registry import register


@register("metric")
@dataclass(frozen=True, repr=False)
class SetP(Binary, Summed):
    """A user reads the whole list: the share of it that is relevant.

    .. math:: SetP = C(n) / n

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents; a shorter list is not padded.
    rel : number above 0
        The lowest grade that counts as relevant.

    References
    ----------
    vanrijsbergen1979

    Examples
    --------
    >>> SetP()([1, 0]), SetP(k=4)([1, 0])
    (0.5, 0.5)
    """

    linear = True
    distinguishes = "relevance"
    reference = "vanrijsbergen1979"
    aliases = {"precision": "SetP", "set_P": "SetP"}
    rises_with_gain = True

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each relevant document counts 1."""
        return self.hits(ranked), 1.0

    def divisor(self, ranked: Ranked) -> Any:
        """The length of the list."""
        return ranked.cut(self.k).length

    def divisors(self, ranked: Ranked, depths: NDArray[np.int64]) -> Any:
        """The divisors at each of several depths."""
        return np.minimum(ranked.length[:, None], depths)


@register("metric")
@dataclass(frozen=True, repr=False)
class SetR(Binary, Summed):
    """A user reads the whole list: the share of all relevant documents that is in it.

    .. math:: SetR = C(n) / R

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    rel : number above 0
        The lowest grade that counts as relevant.

    References
    ----------
    vanrijsbergen1979

    Examples
    --------
    >>> SetR()([1, 0, 1]), SetR(k=2)([1, 0, 1])
    (1.0, 0.5)
    """

    linear = True
    distinguishes = "relevance"
    reference = "vanrijsbergen1979"
    aliases = {"recall": "SetR", "set_recall": "SetR"}
    fixed_divisor = True

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each relevant document counts 1."""
        return self.hits(ranked), 1.0

    def divisor(self, ranked: Ranked) -> Any:
        """All relevant documents of the qrels."""
        return self.total(ranked)


@register("metric")
@dataclass(frozen=True, repr=False)
class SetF(Binary, Summed):
    r"""A user reads the whole list and wants precision and recall: their weighted harmonic mean.

    .. math:: SetF = \frac{(\beta + 1) P R}{R + \beta P} = \frac{(\beta + 1) \, C(n)}{n + \beta R}

    Parameters
    ----------
    beta : float in [0, inf)
        The weight of recall relative to precision, as in trec_eval and ir_measures; others call its square root beta.
    k : int, optional
        The list is cut after k documents.
    rel : number above 0
        The lowest grade that counts as relevant.

    References
    ----------
    vanrijsbergen1979

    Examples
    --------
    Precision is 0.5 and recall 1: 2 x 0.5 / 1.5.

    >>> round(SetF()([1, 0]), 4)
    0.6667
    """

    beta: float = number(1.0, low=0)
    linear = True
    distinguishes = "relevance"
    reference = "vanrijsbergen1979"
    aliases = {"f1": "SetF", "set_F": "SetF"}

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each relevant document counts 1 + beta."""
        return self.hits(ranked), 1.0 + self.beta

    def divisor(self, ranked: Ranked) -> Any:
        """The number of documents retrieved plus beta times R; 0 for an empty list."""
        return self._whole(ranked.cut(self.k).length, self.total(ranked))

    def divisors(self, ranked: Ranked, depths: NDArray[np.int64]) -> Any:
        """The divisors at each of several depths."""
        return self._whole(np.minimum(ranked.length[:, None], depths), self.total(ranked)[:, None])

    def _whole(self, length: NDArray[np.int64], total: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(length > 0, length + self.beta * total, 0.0)


@register("metric")
@dataclass(frozen=True, repr=False)
class SetAP(Binary, Summed):
    r"""Average precision of the list taken as a set: precision times recall.

    .. math:: SetAP = \frac{C(n)^2}{n R}

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
    >>> SetAP()([1, 0])
    0.5
    """

    cumulative = False
    unordered = True
    distinguishes = "relevance"
    reference = "trec_eval"
    aliases = {"set_map": "SetAP"}

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each relevant document adds the precision of the list."""
        hits = self.hits(ranked)
        return hits, divide(hits.sum(axis=1), ranked.length)[:, None]

    def divisor(self, ranked: Ranked) -> Any:
        """All relevant documents of the qrels."""
        return self.total(ranked)


@register("metric")
@dataclass(frozen=True, repr=False)
class Utility(Binary):
    r"""A user reads the whole list: each relevant document earns a credit, each other one costs a debit.

    .. math:: relevant \cdot C(n) + other \cdot (n - C(n)) + missed \cdot (R - C(n))

    Parameters
    ----------
    relevant, other, missed : float
        The value of a relevant document, of any other document, and of a relevant one that was not retrieved.
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
