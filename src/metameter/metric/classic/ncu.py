"""NCU: normalised cumulative utility, a population of users who stop at relevant documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from metameter.errors import MetameterError
from metameter.judge.ranked import Ranked
from metameter.judge.sums import Places
from metameter.metric.classic.relevance import Blended
from metameter.parameters import number, option
from metameter.registry import register


@register("metric")
@dataclass(frozen=True, repr=False)
class NCU(Blended):
    r"""Users stop at relevant documents with given probabilities and see the blended ratio down to there.

    .. math:: NCU = \sum_i Pr(i) \, BR(i)

    Parameters
    ----------
    beta : float in [0, inf)
        How much gain counts against precision in BR; 0 gives precision.
    gamma : float in (0, 1]
        For ``stop=rank``: how likely a user is to go on from one relevant document to the next.
    stop : rank, graded or uniform
        Pr(i): in proportion to gamma^(C(i) - 1); to the gain of the document; or the same for all R relevant ones.
    k : int, optional
        The list is cut after k documents; the probabilities remain.
    gain : linear, exp or a table
        A document of grade g is worth g, or 2^g - 1, or what the table ``{grade: gain}`` says.
    rel : number above 0
        The lowest grade that counts as relevant.

    References
    ----------
    sakai2008

    Examples
    --------
    Precision is 1 at the first relevant document, 2/3 at the second; gamma=0.5 stops twice as often at the first.

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
            raise MetameterError("NCU: gamma is for stop=rank", given=self.stop, fix="Leave gamma out.")

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """How many stop at each relevant document, and what they have then."""
        return self.hits(ranked) * self._stopping(ranked), self.ratio(ranked)

    def counted(self, ranked: Ranked) -> Places:
        """The relevant documents."""
        return self.where_relevant(ranked)

    def divisor(self, ranked: Ranked) -> Any:
        """How many stop at any of the relevant documents."""
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
        return self.gamma ** np.maximum(self.retrieved(ranked) - 1.0, 0.0)
