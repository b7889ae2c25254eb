"""RRbin: the user of reciprocal rank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.browse.base import Browsing
from metameter.browse.browsing_state import Tail
from metameter.browse.page import Page
from metameter.registry import register


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
