"""Upper tail of the studentised range, for many values at once (scipy integrates one after the other)."""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np
from numpy.typing import ArrayLike

from metameter.stats.checks import Floats, check_level
from metameter.stats.distributions.root_finding import level_reached

_OUTER, _INNER = 64, 96  # Gauss-Legendre nodes; the error is below 1e-9
_MANY = 512  # for this many distinct values a Chebyshev polynomial through the exact tail is much faster
_DEGREE = 160
_BATCH = 64


@cache
def _nodes(count: int) -> tuple[Floats, Floats]:
    return np.polynomial.legendre.leggauss(count)


def studentized_range_tail(q: ArrayLike, k: int, df: float) -> Floats:
    r"""Return P(Q > q) for the range of k means, studentised with df degrees of freedom.

    .. math:: P = \int f_s(s) \, k \int \varphi(z) [\Phi(z)^{k-1} - (\Phi(z) - \Phi(z - qs))^{k-1}] \, dz \, ds

    Examples
    --------
    >>> studentized_range_tail([3.633], k=4, df=10**6).round(3)  # 3.63 is the familiar 5% point for 4 means
    array([0.05])
    """
    values = np.asarray(q, dtype=np.float64)
    unique, place = np.unique(values, return_inverse=True)
    number = ~np.isnan(unique)
    tail = np.full_like(unique, np.nan)
    tail[number] = np.clip(_tail(np.maximum(unique[number], 0.0), k, df), 0.0, 1.0)
    tail[unique <= 0] = 1.0  # and not what the weights of the quadrature happen to add up to
    return np.asarray(tail[place.reshape(values.shape)])


def _tail(q: Floats, k: int, df: float) -> Floats:
    if len(q) < _MANY or df < 100:
        return _integrated(q, k, df)
    end = 8.0
    while _integrated(np.array([end]), k, df)[0] > 1e-13:
        end *= 1.25
    smooth = np.polynomial.Chebyshev.interpolate(lambda x: _integrated(x, k, df), _DEGREE, domain=[0.0, end])
    return np.where(q < end, smooth(np.minimum(q, end)), 0.0)


def _integrated(q: Floats, k: int, df: float) -> Floats:
    nodes, weights = scale_nodes(df)
    bounded = np.minimum(q, 1e6)  # beyond, the tail is 0 anyway, but infinity times 0 is NaN
    parts = [
        (_range_tail(bounded[i : i + _BATCH, None] * nodes, k) * weights).sum(axis=1) for i in range(0, len(q), _BATCH)
    ]
    return np.where(np.isinf(q), 0.0, np.concatenate([*parts, np.empty(0)]))


def studentized_range_quantile(alpha: float, k: int, df: float) -> float:
    """Return the q with P(Q > q) = alpha, the critical value of Tukey's test.

    Examples
    --------
    >>> round(studentized_range_quantile(0.05, k=3, df=10), 2)
    3.88
    """
    return _quantile(check_level(alpha), int(k), float(df))


@lru_cache(maxsize=256)
def _quantile(alpha: float, k: int, df: float) -> float:
    # Kept, because finding it takes as long as testing hundreds of resamples with it.
    return level_reached(lambda q: float(studentized_range_tail(q, k, df)), alpha)


def scale_nodes(df: float) -> tuple[Floats, Floats]:
    """Nodes and weights to integrate over s = sqrt(chi2/df), the standard deviation that means are studentised with.

    Examples
    --------
    >>> s, weights = scale_nodes(10.0)
    >>> round(float((weights * s**2).sum()), 9)  # the mean of chi2/df
    1.0
    """
    # Nodes between the extreme quantiles of s, weights times its density.
    from scipy.special import gammainccinv, gammaincinv, gammaln

    half = df / 2.0
    low, high = np.sqrt(gammaincinv(half, 1e-17) / half), np.sqrt(gammainccinv(half, 1e-17) / half)
    x, w = _nodes(_OUTER)
    u = (x + 1.0) / 2.0
    s = low + (high - low) * u**2  # squared: with few degrees of freedom much happens near 0
    density = np.log(2.0) + half * np.log(half) - gammaln(half) + (df - 1.0) * np.log(s) - half * s**2
    return s, w * (high - low) * u * np.exp(density)


def _range_tail(r: Floats, k: int) -> Floats:
    # P(range of k standard normals > r), integrated over the largest of them.
    from scipy.special import ndtr, ndtri

    low, high = ndtri(1e-17 ** (1.0 / k)), 8.5  # the largest of k is hardly ever outside
    x, w = _nodes(_INNER)
    z = low + (high - low) * (x + 1.0) / 2.0
    weights = w * (high - low) / 2.0 * k * np.exp(-(z**2) / 2.0) / np.sqrt(2.0 * np.pi)
    whole = ndtr(z)
    within = whole - ndtr(z - r[..., None])
    return np.asarray((weights * (whole ** (k - 1) - np.maximum(within, 0.0) ** (k - 1))).sum(axis=-1))
