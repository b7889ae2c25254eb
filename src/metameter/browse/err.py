"""ERR: the user of expected reciprocal rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.browse.base import Browsing
from metameter.browse.browsing_state import Tail
from metameter.browse.page import Page
from metameter.parameters import option
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
