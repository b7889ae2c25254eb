"""Success: whether anything relevant is among the first k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from metameter.judge.ranked import Ranked
from metameter.metric.classic.base import Summed
from metameter.metric.classic.relevance import Binary, first
from metameter.parameters import depth
from metameter.registry import register


@register("metric")
@dataclass(frozen=True, repr=False)
class Success(Binary, Summed):
    r"""A user reads k documents and is content with one relevant document among them.

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
    aliases = {"success_{k}": "Success@{k}", "hit_rate@{k}": "Success@{k}", "hits@{k}": "Success@{k}"}
    fixed_divisor = True
    rises_with_gain = True

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """The first relevant document counts 1."""
        return first(self.hits(ranked)), 1.0

    def divisor(self, ranked: Ranked) -> Any:
        """Nothing to divide by."""
        return 1.0
