"""Cart1 and Cart2: two of Carterette's users, whose attention fades with the rank or with the gain found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.browse.base import Browsing
from metameter.browse.page import Page
from metameter.parameters import depth
from metameter.registry import register


@register("browse")
@dataclass(frozen=True, repr=False)
class Cart1(Browsing):
    r"""A user who views rank i with probability 1/i, and stops at rank k.

    .. math:: C(i) = \frac{i}{i+1} \text{ for } i < k, \text{ else } 0

    Parameters
    ----------
    k : int
        The last rank; without one the expected number of items viewed is infinite.

    References
    ----------
    carterette2011

    Examples
    --------
    >>> Cart1(k=4).view(Page([1, 0, 0, 0])).round(4)
    array([1.    , 0.5   , 0.3333, 0.25  ])
    """

    k: int | None = depth(required=True)

    reference = "carterette2011"
    user = "static"
    only_stops_at_k = True

    def continuation(self, page: Page) -> NDArray[np.float64]:
        """The ratio i / (i + 1) of successive reciprocal ranks."""
        return np.broadcast_to(page.ranks / (page.ranks + 1), page.gains.shape)


@register("browse")
@dataclass(frozen=True, repr=False)
class Cart2(Browsing):
    r"""A user who may leave at items with gain only, less likely the more they have gathered, and stops at rank k.

    .. math:: C(i) = 1 \text{ if } r_i = 0, \text{ else } \frac{R_i}{R_i + 1},
        \quad R_i = \sum_{j \le i} r_j; \quad C(k) = 0

    Parameters
    ----------
    k : int
        The last rank.

    References
    ----------
    carterette2011

    Examples
    --------
    >>> Cart2(k=4).view(Page([1, 0, 1, 0])).round(4)
    array([1.    , 0.5   , 0.5   , 0.3333])
    """

    k: int | None = depth(required=True)

    reference = "carterette2011"
    only_stops_at_k = True

    def continuation(self, page: Page) -> NDArray[np.float64]:
        """1 at items without gain, else R / (R + 1)."""
        return np.where(page.gains > 0, page.cumulative_gain / (page.cumulative_gain + 1), 1.0)
