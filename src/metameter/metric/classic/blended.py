"""The blended ratio of Sakai's family of metrics: precision and cumulated gain in one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metameter.judge.ranked import Ranked
from metameter.metric.classic.base import Summed, ranks
from metameter.metric.classic.binary import Binary
from metameter.metric.classic.graded import Graded, fitted
from metameter.parameters import number

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Blended"]


@dataclass(frozen=True, repr=False)
class Blended(Binary, Graded, Summed):
    r"""A metric made of blended ratios.

    .. math:: BR(i) = \frac{C(i) + \beta \, cg(i)}{i + \beta \, cg^*(i)}

    with C(i) relevant documents and cumulated gain cg(i) down to rank i, and cg*(i) that of the best list.

    Parameters
    ----------
    beta : float in [0, inf)
        How much gain counts against precision; 0 gives precision.
    """

    beta: float = number(1.0, low=0)

    def relevant_gains(self, ranked: Ranked) -> NDArray[np.float64]:
        """The gains of the relevant documents."""
        return self.gains(ranked) * self.hits(ranked)

    def best_gains(self, ranked: Ranked) -> NDArray[np.float64]:
        """The gains of the relevant documents of the qrels, falling."""
        judgments = ranked.judgments

        def make() -> NDArray[np.float64]:
            worth = judgments.ideal if judgments.mapped else self.worth(np.maximum(judgments.ideal, 0.0))
            gains = np.where(self.relevant_ideal(ranked), worth, 0.0)
            return -np.sort(-gains, axis=1) if isinstance(self.gain, dict) else gains

        return judgments.once(("best", self.gain, self.rel), make)

    def best_cumulated(self, ranked: Ranked) -> NDArray[np.float64]:
        """The gain of the best list down to each rank."""
        memo, key = ranked.judgments.memo, ("best cumulated", self.gain, self.rel)
        cumulated: NDArray[np.float64] | None = memo.get(key)
        if cumulated is None or cumulated.shape[1] < ranked.depth:
            # As deep as the deepest list so far: one array for all runs.
            judged = self.best_gains(ranked)
            memo[key] = cumulated = np.cumsum(fitted(judged, max(judged.shape[1], ranked.depth)), axis=1)
        return cumulated[:, : ranked.depth]

    def ratio(self, ranked: Ranked) -> NDArray[np.float64]:
        """The blended ratio at each rank."""
        gained, best = np.cumsum(self.relevant_gains(ranked), axis=1), self.best_cumulated(ranked)
        return np.asarray((self.retrieved(ranked) + self.beta * gained) / (ranks(ranked) + self.beta * best))
