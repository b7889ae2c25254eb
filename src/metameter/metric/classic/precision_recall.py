"""P, R, RelP and Rprec: precision and recall at a depth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.judge.ranked import Ranked
from metameter.judge.sums import Cells
from metameter.metric.classic.base import Summed, above, ranks
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

    A shorter list counts as padded with non-relevant documents.

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
        """Shared: the sums are the number of relevant documents retrieved, which other metrics need, too."""
        return "retrieved", self.rel

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each relevant document counts 1."""
        return self.hits(ranked), 1.0

    def divisor(self, ranked: Ranked) -> Any:
        """The depth."""
        return self.k

    def divisors(self, ranked: Ranked, depths: NDArray[np.int64]) -> Any:
        """The divisors at each of several depths."""
        return depths


@register("metric")
@dataclass(frozen=True, repr=False)
class R(Binary, Summed):
    r"""A user wants all relevant documents: the share of them among the first k.

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
        """Shared: the sums are the number of relevant documents retrieved, which other metrics need, too."""
        return "retrieved", self.rel

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each relevant document counts 1."""
        return self.hits(ranked), 1.0

    def nonzero_cells(self, ranked: Ranked) -> Cells:
        """The relevant documents."""
        return self.where_relevant(ranked)

    def divisor(self, ranked: Ranked) -> Any:
        """All relevant documents of the qrels."""
        return self.total(ranked)


@register("metric")
@dataclass(frozen=True, repr=False)
class RelP(Binary, Summed):
    r"""A user reads k documents: how many are relevant, relative to the most that could be.

    .. math:: RelP@k = \frac{C(k)}{\min(k, R)}

    Parameters
    ----------
    k : int, optional
        How many documents are read; without it the whole list (trec_eval's set_relative_P).
    rel : number above 0
        The lowest grade that counts as relevant.

    References
    ----------
    trec_eval

    Examples
    --------
    >>> RelP(k=5)([1, 0, 1])
    1.0
    """

    linear = True
    distinguishes = "relevance"
    reference = "trec_eval"
    aliases = {"relative_P_{k}": "RelP@{k}", "set_relative_P": "RelP"}

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each relevant document counts 1."""
        return self.hits(ranked), 1.0

    def divisor(self, ranked: Ranked) -> Any:
        """The most relevant documents that a list of this length can hold."""
        return np.minimum(self.total(ranked), ranked.length if self.k is None else self.k)

    def divisors(self, ranked: Ranked, depths: NDArray[np.int64]) -> Any:
        """The divisors at each of several depths."""
        return np.minimum(self.total(ranked)[:, None], depths)


@register("metric")
@dataclass(frozen=True, repr=False)
class Rprec(Binary, Summed):
    r"""A user reads as many documents as there are relevant ones: the share of them that is relevant.

    .. math:: Rprec = \frac{1}{R} \sum_{i \le R} rel_i

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    multiple : number above 0
        The user reads this many times R documents, rounded as trec_eval's Rprec_mult does: floor(xR + 0.9).
    rel : number above 0
        The lowest grade that counts as relevant.

    References
    ----------
    buckley2000

    Examples
    --------
    Two documents are relevant; one of them is among the first two.

    >>> Rprec()([1, 0, 1])
    0.5
    """

    multiple: float = above(0, default=1)
    linear = True
    distinguishes = "relevance"
    reference = "buckley2000"
    aliases = {"r_precision": "Rprec", "r_prec": "Rprec"}
    fixed_divisor = True

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each relevant document down to rank R counts 1."""
        return self.hits(ranked) * (ranks(ranked) <= self._depths(ranked)[:, None]), 1.0

    def divisor(self, ranked: Ranked) -> Any:
        """The number of documents read."""
        return self._depths(ranked)

    def _depths(self, ranked: Ranked) -> Any:
        return np.floor(self.multiple * self.total(ranked) + 0.9)
