"""RR and Success: users who want one relevant document, whichever it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.judge.ranked import Ranked
from metameter.judge.sums import Cells
from metameter.metric.classic.base import Summed, ranks
from metameter.metric.classic.relevance import Binary, first
from metameter.parameters import depth
from metameter.registry import register


@register("metric")
@dataclass(frozen=True, repr=False)
class RR(Binary, Summed):
    r"""A user wants one relevant document and reads down to the first: the reciprocal of its rank.

    .. math:: RR = 1 / \min \{ i : rel_i = 1 \}

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    rel : number above 0
        The lowest grade that counts as relevant.

    References
    ----------
    voorhees1999

    Examples
    --------
    >>> RR()([0, 1, 1]), RR(k=1)([0, 1, 1])
    (0.5, 0.0)
    """

    distinguishes = "relevance"
    reference = "voorhees1999"
    aliases = {"mrr": "RR", "mrr@{k}": "RR@{k}", "recip_rank": "RR"}
    fixed_divisor = True
    rises_with_gain = True

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """The first relevant document adds 1 / its rank."""
        return self.hits(ranked) * (self.retrieved_relevant(ranked) == 1), 1.0 / ranks(ranked)

    def nonzero_cells(self, ranked: Ranked) -> Cells:
        """The relevant documents."""
        return self.where_relevant(ranked)

    def rank_attention(self, ranked: Ranked) -> NDArray[np.float64]:
        """The ranks down to the first relevant document."""
        above = self.retrieved_relevant(ranked) - self.hits(ranked)
        return np.asarray((above == 0) * super().rank_attention(ranked))

    def divisor(self, ranked: Ranked) -> Any:
        """1: the sum is the score."""
        return 1.0


@register("metric")
@dataclass(frozen=True, repr=False)
class Success(Binary, Summed):
    r"""A user reads k documents and needs only one that is relevant: 1 if there is one, else 0.

    .. math:: Success@k = [\sum_{i \le k} rel_i > 0]

    Parameters
    ----------
    k : int
        How many documents are read.
    rel : number above 0
        The lowest grade that counts as relevant.

    References
    ----------
    trec_eval

    Examples
    --------
    >>> Success(k=1)([0, 1]), Success(k=2)([0, 1])
    (0.0, 1.0)
    """

    k: int | None = depth(required=True)
    distinguishes = "relevance"
    reference = "trec_eval"
    aliases = {
        "success_{k}": "Success@{k}",
        "hit_rate@{k}": "Success@{k}",
        "hit@{k}": "Success@{k}",
        "hits@{k}": "Success@{k}; ranx counts the relevant documents instead (NumRelRet)",
    }
    fixed_divisor = True
    rises_with_gain = True

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """The first relevant document counts 1."""
        return first(self.hits(ranked)), 1.0

    def divisor(self, ranked: Ranked) -> Any:
        """1: the sum is the score."""
        return 1.0
