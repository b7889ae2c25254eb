"""alpha_DCG, ERR_IA, NRBP and their normalised forms: a further document on the same subtopic is worth less."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.judge.ranked import Ranked
from metameter.metric.diversity.base import AgainstAll, AgainstTheBest, Novelty
from metameter.parameters import Bounds, option
from metameter.registry import register


@register("metric", "alpha_DCG")
@dataclass(frozen=True, repr=False)
class AlphaDCG(AgainstAll):
    r"""A user with an unknown intent has less and less use for what they have seen: discounted gain of what is new.

    .. math:: \alpha DCG@k = \frac{1}{N_k} \sum_{i \le k} \frac{1}{\log_2(i+1)} \sum_{s \in d_i} (1-\alpha)^{c_s(i)}

    where c_s(i) documents above rank i cover the subtopic s. N_k does not depend on the collection: the same sum of a
    list on which every document covers all M subtopics. For the best list of the collection see ``alpha_nDCG``.

    Parameters
    ----------
    k : int
        The list is cut after k documents.
    alpha : number in [0, 1]
        How much of a subtopic's worth is gone once a document has covered it.
    form : official or corrected
        ndeval's arithmetic, which forgets to divide at k = 1, or without that quirk.
    rel : number above 0
        The least that the ratings of a document on a subtopic must add up to, to cover it; 1 stands for any judgment
        that it is relevant.

    References
    ----------
    clarke2008

    Examples
    --------
    A list without subtopics has one: (1 + .5/2) / (1 + .5/1.585 + .25/2).

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
class AlphaNDCG(AgainstTheBest):
    r"""A user with an unknown intent has less and less use for what they have seen; against the best list of all.

    .. math:: \alpha nDCG@k = \frac{\alpha DCG@k}{\alpha DCG^*@k}, \quad
              \alpha DCG@k = \sum_{i \le k} \frac{1}{\log_2(i+1)} \sum_{s \in d_i} (1-\alpha)^{c_s(i)}

    where c_s(i) documents above rank i cover the subtopic s. The best list is found greedily among the judged
    documents, of equally good ones the last by name, as ndeval does; without a relevant document the score is 0.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    alpha : number in [0, 1]
        How much of a subtopic's worth is gone once a document has covered it.
    rel : number above 0
        The least that the ratings of a document on a subtopic must add up to, to cover it; 1 stands for any judgment
        that it is relevant.

    References
    ----------
    clarke2008

    Examples
    --------
    A list without subtopics has one: (1 + .5/2) / (1 + .5/1.585).

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
class ERRIA(AgainstAll):
    r"""A user with an unknown intent reads on until satisfied: what is new, over the rank.

    .. math:: ERR\mbox{-}IA@k = \frac{1}{N_k} \sum_{i \le k} \frac{1}{i} \sum_{s \in d_i} (1-\alpha)^{c_s(i)}

    where c_s(i) documents above rank i cover the subtopic s. N_k does not depend on the collection: the same sum of a
    list on which every document covers all M subtopics. For the best list of the collection see ``nERR_IA``.

    Parameters
    ----------
    k : int
        The list is cut after k documents.
    alpha : number in [0, 1]
        How much of a subtopic's worth is gone once a document has covered it.
    form : official or corrected
        ndeval's arithmetic, which forgets to divide at k = 1, or without that quirk.
    rel : number above 0
        The least that the ratings of a document on a subtopic must add up to, to cover it; 1 stands for any judgment
        that it is relevant.

    References
    ----------
    chapelle2009, clarke2011

    Examples
    --------
    A list without subtopics has one: (1 + .5/3) / (1 + .5/2 + .25/3).

    >>> round(ERRIA(k=3)([1, 0, 1]), 4)
    0.875
    """

    reference = "chapelle2009"

    def attention(self, depth: int) -> NDArray[np.float64]:
        """1 / i."""
        return np.asarray(1.0 / np.arange(1.0, depth + 1))


@register("metric", "nERR_IA")
@dataclass(frozen=True, repr=False)
class NERRIA(AgainstTheBest):
    r"""A user with an unknown intent reads on until satisfied; against the best list of all.

    .. math:: nERR\mbox{-}IA@k = \frac{\sum_{i \le k} \frac{1}{i} \sum_{s \in d_i} (1-\alpha)^{c_s(i)}}
              {\mbox{the same of the best list}}

    where c_s(i) documents above rank i cover the subtopic s. The best list is found greedily among the judged
    documents, of equally good ones the last by name, as ndeval does; without a relevant document the score is 0.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    alpha : number in [0, 1]
        How much of a subtopic's worth is gone once a document has covered it.
    rel : number above 0
        The least that the ratings of a document on a subtopic must add up to, to cover it; 1 stands for any judgment
        that it is relevant.

    References
    ----------
    chapelle2009, clarke2011

    Examples
    --------
    A list without subtopics has one: (1 + .5/3) / (1 + .5/2).

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
    r"""A patient user with an unknown intent, who goes on with probability β: what is new, per document read.

    .. math:: NRBP = \frac{1 - (1-\alpha)\beta}{M} \sum_i \beta^{i-1} \sum_{s \in d_i} (1-\alpha)^{c_s(i)}

    where c_s(i) documents above rank i cover the subtopic s, and M subtopics have a relevant document.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    alpha : number in [0, 1]
        How much of a subtopic's worth is gone once a document has covered it.
    beta : number in [0, 1)
        How likely the user goes on after each document.
    rel : number above 0
        The least that the ratings of a document on a subtopic must add up to, to cover it; 1 stands for any judgment
        that it is relevant.

    References
    ----------
    clarke2009

    Examples
    --------
    A list without subtopics has one: .75 * (1 + .25 * .5).

    >>> NRBP()([1, 0, 1])
    0.84375
    """

    beta: float = option(0.5, bounds=Bounds(0, 1, high_open=True))

    reference = "clarke2009"

    def attention(self, depth: int) -> NDArray[np.float64]:
        """The probability of reading so far."""
        return np.asarray(self.beta ** np.arange(depth))

    def divisor(self, ranked: Ranked) -> Any:
        """The same sum of an endless list on which every document covers all subtopics."""
        return self.subtopics(ranked) / (1.0 - (1.0 - self.alpha) * self.beta)

    def divisors(self, ranked: Ranked, depths: NDArray[np.int64]) -> Any:
        """The same, whatever the depth."""
        return self.divisor(ranked)[:, None]


@register("metric", "nNRBP")
@dataclass(frozen=True, repr=False)
class NNRBP(AgainstTheBest):
    r"""A patient user with an unknown intent, who goes on with probability β; against the best list of all.

    .. math:: nNRBP = \frac{\sum_i \beta^{i-1} \sum_{s \in d_i} (1-\alpha)^{c_s(i)}}{\mbox{the same of the best list}}

    where c_s(i) documents above rank i cover the subtopic s. The best list is found greedily among the judged
    documents, of equally good ones the last by name, as ndeval does; without a relevant document the score is 0.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    alpha : number in [0, 1]
        How much of a subtopic's worth is gone once a document has covered it.
    beta : number in [0, 1)
        How likely the user goes on after each document.
    rel : number above 0
        The least that the ratings of a document on a subtopic must add up to, to cover it; 1 stands for any judgment
        that it is relevant.

    References
    ----------
    clarke2009

    Examples
    --------
    A list without subtopics has one: (1 + .25 * .5) / (1 + .5 * .5).

    >>> NNRBP()([1, 0, 1])
    0.9
    """

    beta: float = option(0.5, bounds=Bounds(0, 1, high_open=True))

    reference = "clarke2009"

    def attention(self, depth: int) -> NDArray[np.float64]:
        """The probability of reading so far."""
        return np.asarray(self.beta ** np.arange(depth))
