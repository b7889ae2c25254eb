"""Tail probabilities and critical values of the studentised range and of Dunnett's statistic.

Both are integrated by Gauss-Legendre quadrature for many values at once; SciPy integrates one value after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from math import copysign

import numpy as np
from numpy.typing import ArrayLike

from metameter.stats.checks import Floats, check_level

# Quadrature nodes; the error is below 1e-9.
_SCALE_NODES, _RANGE_NODES, _BASELINE_NODES = 64, 96, 64
_BATCH = 64  # values integrated at a time
_END = 9.0  # standard deviations beyond which a normal variate has no noticeable probability
_WIDTH = 1e-12
_EPSILON = 2.0**-52


def studentized_range_tail(q: ArrayLike, k: int, df: float) -> Floats:
    r"""Return P(Q > q) for the range of k means, studentised with df degrees of freedom.

    .. math:: P = \int f_s(s) \, k \int \varphi(z) [\Phi(z)^{k-1} - (\Phi(z) - \Phi(z - qs))^{k-1}] \, dz \, ds

    Examples
    --------
    >>> studentized_range_tail([3.633], k=4, df=10**6).round(3)  # 3.63 is the familiar 5% point for 4 means
    array([0.05])
    """
    values = np.asarray(q, dtype=np.float64)
    unique, index = np.unique(values, return_inverse=True)
    valid = ~np.isnan(unique)
    tail = np.full_like(unique, np.nan)
    tail[valid] = np.clip(_range_tail(np.maximum(unique[valid], 0.0), k, df), 0.0, 1.0)
    tail[unique <= 0] = 1.0  # exactly, whatever the quadrature weights add up to
    return np.asarray(tail[index.reshape(values.shape)])


def _range_tail(q: Floats, k: int, df: float) -> Floats:
    # From 512 distinct values on, a Chebyshev polynomial through the exact tail is much faster.
    if len(q) < 512 or df < 100:
        return _integrated_range(q, k, df)
    return _interpolated(lambda x: _integrated_range(x, k, df), q, start=8.0, degree=160)


def _integrated_range(q: Floats, k: int, df: float) -> Floats:
    scales, weights = scale_nodes(df)
    bounded = np.minimum(q, 1e6)  # the tail is 0 there; infinity times 0 would be NaN
    parts = [
        (_normal_range_tail(bounded[i : i + _BATCH, None] * scales, k) * weights).sum(axis=1)
        for i in range(0, len(q), _BATCH)
    ]
    return np.where(np.isinf(q), 0.0, np.concatenate([*parts, np.empty(0)]))


def _normal_range_tail(r: Floats, k: int) -> Floats:
    """P(range of k standard normal variates > r), integrated over the largest of them."""
    from scipy.special import ndtr, ndtri

    low, high = ndtri(1e-17 ** (1.0 / k)), 8.5  # the largest of k is practically never outside
    x, w = _nodes(_RANGE_NODES)
    z = low + (high - low) * (x + 1.0) / 2.0
    weights = w * (high - low) / 2.0 * k * np.exp(-(z**2) / 2.0) / np.sqrt(2.0 * np.pi)
    whole = ndtr(z)
    within = whole - ndtr(z - r[..., None])
    return np.asarray((weights * (whole ** (k - 1) - np.maximum(within, 0.0) ** (k - 1))).sum(axis=-1))


def studentized_range_quantile(alpha: float, k: int, df: float) -> float:
    """Return the q with P(Q > q) = alpha, the critical value of Tukey's test.

    Examples
    --------
    >>> round(studentized_range_quantile(0.05, k=3, df=10), 2)
    3.88
    """
    return _range_quantile(check_level(alpha), int(k), float(df))


@lru_cache(maxsize=256)
def _range_quantile(alpha: float, k: int, df: float) -> float:
    # Cached: computing it takes as long as testing hundreds of resamples with it.
    return level_reached(lambda q: float(studentized_range_tail(q, k, df)), alpha)


def dunnett_tail(t: ArrayLike, k: int, df: float) -> Floats:
    r"""Return P(max abs(T_i) > t) for k systems compared with one baseline; the t statistics share their denominator.

    .. math:: P = \int f_s(s) \int \varphi(z) (1 - [\Phi(z + \sqrt2 ts) - \Phi(z - \sqrt2 ts)]^k) \, dz \, ds

    Parameters
    ----------
    t : array-like
    k : int
        Number of systems compared with the baseline.
    df : float
        Degrees of freedom of the denominator.

    Examples
    --------
    >>> dunnett_tail([2.65], k=4, df=20).round(3)  # 2.65 is the 5% point for 4 comparisons
    array([0.05])
    """
    values = np.abs(np.asarray(t, dtype=np.float64))
    unique, index = np.unique(values, return_inverse=True)
    finite = np.isfinite(unique)
    tail = np.where(np.isinf(unique), 0.0, np.nan)
    tail[finite] = np.clip(_dunnett_tail(unique[finite], k, df), 0.0, 1.0)
    return np.asarray(tail[index.reshape(values.shape)])


def _dunnett_tail(t: Floats, k: int, df: float) -> Floats:
    if len(t) < 256 or df < 100:
        return _integrated_dunnett(t, k, df)
    return _interpolated(lambda x: _integrated_dunnett(x, k, df), t, start=6.0, degree=120)


def _integrated_dunnett(t: Floats, k: int, df: float) -> Floats:
    scales, weights = scale_nodes(df)
    # Beyond a million standard errors the tail is 0.
    return np.array([_normal_dunnett_tail(np.sqrt(2.0) * min(one, 1e6) * scales, k) @ weights for one in t])


def _normal_dunnett_tail(width: Floats, k: int) -> Floats:
    """P(at least one of k normal variates is further than a width from another one), integrated over the latter."""
    from scipy.special import ndtr

    z, weights = _baseline_nodes()
    within = ndtr(z + width[:, None]) - ndtr(z - width[:, None])
    return np.asarray((1.0 - within**k) @ weights)


@cache
def _baseline_nodes() -> tuple[Floats, Floats]:
    x, w = _nodes(_BASELINE_NODES)
    z = _END * (x + 1.0) / 2.0  # positive half only: the integrand is symmetric
    return z, _END * w * np.exp(-(z**2) / 2.0) / np.sqrt(2.0 * np.pi)


def dunnett_quantile(alpha: float, k: int, df: float) -> float:
    """Return the t with P(max abs(T_i) > t) = alpha, the critical value of Dunnett's two-sided test.

    Examples
    --------
    >>> round(dunnett_quantile(0.05, k=2, df=10), 2)
    2.57
    """
    return _dunnett_quantile(check_level(alpha), int(k), float(df))


@lru_cache(maxsize=64)
def _dunnett_quantile(alpha: float, k: int, df: float) -> float:
    return level_reached(lambda t: float(dunnett_tail(t, k, df)), alpha)


def _interpolated(tail: Callable[[Floats], Floats], values: Floats, *, start: float, degree: int) -> Floats:
    """A tail at many values, by a Chebyshev polynomial up to where the tail is below 1e-13."""
    end = start
    while tail(np.array([end]))[0] > 1e-13:
        end *= 1.25
    polynomial = np.polynomial.Chebyshev.interpolate(tail, degree, domain=[0.0, end])
    return np.where(values < end, polynomial(np.minimum(values, end)), 0.0)


@cache
def _nodes(count: int) -> tuple[Floats, Floats]:
    return np.polynomial.legendre.leggauss(count)


def scale_nodes(df: float) -> tuple[Floats, Floats]:
    """Return nodes and weights to integrate over s = sqrt(chi2/df), the scale of a studentised statistic.

    Examples
    --------
    >>> s, weights = scale_nodes(10.0)
    >>> round(float((weights * s**2).sum()), 9)  # the mean of chi2/df
    1.0
    """
    # The nodes lie between extreme quantiles of s; the weights include its density.
    from scipy.special import gammainccinv, gammaincinv, gammaln

    half = df / 2.0
    low, high = np.sqrt(gammaincinv(half, 1e-17) / half), np.sqrt(gammainccinv(half, 1e-17) / half)
    x, w = _nodes(_SCALE_NODES)
    u = (x + 1.0) / 2.0
    s = low + (high - low) * u**2  # squared, because with few degrees of freedom the density is largest near 0
    density = np.log(2.0) + half * np.log(half) - gammaln(half) + (df - 1.0) * np.log(s) - half * s**2
    return s, w * (high - low) * u * np.exp(density)


def level_reached(tail: Callable[[float], float], alpha: float) -> float:
    """Return the positive x with tail(x) = alpha, for a tail that falls from 1 to 0.

    Chandrupatla's method: inverse quadratic interpolation where that is safe, bisection elsewhere. SciPy's `brentq`
    needs as few steps, but importing `scipy.optimize` takes longer than the computation.

    Examples
    --------
    >>> from math import exp
    >>> round(level_reached(lambda x: exp(-x), 0.05), 9)  # -ln(0.05)
    2.995732274
    """
    high = 8.0
    while tail(high) > alpha:
        high *= 2.0
    return _root(lambda x: tail(x) - alpha, 0.0, high)


def _root(f: Callable[[float], float], a: float, b: float) -> float:
    fa, fb, share = f(a), f(b), 0.5
    while True:
        x = a + share * (b - a)
        fx = f(x)
        # The root stays between a and b; c is the end that was left.
        if copysign(1.0, fx) == copysign(1.0, fa):
            c, fc = a, fa
        else:
            c, fc, b, fb = b, fb, a, fa
        a, fa = x, fx
        best, smallest = (a, fa) if abs(fa) < abs(fb) else (b, fb)
        least = (2 * _EPSILON * abs(best) + _WIDTH) / abs(b - c) if b != c else 1.0
        if smallest == 0 or least > 0.5:
            return best
        where, height = (a - b) / (c - b), (fa - fb) / (fc - fb)
        if height**2 < where and (1 - height) ** 2 < 1 - where:
            share = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        else:
            share = 0.5
        share = min(1 - least, max(least, share))
