"""alpha_DCG, ERR_IA, NRBP and their normalised forms: a further document on the same subtopic is worth less."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.judge.ranked import Ranked
from metameter.metric.diversity.base import Novelty, RelativeToBest, RelativeToFullCoverage
from metameter.parameters import Bounds, option
from metameter.registry import register


@register("metric", "alpha_DCG")
@dataclass(frozen=True, repr=False)
class AlphaDCG(RelativeToFullCoverage):
    r"""A user with an unknown intent, to whom further documents on a subtopic are worth less: discounted gain.

    .. math:: \alpha DCG@k = \frac{1}{N_k} \sum_{i \le k} \frac{1}{\log_2(i+1)} \sum_{s \in d_i} (1-\alpha)^{c_s(i)}

    where c_s(i) documents above rank i cover subtopic s. N_k is the same sum for a list in which every document covers
    all M subtopics, so it does not depend on the collection; ``alpha_nDCG`` divides by the best list of the collection.

    Parameters
    ----------
    k : int
        The list is cut after k documents.
    alpha : number in [0, 1]
        The share of a subtopic's value that is lost with each document that covers it.
    form : official or corrected
        As ndeval computes it, without dividing at k = 1, or with the division at every k.
    rel : number above 0
        A document covers a subtopic if its ratings on it sum to at least this; 1 accepts any judgment of relevance.

    References
    ----------
    clarke2008

    Examples
    --------
    A list without subtopics counts as having one: (1 + .5/2) / (1 + .5/1.585 + .25/2).

    >>> round(AlphaDCG(k=3)([1, 0, 1]), 4)
    0.8678
    """

    reference = "clarke2008"
    aliases = {"α_DCG@{k}": "alpha_DCG@{k}"}

    def attention(self, depth: int) -> NDArray[np.float64]:
        """1 / log2(i + 1)."""
        return np.asarray(1.0 / np.log2(np.arange(2.0, depth + 2)))


@register("metric", "alpha_nDCG")
@dataclass(frozen=True, repr=False)
class AlphaNDCG(RelativeToBest):
    r"""A user with an unknown intent, to whom further documents on a subtopic are worth less, against the best list.

    .. math:: \alpha nDCG@k = \frac{\alpha DCG@k}{\alpha DCG^*@k}, \quad
              \alpha DCG@k = \sum_{i \le k} \frac{1}{\log_2(i+1)} \sum_{s \in d_i} (1-\alpha)^{c_s(i)}

    where c_s(i) documents above rank i cover subtopic s. The best list is built greedily from the judged documents; of
    equally good ones it takes the last by name, as ndeval does. Without a relevant document the score is 0.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    alpha : number in [0, 1]
        The share of a subtopic's value that is lost with each document that covers it.
    rel : number above 0
        A document covers a subtopic if its ratings on it sum to at least this; 1 accepts any judgment of relevance.

    References
    ----------
    clarke2008

    Examples
    --------
    A list without subtopics counts as having one: (1 + .5/2) / (1 + .5/1.585).

    >>> round(AlphaNDCG()([1, 0, 1]), 4)
    0.9502
    """

    reference = "clarke2008"
    aliases = {"α_nDCG@{k}": "alpha_nDCG@{k}"}

    def attention(self, depth: int) -> NDArray[np.float64]:
        """1 / log2(i + 1)."""
        return np.asarray(1.0 / np.log2(np.arange(2.0, depth + 2)))


@register("metric", "ERR_IA")
@dataclass(frozen=True, repr=False)
class ERRIA(RelativeToFullCoverage):
    r"""A user with an unknown intent reads on until satisfied: expected reciprocal rank over subtopics.

    .. math:: ERR\mbox{-}IA@k = \frac{1}{N_k} \sum_{i \le k} \frac{1}{i} \sum_{s \in d_i} (1-\alpha)^{c_s(i)}

    where c_s(i) documents above rank i cover subtopic s. N_k is the same sum for a list in which every document covers
    all M subtopics, so it does not depend on the collection; ``nERR_IA`` divides by the best list of the collection.

    Parameters
    ----------
    k : int
        The list is cut after k documents.
    alpha : number in [0, 1]
        The share of a subtopic's value that is lost with each document that covers it.
    form : official or corrected
        As ndeval computes it, without dividing at k = 1, or with the division at every k.
    rel : number above 0
        A document covers a subtopic if its ratings on it sum to at least this; 1 accepts any judgment of relevance.

    References
    ----------
    chapelle2009, clarke2011

    Examples
    --------
    A list without subtopics counts as having one: (1 + .5/3) / (1 + .5/2 + .25/3).

    >>> round(ERRIA(k=3)([1, 0, 1]), 4)
    0.875
    """

    reference = "chapelle2009"

    def attention(self, depth: int) -> NDArray[np.float64]:
        """1 / i."""
        return np.asarray(1.0 / np.arange(1.0, depth + 1))


@register("metric", "nERR_IA")
@dataclass(frozen=True, repr=False)
class NERRIA(RelativeToBest):
    r"""A user with an unknown intent reads on until satisfied: expected reciprocal rank, relative to the best list.

    .. math:: nERR\mbox{-}IA@k = \frac{\sum_{i \le k} \frac{1}{i} \sum_{s \in d_i} (1-\alpha)^{c_s(i)}}
              {\mbox{the same of the best list}}

    where c_s(i) documents above rank i cover subtopic s. The best list is built greedily from the judged documents; of
    equally good ones it takes the last by name, as ndeval does. Without a relevant document the score is 0.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    alpha : number in [0, 1]
        The share of a subtopic's value that is lost with each document that covers it.
    rel : number above 0
        A document covers a subtopic if its ratings on it sum to at least this; 1 accepts any judgment of relevance.

    References
    ----------
    chapelle2009, clarke2011

    Examples
    --------
    A list without subtopics counts as having one: (1 + .5/3) / (1 + .5/2).

    >>> round(NERRIA()([1, 0, 1]), 4)
    0.9333
    """

    reference = "chapelle2009"

    def attention(self, depth: int) -> NDArray[np.float64]:
        """1 / i."""
        return np.asarray(1.0 / np.arange(1.0, depth + 1))


@register("metric")
@dataclass(frozen=True, repr=False)
class NRBP(Novelty):
    r"""A user with an unknown intent, who goes on with probability β: the novelty gained per document read.

    .. math:: NRBP = \frac{1 - (1-\alpha)\beta}{M} \sum_i \beta^{i-1} \sum_{s \in d_i} (1-\alpha)^{c_s(i)}

    where c_s(i) documents above rank i cover subtopic s, and M subtopics have a relevant document.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    alpha : number in [0, 1]
        The share of a subtopic's value that is lost with each document that covers it.
    beta : number in [0, 1)
        The probability of going on after each document.
    rel : number above 0
        A document covers a subtopic if its ratings on it sum to at least this; 1 accepts any judgment of relevance.

    References
    ----------
    clarke2009

    Examples
    --------
    A list without subtopics counts as having one: .75 * (1 + .25 * .5).

    >>> NRBP()([1, 0, 1])
    0.84375
    """

    beta: float = option(0.5, bounds=Bounds(0, 1, high_open=True))

    reference = "clarke2009"

    def attention(self, depth: int) -> NDArray[np.float64]:
        """The probability of viewing each rank."""
        return np.asarray(self.beta ** np.arange(depth))

    def divisor(self, ranked: Ranked) -> Any:
        """The same sum for an endless list in which every document covers all subtopics."""
        return self.subtopics(ranked) / (1.0 - (1.0 - self.alpha) * self.beta)

    def divisors(self, ranked: Ranked, depths: NDArray[np.int64]) -> Any:
        """The divisor, which does not depend on the depth."""
        return self.divisor(ranked)[:, None]


@register("metric", "nNRBP")
@dataclass(frozen=True, repr=False)
class NNRBP(RelativeToBest):
    r"""A user with an unknown intent, who goes on with probability β: novelty, relative to the best list.

    .. math:: nNRBP = \frac{\sum_i \beta^{i-1} \sum_{s \in d_i} (1-\alpha)^{c_s(i)}}{\mbox{the same of the best list}}

    where c_s(i) documents above rank i cover subtopic s. The best list is built greedily from the judged documents; of
    equally good ones it takes the last by name, as ndeval does. Without a relevant document the score is 0.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    alpha : number in [0, 1]
        The share of a subtopic's value that is lost with each document that covers it.
    beta : number in [0, 1)
        The probability of going on after each document.
    rel : number above 0
        A document covers a subtopic if its ratings on it sum to at least this; 1 accepts any judgment of relevance.

    References
    ----------
    clarke2009

    Examples
    --------
    A list without subtopics counts as having one: (1 + .25 * .5) / (1 + .5 * .5).

    >>> NNRBP()([1, 0, 1])
    0.9
    """

    beta: float = option(0.5, bounds=Bounds(0, 1, high_open=True))

    reference = "clarke2009"

    def attention(self, depth: int) -> NDArray[np.float64]:
        """The probability of viewing each rank."""
        return np.asarray(self.beta ** np.arange(depth))
