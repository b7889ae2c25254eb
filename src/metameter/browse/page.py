"""The page: a ranked list as gains, with costs and the recall base where they are known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.judge.sums import Cells, at_each, where_not_zero

__all__ = ["Cuts", "Page"]

_DOWN_TO_EACH_RANK = ("ranks", "cumulative_gain", "best", "cumulative_cost")


@dataclass(frozen=True, eq=False)
class Page:
    """Gains by rank, of one list or of many lists (topics) at once.

    Parameters
    ----------
    gains : array, ... x ranks
        Gains in [0, 1]. Beyond the last rank every gain is 0.
    costs : array like ``gains``, optional
        The cost of looking at each item, above 0; where it is NaN, and beyond the list, the cost is 1.
    total_gain : array, optional
        For each list the recall base: the total gain of all relevant documents in the collection.

    Examples
    --------
    >>> Page([0.5, 1]).resized(3).gains
    array([0.5, 1. , 0. ])
    """

    gains: NDArray[np.float64]
    costs: NDArray[np.float64] | None = None
    total_gain: NDArray[np.float64] | None = None

    def __init__(self, gains: Any, costs: Any = None, total_gain: Any = None) -> None:
        values = _ranks(gains)
        if values.size and not (values.min() >= 0 and values.max() <= 1):
            wrong = values[~((values >= 0) & (values <= 1))][0]
            raise MetameterError(
                "a gain is outside [0, 1]", given=float(wrong), fix="Divide grades by the highest grade of the scale."
            )
        object.__setattr__(self, "gains", values)
        object.__setattr__(self, "costs", None if costs is None else _costs(costs, values))
        total = None if total_gain is None else np.asarray(total_gain, dtype=np.float64)
        object.__setattr__(self, "total_gain", total)

    @classmethod
    def trusted(
        cls,
        gains: NDArray[np.float64],
        costs: NDArray[np.float64] | None = None,
        total_gain: NDArray[np.float64] | None = None,
    ) -> Page:
        """Make a page of arrays that are known to be in range, without checking them."""
        page = object.__new__(cls)
        object.__setattr__(page, "gains", gains)
        object.__setattr__(page, "costs", costs)
        object.__setattr__(page, "total_gain", total_gain)
        return page

    @property
    def depth(self) -> int:
        """How many ranks it has."""
        return int(self.gains.shape[-1])

    @cached_property
    def ranks(self) -> NDArray[np.float64]:
        """1, 2, ..., depth."""
        return np.arange(1.0, self.depth + 1)

    @cached_property
    def cumulative_gain(self) -> NDArray[np.float64]:
        """The gain of all items down to each rank."""
        return np.cumsum(self.gains, axis=-1)

    @cached_property
    def best(self) -> NDArray[np.float64]:
        """The highest gain down to each rank."""
        return np.maximum.accumulate(self.gains, axis=-1)

    @cached_property
    def list_gain(self) -> NDArray[np.float64]:
        """The gain of the whole list, per list; that of the collection is ``total_gain``."""
        return np.asarray(self.cumulative_gain[..., -1] if self.depth else np.zeros(self.gains.shape[:-1]))

    @cached_property
    def cumulative_cost(self) -> NDArray[np.float64]:
        """The cost of looking at all items down to each rank; 1 per item where no costs are known."""
        if self.costs is None:
            return np.broadcast_to(self.ranks, self.gains.shape)
        return np.cumsum(self.costs, axis=-1)

    @property
    def list_cost(self) -> NDArray[np.float64]:
        """The cost of looking at the whole list, per list."""
        return np.asarray(self.cumulative_cost[..., -1] if self.depth else np.zeros(self.gains.shape[:-1]))

    @cached_property
    def where_gain(self) -> Cells:
        """The items that have any gain."""
        return where_not_zero(self.gains)

    def flat(self) -> Page:
        """The same lists, one per row."""
        rows = (-1, self.depth) if self.depth else (int(np.prod(self.gains.shape[:-1])), 0)
        return Page.trusted(
            self.gains.reshape(rows),
            costs=None if self.costs is None else self.costs.reshape(rows),
            total_gain=None if self.total_gain is None else self.total_gain.reshape(-1),
        )

    def select(self, rows: NDArray[Any]) -> Page:
        """The lists of these rows."""
        costs = None if self.costs is None else self.costs[rows]
        return Page.trusted(self.gains[rows], costs, None if self.total_gain is None else self.total_gain[rows])

    def resized(self, depth: int, gain: float = 0.0) -> Page:
        """The first ``depth`` ranks, with items of that gain added where the list is shorter."""
        if depth == self.depth:
            return self
        page = Page.trusted(
            _resized(self.gains, depth, gain),
            costs=None if self.costs is None else _resized(self.costs, depth, 1.0),
            total_gain=self.total_gain,
        )
        if depth < self.depth:
            # Values computed down to each rank hold for the first ranks, too.
            page.__dict__.update({k: v[..., :depth] for k, v in self.__dict__.items() if k in _DOWN_TO_EACH_RANK})
        return page


class Cuts:
    """The totals of a page cut after each of several depths, for all depths at once.

    Parameters
    ----------
    page : Page
    depth : array
        The depths, each from 1 to that of the page.

    Examples
    --------
    >>> cuts = Cuts(Page([0.5, 0, 1]), np.array([1, 3]))
    >>> cuts.list_gain, cuts.best[..., -1], cuts.list_cost
    (array([0.5, 1.5]), array([0.5, 1. ]), array([1., 3.]))
    """

    def __init__(self, page: Page, depth: NDArray[np.int64]) -> None:
        self.page, self.depth = page, depth

    @cached_property
    def list_gain(self) -> NDArray[np.float64]:
        """The gain of each list at each cut, ... x depths."""
        return at_each(self.page.cumulative_gain, self.depth)

    @cached_property
    def list_cost(self) -> NDArray[np.float64]:
        """The cost of looking at each list at each cut, ... x depths."""
        return at_each(self.page.cumulative_cost, self.depth)

    @property
    def best(self) -> NDArray[np.float64]:
        """The highest gain of each list at each cut, ... x depths x 1, since callers take the last rank."""
        return at_each(self.page.best, self.depth)[..., None]


def _ranks(gains: Any) -> NDArray[np.float64]:
    try:
        values = np.asarray(gains, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise _no_list(gains) from None
    if values.ndim == 0:
        raise _no_list(gains)
    return values


def _no_list(gains: Any) -> MetameterError:
    return MetameterError(
        "gains are not a list of numbers", given=gains, fix="Give numbers in [0, 1], such as [1, 0, 0.5]."
    )


def _costs(costs: Any, gains: NDArray[np.float64]) -> NDArray[np.float64]:
    try:
        values = np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        fix = "Give each item one cost above 0."
        raise MetameterError("costs are not a list of numbers", given=costs, fix=fix) from None
    if values.shape != gains.shape:
        fix = "Give each item one cost."
        raise MetameterError("costs and gains differ in number", given=values.shape, allowed=str(gains.shape), fix=fix)
    values = np.where(np.isnan(values), 1.0, values)
    if not ((values > 0) & np.isfinite(values)).all():
        wrong = values[~((values > 0) & np.isfinite(values))][0]
        raise MetameterError(
            "a cost is not a positive number", given=float(wrong), fix="Give costs above 0; leave unknown ones out."
        )
    return values


def _resized(values: NDArray[np.float64], depth: int, fill: float) -> NDArray[np.float64]:
    if depth <= values.shape[-1]:
        return values[..., :depth]
    pad = np.full((*values.shape[:-1], depth - values.shape[-1]), fill)
    return np.concatenate([values, pad], axis=-1)
