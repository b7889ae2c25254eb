"""What the classical metrics have in common: they account for their score rank by rank where it is a sum over ranks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from metameter.judge.condense import condense
from metameter.judge.ranked import Ranked
from metameter.metric.base import Metric, at_depths
from metameter.notation import depth_after
from metameter.parameters import Bounds, option

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Classic", "Summed", "above", "divide", "ranks"]


def above(low: float, default: float) -> Any:
    """Declare an option that is a number above ``low``."""
    return option(default, bounds=Bounds(low, low_open=True))


def ranks(ranked: Ranked) -> NDArray[np.float64]:
    """1, 2, ..., depth."""
    return np.arange(1.0, ranked.depth + 1)


def divide(above: Any, below: Any) -> NDArray[np.float64]:
    """Divide; 0/0 is 0.

    Examples
    --------
    >>> divide([1.0, 0.0], [2, 0])
    array([0.5, 0. ])
    """
    above, below = np.broadcast_arrays(np.asarray(above, dtype=np.float64), np.asarray(below, dtype=np.float64))
    return np.asarray(np.divide(above, below, out=np.zeros(above.shape), where=below != 0))


@dataclass(frozen=True, repr=False)
class Classic(Metric):
    """A classical metric."""

    def explain(self, ranked: Ranked) -> dict[str, NDArray[np.float64]]:
        """Rank, grade, gain, discount and contribution, each topics x depth.

        Contributions sum to the score; they are NaN where the score is no sum over ranks.
        """
        listed = condense(ranked) if self.judged_only else ranked
        shown = listed.cut(self.k)
        names = ("gain", "discount", "contribution")
        account = {name: _spread(part, shown) for name, part in zip(names, self._account(listed), strict=True)}
        return {"rank": _spread(ranks(shown), shown), "grade": shown.grade, **account}

    def _account(self, ranked: Ranked) -> tuple[Any, Any, Any]:
        return np.nan, np.nan, np.nan


def _spread(values: Any, ranked: Ranked) -> NDArray[np.float64]:
    return np.array(np.broadcast_to(values, ranked.grade.shape), dtype=np.float64)


@dataclass(frozen=True, repr=False)
class Summed(Classic):
    """A metric that adds gain times discount over the ranks, and divides by something of the topic."""

    #: Whether a deeper cut leaves the parts of the ranks above it as they are.
    cumulative: ClassVar[bool] = True

    @abstractmethod
    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """The gain and the discount of each rank of a list that is cut already."""

    @abstractmethod
    def divisor(self, ranked: Ranked) -> Any:
        """What the sum is divided by, for each topic of a list that is not cut; a topic with 0 scores 0."""

    def values(self, ranked: Ranked) -> NDArray[np.float64]:
        """One score per topic."""
        gain, discount = self.parts(ranked.cut(self.k))
        return divide((gain * discount).sum(axis=1), self.divisor(ranked))

    def curve(self, ranked: Ranked, depths: Sequence[int]) -> NDArray[np.float64]:
        """The scores at each of several depths, topics x depths; in one pass where the metric is cumulative."""
        if not self.cumulative:
            return super().curve(ranked, depths)
        listed = condense(ranked) if self.judged_only else ranked
        cuts = [(depth_after(k, f"@{k}"), replace(self, k=k)) for k in depths]
        gain, discount = self.parts(listed)
        sums = np.cumsum(np.pad(gain * discount, ((0, 0), (1, 0))), axis=1)
        scores = [divide(sums[:, min(k, listed.depth)], each.divisor(listed)) for k, each in cuts]
        return at_depths(scores, ranked)

    def _account(self, ranked: Ranked) -> tuple[Any, Any, Any]:
        gain, discount = self.parts(ranked.cut(self.k))
        divisor = np.broadcast_to(self.divisor(ranked), len(ranked.length))
        discount = divide(np.broadcast_to(discount, gain.shape), divisor[:, None])
        return gain, discount, gain * discount
