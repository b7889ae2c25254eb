"""UMeasure: the user of U-measure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.browse.base import Browsing
from metameter.browse.browsing_state import Tail
from metameter.browse.page import Page
from metameter.parameters import number
from metameter.registry import register


@register("browse")
@dataclass(frozen=True, repr=False)
class UMeasure(Browsing):
    r"""A user whose attention falls linearly with the text read (or another cost), and is 0 after L units of it.

    .. math:: V(i) = \max(0, 1 - t_i / L), \quad t_i = \sum_{j < i} c_j

    Without costs, and beyond the list, an item costs 1.

    Parameters
    ----------
    L : float in [1e-9, 1e9]
        The most that is read, in the unit of the costs.

    References
    ----------
    sakai2013

    Examples
    --------
    >>> UMeasure(L=4).view(Page([0, 0, 0], costs=[1, 2, 5]))
    array([1.  , 0.75, 0.25])
    """

    L: float = number(1000, low=1e-9, high=1e9)

    reference = "sakai2013"
    user = "static"
    tails_at_once = True
    # Short enough that a page shows where the attention ends, at cost 1 per item.
    example = {"L": 10}

    def weight(self, page: Page) -> NDArray[np.float64]:
        """The share of attention left when each item is reached."""
        left = np.ones_like(page.gains)
        left[..., 1:] = np.maximum(0.0, 1 - page.cumulative_cost[..., :-1] / self.L)
        return left

    def tail(self, page: Page, beyond: NDArray[np.float64]) -> Tail:
        """Sums of harmonic numbers: at cost 1 per item, 1/L leave at each rank and the rest at the last one."""
        from scipy.special import psi

        n, each = page.depth, 1 / self.L
        more = np.where(beyond > 0, np.ceil(self.L - page.list_cost), 0.0)
        rest = np.where(more > 0, beyond - (more - 1) * each, 0.0)
        fewer = np.maximum(more - 1, 0)
        return Tail.later(
            beyond,
            view=lambda: np.asarray(more * beyond - more * fewer / 2 * each),
            last_per_rank=lambda: each * (psi(n + 1 + fewer) - psi(n + 1)) + rest / (n + np.maximum(more, 1)),
            discounted_last=lambda delta: each * _powers(delta, fewer) + rest * delta**more,
        )


def _powers(delta: float, count: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of delta^m for m = 1 to count."""
    return count if delta == 1 else np.asarray(delta * (1 - delta**count) / (1 - delta))
