"""Upper tail of Dunnett's statistic: the largest abs(t) of several systems, each compared with one baseline."""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np
from numpy.typing import ArrayLike

from metameter.stats.checks import Floats, check_level
from metameter.stats.distributions.root_finding import level_reached
from metameter.stats.distributions.studentized_range import scale_nodes

_NODES = 64  # of Gauss and Legendre; the error is below 1e-9
_MANY = 256  # for this many values a Chebyshev polynomial through the exact tail is faster
_DEGREE = 120
_END = 9.0  # standard deviations: a normal variate is hardly ever beyond


def dunnett_tail(t: ArrayLike, k: int, df: float) -> Floats:
    r"""Return P(max abs(T_i) > t) for k systems compared with one more, whose t-statistics share their denominator.

    .. math:: P = \int f_s(s) \int \varphi(z) (1 - [\Phi(z + \sqrt2 ts) - \Phi(z - \sqrt2 ts)]^k) \, dz \, ds

    Parameters
    ----------
    t : array-like
    k : int
        How many systems are compared with the baseline.
    df : float
        Degrees of freedom of the denominator.

    Examples
    --------
    >>> dunnett_tail([2.65], k=4, df=20).round(3)  # 2.65 is the 5% point for 4 comparisons
    array([0.05])
    """
    values = np.abs(np.asarray(t, dtype=np.float64))
    unique, place = np.unique(values, return_inverse=True)
    number = np.isfinite(unique)
    tail = np.where(np.isinf(unique), 0.0, np.nan)
    tail[number] = np.clip(_tail(unique[number], k, df), 0.0, 1.0)
    return np.asarray(tail[place.reshape(values.shape)])


def _tail(t: Floats, k: int, df: float) -> Floats:
    if len(t) < _MANY or df < 100:
        return _integrated(t, k, df)
    end = 6.0
    while _integrated(np.array([end]), k, df)[0] > 1e-13:
        end *= 1.25
    smooth = np.polynomial.Chebyshev.interpolate(lambda x: _integrated(x, k, df), _DEGREE, domain=[0.0, end])
    return np.where(t < end, smooth(np.minimum(t, end)), 0.0)


def _integrated(t: Floats, k: int, df: float) -> Floats:
    scales, weights = scale_nodes(df)
    # Beyond so many standard errors the tail is 0 anyway.
    return np.array([_normal_tail(np.sqrt(2.0) * min(one, 1e6) * scales, k) @ weights for one in t])


def dunnett_quantile(alpha: float, k: int, df: float) -> float:
    """Return the t with P(max abs(T_i) > t) = alpha, the critical value of Dunnett's two-sided test.

    Examples
    --------
    >>> round(dunnett_quantile(0.05, k=2, df=10), 2)
    2.57
    """
    return _quantile(check_level(alpha), int(k), float(df))


@lru_cache(maxsize=64)
def _quantile(alpha: float, k: int, df: float) -> float:
    return level_reached(lambda t: float(dunnett_tail(t, k, df)), alpha)


@cache
def _normal_nodes() -> tuple[Floats, Floats]:
    x, w = np.polynomial.legendre.leggauss(_NODES)
    z = _END * (x + 1.0) / 2.0  # the other half is its mirror image
    return z, _END * w * np.exp(-(z**2) / 2.0) / np.sqrt(2.0 * np.pi)


def _normal_tail(width: Floats, k: int) -> Floats:
    """P(some of k normal variates is further than a width from one more), integrated over that one."""
    from scipy.special import ndtr

    z, weights = _normal_nodes()
    within = ndtr(z + width[:, None]) - ndtr(z - width[:, None])
    return np.asarray((1.0 - within**k) @ weights)
