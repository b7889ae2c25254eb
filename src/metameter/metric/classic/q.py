"""Q: the Q-measure, average precision for graded relevance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.judge.ranked import Ranked
from metameter.judge.sums import Places
from metameter.metric.classic.relevance import Blended
from metameter.parameters import option
from metameter.registry import register


@register("metric")
@dataclass(frozen=True, repr=False)
class Q(Blended):
    r"""Users each look for one of the relevant documents and see the blended ratio of the list that leads to it.

    .. math:: Q@k = \frac{1}{\min(k, R)} \sum_{i \le k} rel_i \, BR(i)
        \qquad BR(i) = \frac{C(i) + \beta \, cg(i)}{i + \beta \, cg^*(i)}

    Parameters
    ----------
    beta : float in [0, inf)
        How much gain counts against precision; 0 gives average precision.
    k : int, optional
        The list is cut after k documents.
    gain : linear, exp or a table
        A document of grade g is worth g, or 2^g - 1, or what the table ``{grade: gain}`` says.
    norm : min or R
        What the sum is divided by: no more relevant documents than fit into the list, or all of them.
    rel : number above 0
        The lowest grade that counts as relevant.

    References
    ----------
    sakai2004

    Examples
    --------
    At rank 2: (1 + 1) / (2 + 1), for one document of gain 1.

    >>> round(Q()([0, 1]), 4)
    0.6667
    """

    norm: str = option("min", choices=("min", "R"))
    distinguishes = "grade"
    reference = "sakai2004"

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each relevant document counts the blended ratio down to it."""
        return self.hits(ranked), self.ratio(ranked)

    def counted(self, ranked: Ranked) -> Places:
        """The relevant documents."""
        return self.where_relevant(ranked)

    def divisor(self, ranked: Ranked) -> Any:
        """The relevant documents that the list is held to."""
        if self.k is None:
            return self.total(ranked)
        return self.divisors(ranked, np.array([self.k]))[:, 0]

    def divisors(self, ranked: Ranked, depths: NDArray[np.int64]) -> Any:
        """The same at each of several depths."""
        total = self.total(ranked)[:, None]
        return total if self.norm == "R" else np.minimum(total, depths)
