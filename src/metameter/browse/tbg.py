"""TBG: the user of time-biased gain."""

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
class TBG(Browsing):
    r"""A user whose patience halves with every h units of time (or other cost) spent above an item.

    .. math:: V(i) = 2^{-t_i / h}, \quad t_i = \sum_{j < i} c_j

    Without costs, and beyond the list, an item costs 1: then this is RBP with :math:`p = 2^{-1/h}`.

    Parameters
    ----------
    h : float in [1e-9, 1e9]
        The half-life, in the unit of the costs; 224 seconds were measured.

    References
    ----------
    smucker2012

    Examples
    --------
    >>> TBG(h=2).view(Page([0, 0, 0], costs=[2, 4, 1]))
    array([1.   , 0.5  , 0.125])
    """

    h: float = number(224, low=1e-9, high=1e9)

    reference = "smucker2012"
    user = "static"
    tails_at_once = True

    def weight(self, page: Page) -> NDArray[np.float64]:
        """The share of patience left when each item is reached."""
        return np.asarray(np.exp2(-_cost_above(page) / self.h))

    def tail(self, page: Page, beyond: NDArray[np.float64]) -> Tail:
        """Geometric sums: beyond the end an item costs 1."""
        return geometric_tail(beyond, page.depth, -np.expm1(-np.log(2) / self.h))


def _cost_above(page: Page) -> NDArray[np.float64]:
    before = np.zeros_like(page.gains)
    before[..., 1:] = page.cumulative_cost[..., :-1]
    return before
