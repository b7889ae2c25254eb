"""How far people look: the share that goes on from each rank, observed and smoothed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metameter.stats.checks import Floats

#: Between these is searched how many viewers at each rank smoothing is worth.
_LEAST, _MOST = 1e-2, 1e6
#: From so many on ranks are as good as alike.
_ALIKE = 1e5


class Viewers(NamedTuple):
    """Per rank that another one follows: how many viewed it, and how many of them left there."""

    viewers: NDArray[np.int64]
    left: NDArray[np.int64]

    @property
    def reached(self) -> int:
        """How many ranks anybody viewed: whoever viewed one has viewed those above it."""
        return int(np.count_nonzero(self.viewers))

    def together_from(self, rank: int) -> Viewers:
        """The same with all ranks from this one on as one: how often anybody viewed one of them, and left there.

        Examples
        --------
        >>> Viewers(np.array([10, 5, 3, 1]), np.array([5, 2, 2, 1])).together_from(3)
        Viewers(viewers=array([10,  5,  4]), left=array([5, 2, 3]))
        """
        viewers, left = (np.append(each[: rank - 1], each[rank - 1 :].sum()) for each in self)
        return Viewers(viewers, left) if len(self.viewers) > rank else self


def viewers_of(last: NDArray[np.int64], length: NDArray[np.int64], count: NDArray[np.int64]) -> Viewers:
    """Count viewers from the ranks viewed last; at the end of a page nobody can go on, so nothing is learned there.

    Parameters
    ----------
    last, length, count : ndarray of int, (entries,)
        The rank viewed last, how many results the page has, how often that occurred.

    Examples
    --------
    >>> viewers_of(np.array([1, 2, 3]), np.array([3, 3, 3]), np.array([5, 3, 2]))
    Viewers(viewers=array([10,  5]), left=array([5, 3]))
    """
    deepest = max(int(length.max(initial=1)), 1)
    viewers, left = np.zeros((2, deepest - 1), dtype=np.int64)
    for rank in range(1, deepest):  # one rank at a time: there may be millions of entries
        further = length > rank
        viewers[rank - 1] = count[further & (last >= rank)].sum()
        left[rank - 1] = count[further & (last == rank)].sum()
    return Viewers(viewers, left)


class Smoothed(NamedTuple):
    """The share that goes on from each rank, how many viewers at each smoothing is worth, and what is left free.

    Without smoothing all rates are ``parameters``; where all ranks have one rate, ``worth`` is infinite, and one is.
    """

    rates: Floats
    worth: float
    parameters: float


def smoothed_continuation(observed: Viewers, smoothing: float | None = None) -> Smoothed:
    """The share that goes on from each rank, drawn towards that of all ranks together; and how strongly.

    Leaving at a rank is as likely as if ``smoothing`` more viewers had been seen there, who left at the rate of all
    ranks: ranks that few have reached are drawn strongly, others hardly at all. By default that number is found from
    the ranks themselves: the rates are taken for draws from one beta distribution, whose concentration is the one that
    makes them likeliest. Where ranks do not differ more than by chance, all have one rate: that of RBP. Without
    smoothing nothing is known of ranks that nobody viewed: NaN.

    How many parameters the rates amount to is the sum of how much each would move with its own observed share.

    Examples
    --------
    >>> smoothed_continuation(Viewers(np.array([10, 5]), np.array([5, 3])), smoothing=0)
    Smoothed(rates=array([0.5, 0.4]), worth=0.0, parameters=2.0)
    >>> rates, worth, parameters = smoothed_continuation(Viewers(np.array([10, 5]), np.array([5, 3])))
    >>> rates.round(3), worth, parameters  # no more different than chance makes them
    (array([0.467, 0.467]), inf, 1.0)
    """
    viewers, left = observed
    total = max(float(viewers.sum()), 1.0)
    overall = float(left.sum()) / total
    worth = _concentration(viewers, left, overall) if smoothing is None else float(smoothing)
    if np.isinf(worth):
        return Smoothed(np.full(len(viewers), 1.0 - overall), worth, 1.0)
    seen = viewers + worth
    leaving = np.divide(left + worth * overall, seen, out=np.full(len(seen), np.nan), where=seen > 0)
    own = np.divide(viewers + worth * viewers / total, seen, out=np.zeros(len(seen)), where=seen > 0)
    return Smoothed(np.asarray(1.0 - leaving), worth, float(own.sum()))


def _concentration(viewers: NDArray[np.int64], left: NDArray[np.int64], overall: float) -> float:
    from scipy.optimize import minimize_scalar
    from scipy.special import betaln

    if not 0 < overall < 1 or np.count_nonzero(viewers) < 2:
        return 0.0  # all leave, or none, or there is one rank: there is nothing to be drawn towards

    def unlikely(logarithm: float) -> float:
        a, b = np.exp(logarithm) * overall, np.exp(logarithm) * (1 - overall)
        return float(-(betaln(left + a, viewers - left + b) - betaln(a, b)).sum())

    ends = (np.log(_LEAST), np.log(_MOST))
    found = minimize_scalar(unlikely, bounds=ends, method="bounded", options={"xatol": 1e-6})
    # Where the likelihood rises as far as it can be computed, it rises for ever.
    return float("inf" if found.x > np.log(_ALIKE) or unlikely(ends[1]) <= found.fun else np.exp(found.x))
