"""ERR_IA: intent-aware expected reciprocal rank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.metric.diversity.base import AgainstAll, AgainstTheBest
from metameter.registry import register


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
