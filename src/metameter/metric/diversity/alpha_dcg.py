"""alpha_DCG: discounted gain of what is new."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.metric.diversity.base import AgainstAll, AgainstTheBest
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
