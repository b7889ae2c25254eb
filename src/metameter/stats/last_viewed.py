"""How far people look: the share that goes on from each rank, observed and smoothed, and how well a model fits it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats

__all__ = ["GTest", "Viewers", "g_test", "smoothed_continuation", "viewers_of", "wilson"]

#: Between these is searched how many viewers at each rank smoothing is worth.
_LEAST, _MOST = 1e-2, 1e6
#: A rank of which fewer are expected is tested together with those above it.
_FEWEST = 5.0


class Viewers(NamedTuple):
    """Per rank that another one follows: how many viewed it, and how many of them left there."""

    viewers: NDArray[np.int64]
    left: NDArray[np.int64]

    @property
    def reached(self) -> int:
        """How many ranks anybody viewed: whoever viewed one has viewed those above it."""
        return int(np.count_nonzero(self.viewers))


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
    ranks = np.arange(1, max(int(length.max(initial=1)), 1))[:, None]
    here = ((last >= ranks) & (length > ranks)) * count
    return Viewers(here.sum(axis=1), (here * (last == ranks)).sum(axis=1))


def smoothed_continuation(observed: Viewers, smoothing: float | None = None) -> tuple[Floats, float]:
    """The share that goes on from each rank, drawn towards that of all ranks together; and how strongly.

    Leaving at a rank is as likely as if ``smoothing`` more viewers had been seen there, who left at the rate of all
    ranks: ranks that few have reached are drawn strongly, others hardly at all. By default that number is found from
    the ranks themselves: the rates are taken for draws from one beta distribution, whose concentration is the one that
    makes them likeliest. Where ranks do not differ more than by chance, all have one rate: that of RBP. Without
    smoothing nothing is known of ranks that nobody viewed: NaN.

    Examples
    --------
    >>> smoothed_continuation(Viewers(np.array([10, 5]), np.array([5, 3])), smoothing=0)[0]
    array([0.5, 0.4])
    >>> rates, worth = smoothed_continuation(Viewers(np.array([10, 5]), np.array([5, 3])))
    >>> rates.round(3), worth > 1000  # no more different than chance makes them
    (array([0.467, 0.467]), True)
    """
    viewers, left = observed
    overall = float(left.sum() / max(viewers.sum(), 1))
    worth = _concentration(viewers, left, overall) if smoothing is None else float(smoothing)
    seen = viewers + worth
    leaving = np.divide(left + worth * overall, seen, out=np.full(len(seen), np.nan), where=seen > 0)
    return np.asarray(1.0 - leaving), worth


def _concentration(viewers: NDArray[np.int64], left: NDArray[np.int64], overall: float) -> float:
    from scipy.optimize import minimize_scalar
    from scipy.special import betaln

    if not 0 < overall < 1:
        return 0.0  # all leave, or none: there is nothing to be drawn towards

    def unlikely(logarithm: float) -> float:
        a, b = np.exp(logarithm) * overall, np.exp(logarithm) * (1 - overall)
        return float(-(betaln(left + a, viewers - left + b) - betaln(a, b)).sum())

    ends = (np.log(_LEAST), np.log(_MOST))
    found = minimize_scalar(unlikely, bounds=ends, method="bounded", options={"xatol": 1e-6})
    # Where the likelihood rises to the end, the end is meant.
    return float(_MOST if unlikely(ends[1]) <= found.fun + 1e-9 else np.exp(found.x))


def wilson(share: Floats, trials: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """The 95% interval of a share by Wilson's score: it has a width where all, or none, of few trials succeeded.

    Examples
    --------
    >>> low, high = wilson(np.array([1.0, 0.5]), np.array([3, 10]))
    >>> low.round(3), high.round(3)
    (array([0.439, 0.237]), array([1.   , 0.763]))
    """
    from scipy.special import ndtri

    z = float(ndtri(0.975))
    centre = (share + z**2 / (2 * trials)) / (1 + z**2 / trials)
    half = z / (1 + z**2 / trials) * np.sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2))
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)


class GTest(NamedTuple):
    """The likelihood-ratio statistic of counts against what is expected, its degrees of freedom and p."""

    statistic: float
    df: int
    pvalue: float


def g_test(observed: Floats, expected: Floats, parameters: int = 0) -> GTest:
    """Test counts against expected ones with the same sum; ranks of which few are expected are taken together.

    Examples
    --------
    >>> test = g_test(np.array([10.0, 20.0, 30.0]), np.array([20.0, 20.0, 20.0]))
    >>> round(test.statistic, 3), test.df, round(test.pvalue, 4)
    (10.465, 2, 0.0053)
    """
    from scipy.special import chdtrc, xlogy

    seen, awaited = _pooled(observed, expected)
    df = len(awaited) - 1 - parameters
    possible = bool((awaited[seen > 0] > 0).all())
    if not possible:
        return GTest(float("inf"), max(df, 0), 0.0)
    statistic = 2.0 * float((xlogy(seen, seen) - xlogy(seen, np.where(seen > 0, awaited, 1.0))).sum())
    return GTest(max(statistic, 0.0), max(df, 0), float(chdtrc(df, max(statistic, 0.0))) if df > 0 else float("nan"))


def _pooled(observed: Floats, expected: Floats) -> tuple[Floats, Floats]:
    """Neighbouring ranks together until enough are expected of each; what is left over joins the last.

    Examples
    --------
    >>> _pooled(np.array([9.0, 1.0, 2.0, 1.0]), np.array([8.0, 3.0, 2.0, 1.0]))
    (array([9., 4.]), array([8., 6.]))
    """
    seen, awaited = [0.0], [0.0]
    for one, other in zip(observed, expected, strict=True):
        if awaited[-1] >= _FEWEST:
            seen.append(0.0)
            awaited.append(0.0)
        seen[-1] += float(one)
        awaited[-1] += float(other)
    if len(awaited) > 1 and awaited[-1] < _FEWEST:
        rest, others = seen.pop(), awaited.pop()
        seen[-1] += rest
        awaited[-1] += others
    return np.array(seen), np.array(awaited)
