"""O and PPlus: users who want one highly relevant document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from metameter.judge.ranked import Ranked
from metameter.metric.classic.relevance import Blended, first
from metameter.registry import register


@register("metric")
@dataclass(frozen=True, repr=False)
class O(Blended):  # noqa: E742
    r"""A user stops at the first relevant document, whatever its grade.

    .. math:: O = BR(r_1) = \frac{1 + \beta \, g(r_1)}{r_1 + \beta \, cg^*(r_1)}

    Parameters
    ----------
    beta : float in [0, inf)
        How much gain counts against precision; 0 gives reciprocal rank.
    k : int, optional
        The list is cut after k documents.
    gain : linear, exp or a table
        A document of grade g is worth g, or 2^g - 1, or what the table ``{grade: gain}`` says.
    rel : number above 0
        The lowest grade that counts as relevant.

    References
    ----------
    sakai2006one

    Examples
    --------
    The only relevant document is second: (1 + 1) / (2 + 1).

    >>> round(O()([0, 1]), 4)
    0.6667
    """

    distinguishes = "grade"
    reference = "sakai2006one"
    fixed_divisor = True

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """The first relevant document counts the blended ratio there."""
        return first(self.hits(ranked)), self.ratio(ranked)

    def divisor(self, ranked: Ranked) -> Any:
        """Nothing to divide by."""
        return 1.0


@register("metric")
@dataclass(frozen=True, repr=False)
class PPlus(Blended):
    r"""Users stop at any relevant document down to the first of the highest grade in the list (P+).

    .. math:: P^+ = \frac{1}{C(r_p)} \sum_{i \le r_p} rel_i \, BR(i)

    Parameters
    ----------
    beta : float in [0, inf)
        How much gain counts against precision.
    k : int, optional
        The list is cut after k documents.
    gain : linear, exp or a table
        A document of grade g is worth g, or 2^g - 1, or what the table ``{grade: gain}`` says.
    rel : number above 0
        The lowest grade that counts as relevant.

    References
    ----------
    sakai2006airs, sakai2007one

    Examples
    --------
    >>> round(PPlus()([0, 1, 1]), 4)
    0.5
    """

    cumulative = False
    distinguishes = "grade"
    reference = "sakai2006airs"

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each relevant document down to the preferred rank counts the blended ratio there."""
        return self._down_to_best(ranked), self.ratio(ranked)

    def divisor(self, ranked: Ranked) -> Any:
        """How many relevant documents there are down to the preferred rank."""
        return self._down_to_best(ranked.cut(self.k)).sum(axis=1)

    def _down_to_best(self, ranked: Ranked) -> Any:
        grades = ranked.grade * self.hits(ranked)
        best = grades == grades.max(axis=1, initial=0.0)[:, None]
        none_above = np.cumsum(best, axis=1) - best == 0
        return self.hits(ranked) * none_above
