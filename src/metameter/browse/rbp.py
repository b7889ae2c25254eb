"""RBP and NPV: users who go on with the same probability after every item."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from metameter.browse.base import Browsing
from metameter.browse.browsing_state import Tail
from metameter.browse.page import Page
from metameter.browse.tails.geometric import geometric_tail
from metameter.parameters import number
from metameter.registry import register

_MOST_TERMS = 2**22
# How many terms are in memory at a time.
_CELLS = 2**20


@register("browse")
@dataclass(frozen=True, repr=False)
class RBP(Browsing):
    """A user who, after every item, goes on with the same probability p.

    .. math:: C(i) = p

    Parameters
    ----------
    p : float in [0, 1)
        Persistence; 0.5 is an impatient web searcher, 0.95 a patient one.

    References
    ----------
    moffat2008

    Examples
    --------
    >>> RBP(p=0.5).last(Page([0, 0, 0]))
    array([0.5  , 0.25 , 0.125])
    """

    p: float = number(0.8, low=0, high=1, high_open=True)

    reference = "moffat2008"
    user = "static"
    tails_at_once = True

    def continuation(self, page: Page) -> NDArray[np.float64]:
        """The probability p at every rank."""
        return np.broadcast_to(float(self.p), page.gains.shape)

    def viewed_always(self) -> float:
        """The sum of a geometric series."""
        return 1 / (1 - self.p)

    def tail(self, page: Page, beyond: NDArray[np.float64]) -> Tail:
        """Geometric sums; the sum of shares divided by the rank is a logarithm."""
        return Tail.later(
            beyond,
            view=lambda: np.asarray(beyond / (1 - self.p)),
            last_per_rank=lambda: np.asarray(beyond * ((1 - self.p) * logarithm_tail(self.p, page.depth))),
            discounted_last=lambda delta: beyond * ((1 - self.p) * delta / (1 - self.p * delta)),
        )


def logarithm_tail(p: float, n: int | NDArray[np.int64]) -> NDArray[np.float64]:
    """Sum over i > n of p^(i-n-1) / i, for one n or for several.

    Examples
    --------
    >>> round(float(logarithm_tail(0.5, 0)), 6) == round(2 * math.log(2), 6)
    True
    """
    several = np.asarray(n, dtype=np.int64)
    # Every run is evaluated at the same depths, so the results are cached.
    return np.reshape(_logarithm_tails(p, several.tobytes()), several.shape)


@lru_cache(maxsize=256)
def _logarithm_tails(p: float, depths: bytes) -> NDArray[np.float64]:
    n = np.frombuffer(depths, dtype=np.int64)
    if p == 0:
        return np.asarray(1 / (n + 1))
    terms = math.ceil(math.log(1e-18) / math.log(p))
    if terms > _MOST_TERMS:
        return np.array([_logarithm_minus_first_terms(p, int(each)) for each in n])
    steps = np.arange(terms)
    fade, at_a_time = p**steps, max(1, _CELLS // terms)
    parts = [n[start : start + at_a_time, None] for start in range(0, n.size, at_a_time)]
    return np.concatenate([(fade / (part + 1 + steps)).sum(axis=-1) for part in parts])


def _logarithm_minus_first_terms(p: float, n: int) -> float:
    # For p this close to 1 there are too many terms; the logarithm minus its first terms loses no precision then.
    ranks = np.arange(1, n + 1)
    return float((-math.log1p(-p) - np.sum(p**ranks / ranks)) / p ** (n + 1))


@register("browse")
@dataclass(frozen=True, repr=False)
class NPV(Browsing):
    r"""A user for whom an item loses value with every rank, by a rate of interest.

    .. math:: C(i) = \frac{1}{1 + rate}

    It is the user of RBP, with patience expressed as interest.

    Parameters
    ----------
    rate : float in [1e-9, 1e9]
        The interest per rank.

    References
    ----------
    azzopardi2019

    Examples
    --------
    >>> NPV(rate=0.25).view(Page([1, 0, 0]))
    array([1.  , 0.8 , 0.64])
    """

    rate: float = number(0.1, low=1e-9, high=1e9)

    reference = "azzopardi2019"
    user = "static"
    tails_at_once = True

    def continuation(self, page: Page) -> NDArray[np.float64]:
        """1 / (1 + rate) at every rank."""
        return np.broadcast_to(1 / (1 + self.rate), page.gains.shape)

    def viewed_always(self) -> float:
        """The sum of a geometric series."""
        return (1 + self.rate) / self.rate

    def tail(self, page: Page, beyond: NDArray[np.float64]) -> Tail:
        """Geometric sums."""
        return geometric_tail(beyond, page.depth, self.rate / (1 + self.rate))
