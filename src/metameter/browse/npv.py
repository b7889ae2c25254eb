"""The user of net present value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.browse.base import Browsing
from metameter.browse.browsing_state import Tail
from metameter.browse.page import Page
from metameter.browse.tails.geometric import geometric_tail
from metameter.parameters import number
from metameter.registry import register


@register("browse")
@dataclass(frozen=True, repr=False)
class NPV(Browsing):
    r"""A user for whom an item one rank further down is worth less by a rate of interest.

    .. math:: C(i) = \frac{1}{1 + rate}

    It is the user of RBP, with patience expressed as interest.

    Parameters
    ----------
    rate : float in [1e-9, 1e9]
        The interest a rank.

    References
    ----------
    azzopardi2019

    Examples
    --------
    >>> NPV(rate=0.25).view(Page([1, 0, 0]))
    array([1.  , 0.8 , 0.64])
    """

    rate: float = number(0.1, low=1e-9, high=1e9)

    reference = "azzopardi2019"
    user = "static"
    tails_at_once = True

    def continuation(self, page: Page) -> NDArray[np.float64]:
        """The discount of one rank."""
        return np.broadcast_to(1 / (1 + self.rate), page.gains.shape)

    def viewed_always(self) -> float:
        """The sum of a geometric series."""
        return (1 + self.rate) / self.rate

    def tail(self, page: Page, beyond: NDArray[np.float64]) -> Tail:
        """Geometric sums."""
        return geometric_tail(beyond, page.depth, self.rate / (1 + self.rate))
