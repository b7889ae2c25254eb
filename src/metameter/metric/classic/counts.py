"""NumRet, NumRel, NumRelRet and NumNonrelRet: numbers of documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.judge.ranked import BEYOND, JUDGED, Ranked
from metameter.metric.classic.base import Summed
from metameter.metric.classic.relevance import Binary
from metameter.registry import register


@dataclass(frozen=True, repr=False)
class _Count(Summed):
    reference = "trec_eval"
    fixed_divisor = True

    def summarise(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum over topics."""
        return np.asarray(values.sum(axis=-1))

    def divisor(self, ranked: Ranked) -> Any:
        """1: the sum is the score."""
        return 1.0


@register("metric")
@dataclass(frozen=True, repr=False)
class NumRet(_Count):
    """How many documents were retrieved.

    .. math:: n

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.

    References
    ----------
    trec_eval

    Examples
    --------
    >>> NumRet()([1, None, 0]), NumRet(judged_only=True)([1, None, 0])
    (3.0, 2.0)
    """

    aliases = {"num_ret": "NumRet"}
    linear = True
    diagnostic = True
    rises_with_gain = True

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each document counts 1."""
        return (ranked.status != BEYOND).astype(np.float64), 1.0


@register("metric")
@dataclass(frozen=True, repr=False)
class NumRelRet(Binary, _Count):
    """How many relevant documents were retrieved.

    .. math:: C(n)

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
    >>> NumRelRet()([1, 0, 1])
    2.0
    """

    aliases = {"num_rel_ret": "NumRelRet", "hits": "NumRelRet"}
    linear = True
    distinguishes = "relevance"
    rises_with_gain = True

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each relevant document counts 1."""
        return self.hits(ranked), 1.0


@register("metric")
@dataclass(frozen=True, repr=False)
class NumNonrelRet(Binary, _Count):
    r"""How many documents judged not relevant were retrieved.

    .. math:: |\{ i \le n : judged, rel_i = 0 \}|

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
    >>> NumNonrelRet()([1, None, 0])
    1.0
    """

    aliases = {"num_nonrel_judged_ret": "NumNonrelRet"}
    linear = True
    diagnostic = True

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each document judged not relevant counts 1."""
        return (ranked.status == JUDGED) - self.hits(ranked), 1.0


@register("metric")
@dataclass(frozen=True, repr=False)
class NumRel(Binary):
    """How many relevant documents the qrels hold; 0 for a topic that is missing from the run.

    .. math:: R

    Parameters
    ----------
    rel : number above 0
        The lowest grade that counts as relevant.

    References
    ----------
    trec_eval

    Examples
    --------
    >>> NumRel()([1, 0, 1])
    2.0
    """

    unordered = True
    diagnostic = True
    reference = "trec_eval"
    aliases = {"num_rel": "NumRel"}

    def summarise(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum over topics."""
        return np.asarray(values.sum(axis=-1))

    def score(self, ranked: Ranked) -> NDArray[np.float64]:
        """One count per topic, which does not depend on whether the list is condensed."""
        return self.values(ranked)

    def values(self, ranked: Ranked) -> NDArray[np.float64]:
        """One count per topic."""
        return self.total(ranked) * (ranked.length > 0)
