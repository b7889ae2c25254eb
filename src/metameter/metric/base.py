"""What every metric is: a function from a run's evidence to one score a topic."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.judge.condense import condense
from metameter.judge.ranked import Ranked
from metameter.parameters import Spelled, depth, option

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Metric"]


@dataclass(frozen=True, repr=False)
class Metric(Spelled):
    """A metric of the classical kind: subclasses give `values`; the rest is common.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    judged_only : bool
        Score the condensed list: documents without judgment are removed first.
    """

    k: int | None = depth()
    judged_only: bool = option(False, choices=(False, True))

    @abstractmethod
    def values(self, ranked: Ranked) -> NDArray[np.float64]:
        """One score a topic for a list that is condensed already, where asked; the cut is left to the metric."""

    def score(self, ranked: Ranked) -> NDArray[np.float64]:
        """One score a topic."""
        return self.values(condense(ranked) if self.judged_only else ranked)

    def __call__(self, gains: Any) -> float:
        """The score of one list of gains in [0, 1]."""
        return float(self.score(Ranked.of_gains(gains))[0])
