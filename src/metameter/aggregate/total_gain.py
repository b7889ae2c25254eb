"""ETG and ERG: the total gain, and the gain per item viewed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.aggregate.base import Aggregation, Coefficients
from metameter.browse.page import Page
from metameter.registry import register


@register("aggregate")
@dataclass(frozen=True, repr=False)
class ETG(Aggregation):
    r"""A user who keeps everything they saw: the sum of the gains.

    .. math:: A(i) = \sum_{j \le i} r_j

    References
    ----------
    moffat2022

    Examples
    --------
    >>> ETG().aggregate(Page([0.5, 0, 1]))
    array([0.5, 0.5, 1.5])
    """

    additive = True
    rises_with_gain = True
    rests_at_once = True
    colour = 1

    def aggregate(self, page: Page) -> NDArray[np.float64]:
        """The gain gathered so far."""
        return page.cumulative_gain

    def beyond(self, page: Page, aggregated: NDArray[np.float64], gain: float = 0.0) -> Coefficients:
        """The gain of the list plus that of each further item."""
        return Coefficients(constant=page.list_gain, growth=gain)


@register("aggregate")
@dataclass(frozen=True, repr=False)
class ERG(Aggregation):
    r"""A user who judges by the rate of gain: the gain seen, divided by the expected number of items viewed.

    .. math:: A(i) = \frac{1}{V^+} \sum_{j \le i} r_j

    References
    ----------
    moffat2022

    Examples
    --------
    >>> ERG().aggregate(Page([0.5, 0, 1]))  # before division by the expected number of items viewed
    array([0.5, 0.5, 1.5])
    """

    additive = True
    rate = True
    rises_with_gain = True
    rests_at_once = True
    colour = 0

    def aggregate(self, page: Page) -> NDArray[np.float64]:
        """The gain gathered so far; the product with a browsing model divides it."""
        return page.cumulative_gain

    def beyond(self, page: Page, aggregated: NDArray[np.float64], gain: float = 0.0) -> Coefficients:
        """The gain of the list plus that of each further item."""
        return Coefficients(constant=page.list_gain, growth=gain)
