"""Rprec: precision where precision and recall meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from metameter.judge.ranked import Ranked
from metameter.metric.classic.base import Summed, above, ranks
from metameter.metric.classic.relevance import Binary
from metameter.registry import register


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
        """As many documents as are read."""
        return self._depths(ranked)

    def _depths(self, ranked: Ranked) -> Any:
        return np.floor(self.multiple * self.total(ranked) + 0.9)
