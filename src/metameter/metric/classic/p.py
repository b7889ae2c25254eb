"""P: precision at a depth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metameter.judge.ranked import Ranked
from metameter.metric.classic.base import Summed
from metameter.metric.classic.relevance import Binary
from metameter.parameters import depth
from metameter.registry import register

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@register("metric")
@dataclass(frozen=True, repr=False)
class P(Binary, Summed):
    r"""A user reads exactly k documents: the share of them that is relevant.

    .. math:: P@k = \frac{1}{k} \sum_{i \le k} rel_i

    A shorter list counts as filled up with documents that are not relevant.

    Parameters
    ----------
    k : int
        How many documents are read.
    rel : number above 0
        The lowest grade that counts as relevant.

    References
    ----------
    vanrijsbergen1979

    Examples
    --------
    >>> P(k=4)([1, 0, 1])
    0.5
    """

    k: int | None = depth(required=True)
    linear = True
    distinguishes = "relevance"
    reference = "vanrijsbergen1979"
    aliases = {"precision@{k}": "P@{k}", "P_{k}": "P@{k}"}
    rises_with_gain = True

    @property
    def parts_key(self) -> tuple[str, float]:
        """The sums of ones are how many relevant documents were retrieved, which other metrics need, too."""
        return "retrieved", self.rel

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each relevant document counts 1."""
        return self.hits(ranked), 1.0

    def divisor(self, ranked: Ranked) -> Any:
        """The depth."""
        return self.k

    def divisors(self, ranked: Ranked, depths: NDArray[np.int64]) -> Any:
        """The same at each of several depths."""
        return depths
