"""IFTC1, IFTC2 and IFTC1C2: users of information foraging theory, with a goal, a rate of gain, or both."""

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
    r"""A user with a goal: the closer the gathered gain comes to T, the more likely they leave.

    .. math:: C(i) = 1 - \frac{1}{1 + b_1 e^{(T - G_i) R_1}}, \quad G_i = \sum_{j \le i} r_j

    Parameters
    ----------
    T : float >= 0
        The gain the user wants.
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
        """The probability of going on, given how much of the goal is missing."""
        return _probability(_goal_log_odds(self, page.cumulative_gain))

    def tail(self, page: Page, beyond: NDArray[np.float64]) -> Tail:
        """Geometric sums: no more gain is gathered, so the continuation stays constant."""
        return geometric_tail(beyond, page.depth, _probability(-_goal_log_odds(self, page.list_gain)))


@register("browse")
@dataclass(frozen=True, repr=False)
class IFTC2(Browsing):
    r"""A user who is more likely to go on the further the gain per cost so far is above the rate A that they expect.

    .. math:: C(i) = \frac{1}{1 + b_2 e^{(A - G_i / K_i) R_2}},
        \quad G_i = \sum_{j \le i} r_j, \quad K_i = \sum_{j \le i} c_j

    Without costs, and beyond the list, an item costs 1.

    Parameters
    ----------
    A : float >= 0
        The gain per cost that the user expects.
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
        """The probability of going on, given the gain per cost so far."""
        return _probability(_rate_log_odds(self, page))


@register("browse")
@dataclass(frozen=True, repr=False)
class IFTC1C2(Browsing):
    r"""A user with a goal and an expected rate of gain, who goes on only if both IFTC1 and IFTC2 would.

    .. math:: C(i) = C_1(i) \, C_2(i)

    Parameters
    ----------
    T : float >= 0
        The gain the user wants.
    b1 : float > 0
        The odds of going on, for the goal, when it is just met.
    R1 : float >= 0
        How rational they are about the goal.
    A : float >= 0
        The gain per cost that the user expects.
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
        """The product of the continuations of IFTC1 and IFTC2."""
        return _probability(_goal_log_odds(self, page.cumulative_gain)) * _probability(_rate_log_odds(self, page))


def _goal_log_odds(model: IFTC1 | IFTC1C2, gathered: NDArray[np.float64]) -> NDArray[np.float64]:
    """The log-odds of going on, given the goal."""
    return np.asarray(np.log(model.b1) + (model.T - gathered) * model.R1)


def _rate_log_odds(model: IFTC2 | IFTC1C2, page: Page) -> NDArray[np.float64]:
    """The log-odds of going on, given the rate."""
    return np.asarray(-np.log(model.b2) - (model.A - page.cumulative_gain / page.cumulative_cost) * model.R2)


def _probability(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """The probability of these log-odds, without an exponential that could overflow."""
    from scipy.special import expit

    return np.asarray(expit(log_odds))
