"""Base classes of the classical metrics: a metric that is a sum over ranks gives gain, discount and divisor."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from metameter.judge.condense import condense
from metameter.judge.ranked import Ranked
from metameter.judge.sums import Cells, at_each, sum_where
from metameter.metric.base import Metric, at_depths, checked_depths
from metameter.parameters import Bounds, option


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
    above, below = np.asarray(above, dtype=np.float64), np.asarray(below, dtype=np.float64)
    if below.all():
        return np.asarray(above / below)
    above, below = np.broadcast_arrays(above, below)
    return np.asarray(np.divide(above, below, out=np.zeros(above.shape), where=below != 0))


def _divide_in_place(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide in place, since arrays of all depths are large; 0/0 is 0."""
    some = below != 0
    if some.all():
        return np.divide(above, below, out=above)
    above *= some
    return np.divide(above, below, out=above, where=np.broadcast_to(some, above.shape))


@dataclass(frozen=True, repr=False)
class Classic(Metric):
    """A classical metric."""

    def explain(self, ranked: Ranked) -> dict[str, NDArray[np.float64]]:
        """Rank, grade, gain, discount and contribution, each topics x depth.

        Contributions sum to the score; they are NaN where the score is no sum over ranks.
        """
        listed = condense(ranked) if self.judged_only else ranked
        cut = listed.cut(self.k)
        names = ("gain", "discount", "contribution")
        account = {name: _spread(part, cut) for name, part in zip(names, self._account(listed), strict=True)}
        return {"rank": _spread(ranks(cut), cut), "grade": cut.grade, **account}

    def _account(self, ranked: Ranked) -> tuple[Any, Any, Any]:
        return np.nan, np.nan, np.nan


def _spread(values: Any, ranked: Ranked) -> NDArray[np.float64]:
    return np.array(np.broadcast_to(values, ranked.grade.shape), dtype=np.float64)


@dataclass(frozen=True, repr=False)
class Summed(Classic):
    """A metric that sums gain times discount over the ranks and divides the sum by a number per topic."""

    #: Whether the parts of a rank stay the same when the list is cut deeper.
    cumulative: ClassVar[bool] = True
    #: Whether the divisor is the same at every depth.
    fixed_divisor: ClassVar[bool] = False

    @abstractmethod
    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """The gain and the discount of each rank of a list that has been cut."""

    @abstractmethod
    def divisor(self, ranked: Ranked) -> Any:
        """The divisor of the sum for each topic, from the uncut list; a topic with divisor 0 scores 0."""

    def divisors(self, ranked: Ranked, depths: NDArray[np.int64]) -> Any:
        """The divisors at each of several depths: topics x depths, or one row or column for all.

        By default `divisor` is called for each depth; metrics override this to compute all depths at once.
        """
        if self.fixed_divisor:
            return np.reshape(self.divisor(ranked), (-1, 1))
        each = [replace(self, k=int(k)).divisor(ranked) for k in depths]
        return np.stack([np.broadcast_to(one, len(ranked.length)) for one in each], axis=1)

    @property
    def parts_key(self) -> Hashable | None:
        """Metrics with the same key have the same parts and share their cumulative sums; None: not shared."""
        return None

    def nonzero_cells(self, ranked: Ranked) -> Cells | None:
        """The ranks whose gain may differ from 0, if they are known without computing the gains."""
        return None

    def values(self, ranked: Ranked) -> NDArray[np.float64]:
        """One score per topic."""
        return divide(self.sum_over_ranks(ranked.cut(self.k)), self.divisor(ranked))

    def sum_over_ranks(self, ranked: Ranked) -> NDArray[np.float64]:
        """The sum over the ranks of a list that has been cut."""
        gain, discount = self.parts(ranked)
        return sum_where(gain * discount, lambda: self.nonzero_cells(ranked))

    def curve(self, ranked: Ranked, depths: Sequence[int]) -> NDArray[np.float64]:
        """The scores at each of several depths, topics x depths; in one pass where the metric is cumulative."""
        if not self.cumulative:
            return super().curve(ranked, depths)
        checked = checked_depths(depths)
        if not checked.size:
            return at_depths([], ranked)
        listed = condense(ranked) if self.judged_only else ranked
        key = self.parts_key
        sums = self._sums_down(listed) if key is None else listed.once(key, lambda: self._sums_down(listed))
        sums = at_each(sums, checked) if listed.depth else np.zeros((len(sums), checked.size))
        sums = sums if key is None else sums.copy()  # they are divided in place
        return _divide_in_place(sums, np.asarray(self.divisors(listed, checked)))

    def _sums_down(self, listed: Ranked) -> NDArray[np.float64]:
        gain, discount = self.parts(listed)
        sums = gain * discount
        return np.cumsum(sums, axis=1, out=sums)

    def _account(self, ranked: Ranked) -> tuple[Any, Any, Any]:
        gain, discount = self.parts(ranked.cut(self.k))
        divisor = np.broadcast_to(self.divisor(ranked), len(ranked.length))
        discount = divide(np.broadcast_to(discount, gain.shape), divisor[:, None])
        return gain, discount, gain * discount
