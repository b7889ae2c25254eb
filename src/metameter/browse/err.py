"""ERR, RRbin and NERR8 to NERR11: users who leave when satisfied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.browse.base import Browsing
from metameter.browse.browsing_state import Tail
from metameter.browse.page import Page
from metameter.browse.tails.geometric import geometric_tail
from metameter.browse.tails.quadratic import square_tail
from metameter.parameters import depth, number, option
from metameter.registry import register


@register("browse")
@dataclass(frozen=True, repr=False)
class ERR(Browsing):
    """A user whom each item satisfies with a probability equal to its gain, and who then leaves.

    .. math:: C(i) = 1 - r_i

    Users who are never satisfied never leave; without a last rank they add nothing to the score. With exponential
    gain, (2^g - 1) / 2^g_max, even a document of the highest grade leaves some users unsatisfied.

    References
    ----------
    chapelle2009

    Examples
    --------
    >>> ERR().last(Page([0.5, 0, 1]))
    array([0.5, 0. , 0.5])
    """

    gain: Any = option("exp", range="linear, exp, binary(l) or a table {grade: gain}")

    canonical = "ERR"
    diverges = True
    order_free_view = True
    reference = "chapelle2009"
    tails_at_once = True

    def continuation(self, page: Page) -> NDArray[np.float64]:
        """1 - r, the probability of not being satisfied."""
        return np.asarray(1.0 - page.gains)

    def bounded(self, aggregation: str) -> bool:
        """Only with ERR: a higher gain makes users leave earlier, where the reciprocal rank is higher."""
        return aggregation == "ERR"

    def tail(self, page: Page, beyond: NDArray[np.float64]) -> Tail:
        """Users who get beyond the end never leave: nothing satisfies them there."""
        return Tail.endless(beyond)


@register("browse")
@dataclass(frozen=True, repr=False)
class RRbin(Browsing):
    r"""A user who reads down to the first item with any gain and leaves there.

    .. math:: C(i) = 1 \text{ until the first } i \text{ with } r_i > 0, \text{ then } 0

    References
    ----------
    moffat2022

    Examples
    --------
    >>> RRbin().last(Page([0, 0.3, 1]))
    array([0., 1., 0.])
    """

    canonical = "ERR"
    order_free_view = True
    reference = "moffat2022"
    tails_at_once = True

    def continuation(self, page: Page) -> NDArray[np.float64]:
        """1 until an item has gain, then 0."""
        return np.asarray(page.cumulative_gain == 0, dtype=np.float64)

    def tail(self, page: Page, beyond: NDArray[np.float64]) -> Tail:
        """Users who get beyond the end never leave: nothing is found there."""
        return Tail.endless(beyond)


@register("browse")
@dataclass(frozen=True, repr=False)
class NERR8(Browsing):
    r"""A user whom each item satisfies with a probability equal to its gain, and who stops at rank k at the latest.

    .. math:: C(i) = 1 - r_i \text{ for } i < k, \text{ else } 0

    Parameters
    ----------
    k : int
        The last rank.

    References
    ----------
    azzopardi2021

    Examples
    --------
    >>> NERR8(k=3).last(Page([0.5, 0, 0, 1]))
    array([0.5, 0. , 0.5])
    """

    k: int | None = depth(required=True)

    reference = "azzopardi2021"
    only_stops_at_k = True

    def continuation(self, page: Page) -> NDArray[np.float64]:
        """1 - r, the probability of not being satisfied."""
        return np.asarray(1.0 - page.gains)


@register("browse")
@dataclass(frozen=True, repr=False)
class NERR9(Browsing):
    r"""A user who leaves when satisfied, whose attention also falls as 1/i with the rank i, and who stops at rank k.

    .. math:: C(i) = \frac{i}{i+1} (1 - r_i) \text{ for } i < k, \text{ else } 0

    Parameters
    ----------
    k : int
        The last rank.

    References
    ----------
    azzopardi2021

    Examples
    --------
    >>> NERR9(k=2).continuation(Page([0.5, 0]))
    array([0.25      , 0.66666667])
    """

    k: int | None = depth(required=True)

    reference = "azzopardi2021"
    only_stops_at_k = True

    def continuation(self, page: Page) -> NDArray[np.float64]:
        """The probability of being neither tired nor satisfied."""
        return np.asarray(page.ranks / (page.ranks + 1) * (1.0 - page.gains))


@register("browse")
@dataclass(frozen=True, repr=False)
class NERR10(Browsing):
    r"""A user who leaves when satisfied, and otherwise goes on with the same probability p after every item.

    .. math:: C(i) = p \, (1 - r_i)

    Parameters
    ----------
    p : float in [0, 1)
        Persistence while not satisfied.

    References
    ----------
    azzopardi2021

    Examples
    --------
    >>> NERR10(p=0.5).last(Page([0, 1, 1]))
    array([0.5, 0.5, 0. ])
    """

    p: float = number(0.9, low=0, high=1, high_open=True)

    reference = "azzopardi2021"
    tails_at_once = True

    def continuation(self, page: Page) -> NDArray[np.float64]:
        """The probability p times that of not being satisfied."""
        return np.asarray(self.p * (1.0 - page.gains))

    def tail(self, page: Page, beyond: NDArray[np.float64]) -> Tail:
        """The tail of rank-biased precision: nothing satisfies beyond the end."""
        return geometric_tail(beyond, page.depth, 1 - self.p)


@register("browse")
@dataclass(frozen=True, repr=False)
class NERR11(Browsing):
    r"""A user who leaves when satisfied, and otherwise goes on like the user of INSQ.

    .. math:: C(i) = \left(\frac{i + 2T - 1}{i + 2T}\right)^2 (1 - r_i)

    Parameters
    ----------
    T : float in (0, 1e9]
        The gain the user wants.

    References
    ----------
    azzopardi2021

    Examples
    --------
    >>> NERR11(T=1).continuation(Page([0, 1])).round(4)
    array([0.4444, 0.    ])
    """

    T: float = number(1, low=0, low_open=True, high=1e9)

    reference = "azzopardi2021"
    tails_at_once = True

    def continuation(self, page: Page) -> NDArray[np.float64]:
        """The continuation of INSQ times the probability of not being satisfied."""
        reach = page.ranks + 2 * self.T
        return np.asarray(((reach - 1) / reach) ** 2 * (1.0 - page.gains))

    def tail(self, page: Page, beyond: NDArray[np.float64]) -> Tail:
        """The tail of INSQ: nothing satisfies beyond the end."""
        return square_tail(beyond, page.depth, 2 * self.T)
