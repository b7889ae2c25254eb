"""R: recall at a depth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from metameter.judge.ranked import Ranked
from metameter.judge.sums import Places
from metameter.metric.classic.base import Summed
from metameter.metric.classic.relevance import Binary
from metameter.parameters import depth
from metameter.registry import register


@register("metric")
@dataclass(frozen=True, repr=False)
class R(Binary, Summed):
    r"""A user wants everything: the share of all relevant documents that is among the first k.

    .. math:: R@k = \frac{1}{R} \sum_{i \le k} rel_i

    Parameters
    ----------
    k : int
        How many documents are read. For the whole list see ``SetR``.
    rel : number above 0
        The lowest grade that counts as relevant.

    References
    ----------
    vanrijsbergen1979

    Examples
    --------
    >>> R(k=2)([1, 0, 1])
    0.5
    """

    k: int | None = depth(required=True)
    linear = True
    distinguishes = "relevance"
    reference = "vanrijsbergen1979"
    aliases = {"recall@{k}": "R@{k}", "recall_{k}": "R@{k}"}
    fixed_divisor = True

    @property
    def parts_key(self) -> tuple[str, float]:
        """The sums of ones are how many relevant documents were retrieved, which other metrics need, too."""
        return "retrieved", self.rel

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each relevant document counts 1."""
        return self.hits(ranked), 1.0

    def counted(self, ranked: Ranked) -> Places:
        """The relevant documents."""
        return self.where_relevant(ranked)

    def divisor(self, ranked: Ranked) -> Any:
        """All relevant documents of the qrels."""
        return self.total(ranked)
