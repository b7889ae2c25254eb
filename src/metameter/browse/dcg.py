"""DCG: the user of discounted cumulative gain."""

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
class DCG(Browsing):
    r"""A user whose attention fades with the logarithm of the rank, and who stops at rank k.

    .. math:: C(i) = \log_2(i+1) / \log_2(i+2) \text{ for } i < k, \text{ else } 0

    Parameters
    ----------
    k : int
        The last rank; without one the expected number of items viewed is infinite.

    References
    ----------
    jarvelin2002

    Examples
    --------
    >>> DCG(k=3).view(Page([1, 0, 0])).round(4)
    array([1.    , 0.6309, 0.5   ])
    """

    k: int | None = depth(required=True)

    reference = "jarvelin2002"
    aliases = {
        "dcg@{k}": "DCG@{k}; its gains are grades divided by the highest one, those of ranx the grades themselves"
    }
    user = "static"
    only_stops_at_k = True

    def continuation(self, page: Page) -> NDArray[np.float64]:
        """The ratio of successive discounts."""
        ratio = np.log2(page.ranks + 1) / np.log2(page.ranks + 2)
        return np.broadcast_to(ratio, page.gains.shape)
