"""NRBP: novelty- and rank-biased precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.judge.ranked import Ranked
from metameter.metric.diversity.base import AgainstTheBest, Novelty
from metameter.parameters import Bounds, option
from metameter.registry import register


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
