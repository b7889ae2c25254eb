"""INSQ and INST: users who want a total gain T."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.browse.base import Browsing
from metameter.browse.browsing_state import Tail
from metameter.browse.page import Page
from metameter.browse.tails.geometric import geometric_tail
from metameter.browse.tails.quadratic import square_tail
from metameter.parameters import number
from metameter.registry import register


@register("browse")
@dataclass(frozen=True, repr=False)
class INSQ(Browsing):
    r"""A user who wants a total gain T and expects to read about 2T items for it, whatever they find on the way.

    .. math:: C(i) = \left(\frac{i + 2T - 1}{i + 2T}\right)^2

    Parameters
    ----------
    T : float in (0, 1e9]
        The gain the user wants.

    References
    ----------
    moffat2012

    Examples
    --------
    >>> INSQ(T=1).continuation(Page([1, 0])).round(4)
    array([0.4444, 0.5625])
    """

    T: float = number(2.25, low=0, low_open=True, high=1e9)

    reference = "moffat2012"
    user = "static"
    tails_at_once = True

    def continuation(self, page: Page) -> NDArray[np.float64]:
        """The continuation, which rises with the rank."""
        reach = page.ranks + 2 * self.T
        return np.broadcast_to(((reach - 1) / reach) ** 2, page.gains.shape)

    def viewed_always(self) -> float:
        """The sum over an endless list, which is the same for every list."""
        return float(square_tail(np.ones(()), 0, 2 * self.T).view)

    def tail(self, page: Page, beyond: NDArray[np.float64]) -> Tail:
        """Closed forms with trigamma."""
        return square_tail(beyond, page.depth, 2 * self.T)


@register("browse")
@dataclass(frozen=True, repr=False)
class INST(Browsing):
    r"""A user who wants a total gain T, and is more likely to leave the less of it is still missing.

    .. math:: C(i) = \left(\frac{i + T + T_i - 1}{i + T + T_i}\right)^2, \quad T_i = T - \sum_{j \le i} r_j

    Parameters
    ----------
    T : float in [0.5, 1e9]
        The gain the user wants; below 0.5 the continuation would not be a probability.

    References
    ----------
    moffat2017

    Examples
    --------
    >>> INST(T=1).continuation(Page([1, 0])).round(4)
    array([0.25  , 0.4444])
    """

    T: float = number(2.25, low=0.5, high=1e9)

    reference = "moffat2017"
    tails_at_once = True

    def continuation(self, page: Page) -> NDArray[np.float64]:
        """The continuation, which is higher the less gain was seen."""
        reach = page.ranks + 2 * self.T - page.cumulative_gain
        return np.asarray(((reach - 1) / reach) ** 2)

    def tail(self, page: Page, beyond: NDArray[np.float64]) -> Tail:
        """Closed forms with trigamma: beyond the end the gain seen stays the same."""
        return square_tail(beyond, page.depth, 2 * self.T - page.list_gain)

    def best_tail(self, page: Page, beyond: NDArray[np.float64]) -> Tail:
        """Geometric sums: with gain 1 at every further rank the continuation stays constant."""
        reach = page.depth + 2 * self.T - page.list_gain
        return geometric_tail(beyond, page.depth, (2 * reach - 1) / reach**2)
