"""Q, NCU, O and PPlus: metrics made of the blended ratio, precision mixed with cumulated gain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.judge.ranked import Ranked
from metameter.judge.sums import Cells
from metameter.metric.classic.base import Summed, ranks
from metameter.metric.classic.relevance import Binary, Graded, first, pad_to_depth
from metameter.parameters import number, option
from metameter.registry import register


@dataclass(frozen=True, repr=False)
class Blended(Binary, Graded, Summed):
    r"""A metric based on the blended ratio.

    .. math:: BR(i) = \frac{C(i) + \beta \, cg(i)}{i + \beta \, cg^*(i)}

    where the first i ranks hold C(i) relevant documents and the cumulated gain cg(i), those of the best list cg*(i).

    Parameters
    ----------
    beta : float in [0, inf)
        The weight of gain relative to precision; 0 gives precision.
    """

    beta: float = number(1.0, low=0)

    def relevant_gains(self, ranked: Ranked) -> NDArray[np.float64]:
        """The gains of the relevant documents."""
        return self.gains(ranked) * self.hits(ranked)

    def best_gains(self, ranked: Ranked) -> NDArray[np.float64]:
        """The gains of the relevant documents of the qrels, in descending order."""
        judgments = ranked.judgments

        def make() -> NDArray[np.float64]:
            gain_by_rank = judgments.ideal if judgments.mapped else self.gain_of(np.maximum(judgments.ideal, 0.0))
            gains = np.where(self.relevant_ideal(ranked), gain_by_rank, 0.0)
            return -np.sort(-gains, axis=1) if isinstance(self.gain, dict) else gains

        return judgments.once(("best", self.gain, self.rel), make)

    def best_cumulated(self, ranked: Ranked) -> NDArray[np.float64]:
        """The gain of the best list down to each rank."""

        def make() -> NDArray[np.float64]:
            judged = self.best_gains(ranked)
            return np.cumsum(pad_to_depth(judged, max(judged.shape[1], ranked.depth)), axis=1)

        key = ("best cumulated", self.gain, self.rel)
        return ranked.judgments.once_to_depth(key, ranked.depth, make)[:, : ranked.depth]

    def ratio(self, ranked: Ranked) -> NDArray[np.float64]:
        """The blended ratio at each rank."""
        gained, best = np.cumsum(self.relevant_gains(ranked), axis=1), self.best_cumulated(ranked)
        return np.asarray((self.retrieved_relevant(ranked) + self.beta * gained) / (ranks(ranked) + self.beta * best))


@register("metric")
@dataclass(frozen=True, repr=False)
class Q(Blended):
    r"""A user looks for one of the relevant documents; the score is the expected blended ratio of the list down to it.

    .. math:: Q@k = \frac{1}{\min(k, R)} \sum_{i \le k} rel_i \, BR(i)
        \qquad BR(i) = \frac{C(i) + \beta \, cg(i)}{i + \beta \, cg^*(i)}

    Parameters
    ----------
    beta : float in [0, inf)
        The weight of gain relative to precision; 0 gives average precision.
    k : int, optional
        The list is cut after k documents.
    gain : linear, exp or a table
        The gain of a document of grade g: g, 2^g - 1, or an entry of the table ``{grade: gain}``.
    norm : min or R
        The divisor of the sum: min(k, R), the most relevant documents that k ranks can hold, or R, all of them.
    rel : number above 0
        The lowest grade that counts as relevant.

    References
    ----------
    sakai2004

    Examples
    --------
    The only relevant document, of gain 1, is second: (1 + 1) / (2 + 1).

    >>> round(Q()([0, 1]), 4)
    0.6667
    """

    norm: str = option("min", choices=("min", "R"))
    distinguishes = "grade"
    reference = "sakai2004"

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each relevant document adds the blended ratio at its rank."""
        return self.hits(ranked), self.ratio(ranked)

    def nonzero_cells(self, ranked: Ranked) -> Cells:
        """The relevant documents."""
        return self.where_relevant(ranked)

    def divisor(self, ranked: Ranked) -> Any:
        """N, the number of relevant documents by the chosen normalisation."""
        if self.k is None:
            return self.total(ranked)
        return self.divisors(ranked, np.array([self.k]))[:, 0]

    def divisors(self, ranked: Ranked, depths: NDArray[np.int64]) -> Any:
        """The divisors at each of several depths."""
        total = self.total(ranked)[:, None]
        return total if self.norm == "R" else np.minimum(total, depths)


@register("metric")
@dataclass(frozen=True, repr=False)
class NCU(Blended):
    r"""Users stop at relevant documents with given probabilities; the score is the expected blended ratio there.

    .. math:: NCU = \sum_i Pr(i) \, BR(i)

    Parameters
    ----------
    beta : float in [0, inf)
        The weight of gain relative to precision in BR; with 0, BR is precision.
    gamma : float in (0, 1]
        For ``stop=rank``: the probability of going on from one relevant document to the next.
    stop : rank, graded or uniform
        Whether Pr(i) is proportional to gamma^(C(i) - 1), proportional to the gain, or equal for all R relevant ones.
    k : int, optional
        The list is cut after k documents; the probabilities stay the same.
    gain : linear, exp or a table
        The gain of a document of grade g: g, 2^g - 1, or an entry of the table ``{grade: gain}``.
    rel : number above 0
        The lowest grade that counts as relevant.

    References
    ----------
    sakai2008

    Examples
    --------
    Precision is 1 at the first relevant document and 2/3 at the second; twice as many users stop at the first.

    >>> round(NCU(beta=0, gamma=0.5)([1, 0, 1]), 4)
    0.8889
    """

    gamma: float = number(0.95, low=0, high=1, low_open=True)
    stop: str = option("rank", choices=("rank", "graded", "uniform"))
    distinguishes = "grade"
    reference = "sakai2008"
    fixed_divisor = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stop != "rank" and self.gamma != 0.95:
            raise MetameterError("NCU: gamma needs stop=rank", given=self.stop, fix="Leave gamma out.")

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """The weight of users who stop at each relevant document, and the blended ratio there."""
        return self.hits(ranked) * self._stopping(ranked), self.ratio(ranked)

    def nonzero_cells(self, ranked: Ranked) -> Cells:
        """The relevant documents."""
        return self.where_relevant(ranked)

    def divisor(self, ranked: Ranked) -> Any:
        """The weight of users over all relevant documents of the qrels."""
        total = self.total(ranked)
        if self.stop == "uniform":
            return total
        if self.stop == "graded":
            return self.best_gains(ranked).sum(axis=1)
        if self.gamma == 1:
            return total
        return (1.0 - self.gamma**total) / (1.0 - self.gamma)

    def _stopping(self, ranked: Ranked) -> Any:
        if self.stop == "uniform":
            return 1.0
        if self.stop == "graded":
            return self.relevant_gains(ranked)
        return self.gamma ** np.maximum(self.retrieved_relevant(ranked) - 1.0, 0.0)


@register("metric")
@dataclass(frozen=True, repr=False)
class O(Blended):  # noqa: E742
    r"""A user stops at the first relevant document, whatever its grade: the blended ratio there.

    .. math:: O = BR(r_1) = \frac{1 + \beta \, g(r_1)}{r_1 + \beta \, cg^*(r_1)}

    Parameters
    ----------
    beta : float in [0, inf)
        The weight of gain relative to precision; 0 gives reciprocal rank.
    k : int, optional
        The list is cut after k documents.
    gain : linear, exp or a table
        The gain of a document of grade g: g, 2^g - 1, or an entry of the table ``{grade: gain}``.
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
        """The first relevant document adds the blended ratio at its rank."""
        return first(self.hits(ranked)), self.ratio(ranked)

    def divisor(self, ranked: Ranked) -> Any:
        """1: the sum is the score."""
        return 1.0


@register("metric")
@dataclass(frozen=True, repr=False)
class PPlus(Blended):
    r"""P+: users stop at any relevant document down to the first that has the highest grade in the list.

    .. math:: P^+ = \frac{1}{C(r_p)} \sum_{i \le r_p} rel_i \, BR(i)

    where r_p, the preferred rank, is the first with the highest grade in the list.

    Parameters
    ----------
    beta : float in [0, inf)
        The weight of gain relative to precision.
    k : int, optional
        The list is cut after k documents.
    gain : linear, exp or a table
        The gain of a document of grade g: g, 2^g - 1, or an entry of the table ``{grade: gain}``.
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
        """Each relevant document down to the preferred rank adds the blended ratio at its rank."""
        return self._down_to_best(ranked), self.ratio(ranked)

    def divisor(self, ranked: Ranked) -> Any:
        """The number of relevant documents down to the preferred rank."""
        return self._down_to_best(ranked.cut(self.k)).sum(axis=1)

    def _down_to_best(self, ranked: Ranked) -> Any:
        grades = ranked.grade * self.hits(ranked)
        best = grades == grades.max(axis=1, initial=0.0)[:, None]
        none_above = np.cumsum(best, axis=1) - best == 0
        return self.hits(ranked) * none_above
