"""ERR: the reciprocal of the rank at which the user leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.aggregate.base import Aggregation, Coefficients
from metameter.browse.page import Page
from metameter.registry import register


@register("aggregate")
@dataclass(frozen=True, repr=False)
class ERR(Aggregation):
    """A user who is less satisfied the further down they had to read, whatever they saw: one over the rank.

    .. math:: A(i) = 1 / i

    References
    ----------
    chapelle2009

    Examples
    --------
    >>> ERR().aggregate(Page([0, 0]))
    array([1. , 0.5])
    """

    reference = "chapelle2009"
    rises_with_gain = True
    rests_at_once = True
    colour = 6

    def aggregate(self, page: Page) -> NDArray[np.float64]:
        """One over the rank."""
        return np.broadcast_to(1.0 / page.ranks, page.gains.shape)

    def beyond(self, page: Page, aggregated: NDArray[np.float64], gain: float = 0.0) -> Coefficients:
        """One over the rank, as above."""
        return Coefficients(per_rank=1.0)
