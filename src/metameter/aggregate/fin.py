"""The last item."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.aggregate.base import Aggregation, Coefficients
from metameter.browse.page import Page
from metameter.registry import register


@register("aggregate", "fin")
@dataclass(frozen=True, repr=False)
class Fin(Aggregation):
    """A user who remembers only the last item they saw.

    .. math:: A(i) = r_i

    References
    ----------
    moffat2022

    Examples
    --------
    >>> Fin().aggregate(Page([0.5, 0, 1]))
    array([0.5, 0. , 1. ])
    """

    rises_with_gain = True
    rests_at_once = True
    colour = 4

    def aggregate(self, page: Page) -> NDArray[np.float64]:
        """The gain at the rank itself."""
        return page.gains

    def beyond(self, page: Page, aggregated: NDArray[np.float64], gain: float = 0.0) -> Coefficients:
        """A further item."""
        return Coefficients(constant=gain)
