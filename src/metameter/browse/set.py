"""SET: the user of the economic model of search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.browse.base import Browsing
from metameter.browse.page import Page
from metameter.parameters import depth, number
from metameter.registry import register


@register("browse")
@dataclass(frozen=True, repr=False)
class SET(Browsing):
    r"""A user with diminishing returns, to whom n items bring about n^beta in total, and who stops at rank k.

    .. math:: C(i) = \frac{w(i+1)}{w(i)} \text{ for } i < k, \text{ else } 0, \quad w(i) = (i+1)^\beta - i^\beta

    Parameters
    ----------
    beta : float in [1e-9, 1]
        How slowly returns diminish; at 1 they do not, and this is the user of precision.
    k : int
        The last rank.

    References
    ----------
    azzopardi2014

    Examples
    --------
    >>> SET(beta=0.5, k=2).view(Page([1, 0])).round(4)  # (sqrt(3) - sqrt(2)) / (sqrt(2) - 1)
    array([1.    , 0.7673])
    """

    beta: float = number(0.5, low=1e-9, high=1)
    k: int | None = depth(required=True)

    reference = "azzopardi2014"
    user = "static"
    only_stops_at_k = True

    def continuation(self, page: Page) -> NDArray[np.float64]:
        """The ratio of what successive items bring."""
        returns = _return_of_item(np.append(page.ranks, page.depth + 1), self.beta)
        return np.broadcast_to(returns[1:] / returns[:-1], page.gains.shape)


def _return_of_item(rank: NDArray[np.float64], beta: float) -> NDArray[np.float64]:
    """(i+1)^beta - i^beta, without the difference of two large numbers."""
    return np.asarray(rank**beta * np.expm1(beta * np.log1p(1 / rank)))
