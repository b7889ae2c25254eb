"""Users of information foraging, who weigh what they have against a goal and a rate."""

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
class IFTC1(Browsing):
    r"""A user with a goal: the more of the gain T they have gathered, the sooner they leave.

    .. math:: C(i) = 1 - \frac{1}{1 + b_1 e^{(T - G_i) R_1}}, \quad G_i = \sum_{j \le i} r_j

    Parameters
    ----------
    T : float >= 0
        The gain looked for.
    b1 : float > 0
        The odds of going on when the goal is just met.
    R1 : float >= 0
        How rational they are; at 0 the goal does not matter, far above 1 they leave as soon as it is met.

    References
    ----------
    azzopardi2018

    Examples
    --------
    >>> IFTC1(T=1, b1=1, R1=100).continuation(Page([0, 1, 1])).round(4)
    array([1. , 0.5, 0. ])
    """

    T: float = number(low=0)
    b1: float = number(low=0, low_open=True)
    R1: float = number(low=0)

    reference = "azzopardi2018"
    tails_at_once = True
    example = {"T": 2, "b1": 0.9, "R1": 1}

    def continuation(self, page: Page) -> NDArray[np.float64]:
        """Go on for what is still wanted."""
        return _share(_wanting(self, page.cumulative_gain))

    def tail(self, page: Page, beyond: NDArray[np.float64]) -> Tail:
        """Nothing more is gathered, so that users go on at one rate for ever."""
        return geometric_tail(beyond, page.depth, _share(-_wanting(self, page.list_gain)))


@register("browse")
@dataclass(frozen=True, repr=False)
class IFTC2(Browsing):
    r"""A user who goes on as long as the page yields enough: gain per cost, against the rate A they expect.

    .. math:: C(i) = \frac{1}{1 + b_2 e^{(A - G_i / K_i) R_2}},
        \quad G_i = \sum_{j \le i} r_j, \quad K_i = \sum_{j \le i} c_j

    Without costs, and beyond the list, an item costs 1.

    Parameters
    ----------
    A : float >= 0
        The rate of gain expected.
    b2 : float > 0
        The odds of leaving when that rate is just met.
    R2 : float >= 0
        How rational they are; at 0 the rate does not matter.

    References
    ----------
    azzopardi2018

    Examples
    --------
    >>> IFTC2(A=0.5, b2=1, R2=100).continuation(Page([1, 0, 0])).round(4)
    array([1. , 0.5, 0. ])
    """

    A: float = number(low=0)
    b2: float = number(low=0, low_open=True)
    R2: float = number(low=0)

    reference = "azzopardi2018"
    example = {"A": 0.2, "b2": 0.9, "R2": 1}

    def continuation(self, page: Page) -> NDArray[np.float64]:
        """Go on while it pays."""
        return _share(_paying(self, page))


@register("browse")
@dataclass(frozen=True, repr=False)
class IFTC1C2(Browsing):
    r"""A user with a goal and a rate: goes on only if both the one of IFTC1 and the one of IFTC2 would.

    .. math:: C(i) = C_1(i) \, C_2(i)

    Parameters
    ----------
    T : float >= 0
        The gain looked for.
    b1 : float > 0
        The odds of going on, for the goal, when it is just met.
    R1 : float >= 0
        How rational they are about the goal.
    A : float >= 0
        The rate of gain expected.
    b2 : float > 0
        The odds of leaving, for the rate, when it is just met.
    R2 : float >= 0
        How rational they are about the rate.

    References
    ----------
    azzopardi2018

    Examples
    --------
    >>> IFTC1C2(T=2, b1=1, R1=100, A=0.5, b2=1, R2=100).continuation(Page([1, 0, 1])).round(4)
    array([1. , 0.5, 0.5])
    """

    T: float = number(low=0)
    b1: float = number(low=0, low_open=True)
    R1: float = number(low=0)
    A: float = number(low=0)
    b2: float = number(low=0, low_open=True)
    R2: float = number(low=0)

    reference = "azzopardi2018"
    example = {"T": 2, "b1": 0.9, "R1": 1, "A": 0.2, "b2": 0.9, "R2": 1}

    def continuation(self, page: Page) -> NDArray[np.float64]:
        """Go on for what is still wanted while it pays."""
        return _share(_wanting(self, page.cumulative_gain)) * _share(_paying(self, page))


def _wanting(model: IFTC1 | IFTC1C2, gathered: NDArray[np.float64]) -> NDArray[np.float64]:
    """The logarithm of the odds of going on, for the goal."""
    return np.asarray(np.log(model.b1) + (model.T - gathered) * model.R1)


def _paying(model: IFTC2 | IFTC1C2, page: Page) -> NDArray[np.float64]:
    """The logarithm of the odds of going on, for the rate."""
    return np.asarray(-np.log(model.b2) - (model.A - page.cumulative_gain / page.cumulative_cost) * model.R2)


def _share(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """The probability with these odds; without an exponential that could overflow."""
    from scipy.special import expit

    return np.asarray(expit(log_odds))
