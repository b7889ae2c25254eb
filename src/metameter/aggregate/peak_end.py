"""fin and PE: the last item, and the peak-end rule."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.aggregate.base import Aggregation, Coefficients
from metameter.browse.page import Page
from metameter.parameters import number
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
        """The gain of the further item."""
        return Coefficients(constant=gain)


@register("aggregate")
@dataclass(frozen=True, repr=False)
class PE(Aggregation):
    r"""A user who remembers the best item and the last one.

    .. math:: A(i) = \beta \max_{j \le i} r_j + (1 - \beta) r_i

    Parameters
    ----------
    beta : float in [0, 1]
        The weight of the best item; 1 is ``max``, 0 is ``fin``.

    References
    ----------
    moffat2022

    Examples
    --------
    >>> PE(beta=0.5).aggregate(Page([1, 0]))
    array([1. , 0.5])
    """

    beta: float = number(0.5, low=0, high=1)

    rises_with_gain = True
    rests_at_once = True
    colour = 5

    def aggregate(self, page: Page) -> NDArray[np.float64]:
        """The weighted sum of the best gain so far and the gain at the rank itself."""
        return np.asarray(self.beta * page.best + (1 - self.beta) * page.gains)

    def beyond(self, page: Page, aggregated: NDArray[np.float64], gain: float = 0.0) -> Coefficients:
        """The best gain, and the gain of a further item as the last."""
        return Coefficients(constant=self.beta * np.maximum(page.best[..., -1], gain) + (1 - self.beta) * gain)
