"""Prec: the user of precision."""

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
class Prec(Browsing):
    r"""A user who reads exactly the first k items.

    .. math:: C(i) = 1 \text{ for } i < k, \text{ else } 0

    Parameters
    ----------
    k : int
        How many items the user reads.

    References
    ----------
    moffat2013

    Examples
    --------
    >>> Prec(k=2).last(Page([1, 0, 0]))
    array([0., 1.])
    """

    k: int | None = depth(required=True)

    reference = "moffat2013"
    user = "static"
    only_stops_at_k = True

    def continuation(self, page: Page) -> NDArray[np.float64]:
        """1 at every rank; rank k ends the reading."""
        return np.broadcast_to(1.0, page.gains.shape)
