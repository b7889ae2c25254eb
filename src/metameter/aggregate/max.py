"""max: the best item."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.aggregate.base import Aggregation, Coefficients
from metameter.browse.page import Page
from metameter.registry import register


@register("aggregate", "max")
@dataclass(frozen=True, repr=False)
class Max(Aggregation):
    r"""A user who remembers only the best item they saw.

    .. math:: A(i) = \max_{j \le i} r_j

    References
    ----------
    moffat2022

    Examples
    --------
    >>> Max().aggregate(Page([0.5, 0, 1]))
    array([0.5, 0.5, 1. ])
    """

    rises_with_gain = True
    rests_at_once = True
    colour = 3

    def aggregate(self, page: Page) -> NDArray[np.float64]:
        """The highest gain so far."""
        return page.best

    def beyond(self, page: Page, aggregated: NDArray[np.float64], gain: float = 0.0) -> Coefficients:
        """The best gain of the list, or that of a further item if it is higher."""
        return Coefficients(constant=np.maximum(aggregated[..., -1], gain))
