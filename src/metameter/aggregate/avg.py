"""avg: the average gain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.aggregate.base import Aggregation, Coefficients
from metameter.browse.page import Page
from metameter.registry import register


@register("aggregate", "avg")
@dataclass(frozen=True, repr=False)
class Avg(Aggregation):
    r"""A user who judges by the average of what they saw.

    .. math:: A(i) = \frac{1}{i} \sum_{j \le i} r_j

    References
    ----------
    moffat2022

    Examples
    --------
    >>> Avg().aggregate(Page([1, 0, 0.5]))
    array([1. , 0.5, 0.5])
    """

    rises_with_gain = True
    rests_at_once = True
    colour = 2

    def aggregate(self, page: Page) -> NDArray[np.float64]:
        """The gain gathered so far, divided by the rank."""
        return np.asarray(page.cumulative_gain / page.ranks)

    def beyond(self, page: Page, aggregated: NDArray[np.float64], gain: float = 0.0) -> Coefficients:
        """The gain of the list divided by a growing rank, which tends to the gain of the further items."""
        return Coefficients(constant=gain, per_rank=page.list_gain - gain * page.depth)
