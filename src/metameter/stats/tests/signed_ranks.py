"""Wilcoxon's signed ranks, and Friedman's test on ranks within topics."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metameter.errors import MetameterError
from metameter.stats.checks import Floats

_EXACT = 50


def signed_ranks_test(z: Floats, zero: float, method: str = "auto", *, tolerant: bool = False) -> tuple[Floats, Floats]:
    """Return Wilcoxon's statistic and two-sided p of each column of differences; see `wilcoxon`.

    Examples
    --------
    >>> [float(part[0]) for part in signed_ranks_test(np.array([[1.0], [2.0], [3.0]]), 0.0)]
    [0.0, 0.25]
    """
    from scipy.stats import rankdata

    z = np.where(np.abs(z) <= zero, 0.0, z).T
    n = (z != 0).sum(axis=-1)
    sizes = _tied(np.abs(z), zero) if tolerant else np.abs(z)
    # Zeros are the lowest absolute values: subtracting their number leaves the ranks of the others. Apart from zeros,
    # ties are decided without tolerance unless asked: other software does so too, and people compare.
    ranks = np.where(z != 0, rankdata(sizes, axis=-1) - (z.shape[-1] - n)[:, None], 0.0)
    plus, minus = (ranks * (z > 0)).sum(axis=-1), (ranks * (z < 0)).sum(axis=-1)
    squares = (ranks**2).sum(axis=-1)
    pvalue = _normal_pvalue(plus, n, squares)
    exact = _is_exact(n, squares, z.shape[-1], method)
    pvalue[exact] = _exact_pvalue(np.minimum(plus, minus)[exact], z.shape[-1])
    return np.minimum(plus, minus), pvalue


def _tied(sizes: Floats, zero: float) -> NDArray[np.int64]:
    # Differences of scores are tied by the rule for the scores themselves: neighbours no further apart than `zero`.
    order = np.argsort(sizes, axis=-1, kind="stable")
    rising = np.take_along_axis(sizes, order, axis=-1)
    codes = np.zeros(sizes.shape, dtype=np.int64)
    np.put_along_axis(codes, order[:, 1:], np.cumsum(np.diff(rising, axis=-1) > zero, axis=-1), axis=-1)
    return codes


def _is_exact(n: NDArray[np.int64], squares: Floats, topics: int, method: str) -> NDArray[np.bool_]:
    if method not in ("auto", "asymptotic"):
        raise MetameterError(
            "unknown method for Wilcoxon's test",
            given=method,
            allowed="'auto' or 'asymptotic'",
            fix="Use 'auto', which is exact where it can be.",
        )
    plain = n * (n + 1) * (2 * n + 1) / 6.0  # ties lower the sum of squared ranks
    return np.asarray((n == topics) & (squares == plain) & (topics <= _EXACT) & (method == "auto"))


def _normal_pvalue(plus: Floats, n: NDArray[np.int64], squares: Floats) -> Floats:
    from scipy.special import ndtr

    # A quarter of the sum of squared ranks is the variance of the rank sum, ties or not.
    error = np.sqrt(squares / 4.0)
    centred = plus - n * (n + 1) / 4.0
    score = np.divide(centred, error, out=np.zeros_like(centred), where=error > 0)
    return np.asarray(2.0 * ndtr(-np.abs(score)))


def _exact_pvalue(smaller: Floats, n: int) -> Floats:
    return np.minimum(1.0, 2.0 * _rank_sum_cdf(n)[smaller.astype(np.int64)])


@lru_cache(maxsize=64)
def _rank_sum_cdf(n: int) -> Floats:
    # How many of the 2**n sign patterns give each rank sum: add one rank after the other. Exact below 2**53.
    counts = np.zeros(n * (n + 1) // 2 + 1)
    counts[0] = 1.0
    for rank in range(1, n + 1):
        counts[rank:] = counts[rank:] + counts[:-rank]
    return np.asarray(np.cumsum(counts) / 2.0**n)


def sign_test(first: ArrayLike, second: ArrayLike) -> Floats:
    """How often a fair coin would give counts as uneven as these, or more so; 1 where there are none.

    Examples
    --------
    >>> sign_test([3, 4, 0], [0, 4, 0])  # three of three: 2 / 2^3
    array([0.25, 1.  , 1.  ])
    """
    from scipy.special import bdtr

    one, other = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
    tail = bdtr(np.minimum(one, other).astype(np.float64), one + other, 0.5)
    return np.where(one == other, 1.0, np.minimum(1.0, 2.0 * tail))


def fewest_for_significance(most: int, alpha: float) -> NDArray[np.int64]:
    """For each number of tosses from 0 to ``most``: at how few of the rarer side p falls below alpha; -1 for never.

    Examples
    --------
    >>> fewest_for_significance(9, 0.05)  # none of six: 2 / 2^6 = .031; one of nine: .039
    array([-1, -1, -1, -1, -1, -1,  0,  0,  0,  1])
    """
    tosses = np.arange(most + 1)
    # The largest count whose p is below alpha lies in [low, high): halve that until one is left.
    low, high = np.full(most + 1, -1), (tosses + 1) // 2
    while (high - low > 1).any():
        middle = (low + high) // 2
        below = (middle >= 0) & (sign_test(np.maximum(middle, 0), tosses - np.maximum(middle, 0)) < alpha)
        low, high = np.where(below, middle, low), np.where(below, high, np.maximum(middle, low + 1))
    return low
