"""Paired tests of every two systems, each pair alone: t, Wilcoxon, sign."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metameter.errors import MetameterError
from metameter.stats.checks import Floats, SystemPairs, score_matrix, system_pairs, tolerance
from metameter.stats.resampling.studentised import observed_t
from metameter.stats.significance.pairs import pair_chunks
from metameter.stats.significance.tukey import discriminative_power

_EXACT = 50


def signed_ranks_test(z: Floats, zero: float, method: str = "auto", *, tolerant: bool = False) -> tuple[Floats, Floats]:
    """Return Wilcoxon's statistic and two-sided p-value of each column of differences; see `wilcoxon`.

    Examples
    --------
    >>> [float(part[0]) for part in signed_ranks_test(np.array([[1.0], [2.0], [3.0]]), 0.0)]
    [0.0, 0.25]
    """
    from scipy.stats import rankdata

    z = np.where(np.abs(z) <= zero, 0.0, z).T
    n = (z != 0).sum(axis=-1)
    sizes = _tied(np.abs(z), zero) if tolerant else np.abs(z)
    # Zeros are the lowest absolute values: subtracting their number leaves the ranks of the others. Ties of the others
    # have no tolerance by default, for the results of other software.
    ranks = np.where(z != 0, rankdata(sizes, axis=-1) - (z.shape[-1] - n)[:, None], 0.0)
    plus, minus = (ranks * (z > 0)).sum(axis=-1), (ranks * (z < 0)).sum(axis=-1)
    squares = (ranks**2).sum(axis=-1)
    pvalue = _normal_pvalue(plus, n, squares)
    exact = _is_exact(n, squares, z.shape[-1], method)
    pvalue[exact] = _exact_pvalue(np.minimum(plus, minus)[exact], z.shape[-1])
    return np.minimum(plus, minus), pvalue


def _tied(sizes: Floats, zero: float) -> NDArray[np.int64]:
    # Differences are tied by the rule for scores: neighbours no further apart than ``zero``.
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

    # The variance of the rank sum is a quarter of the sum of squared ranks, with or without ties.
    error = np.sqrt(squares / 4.0)
    centred = plus - n * (n + 1) / 4.0
    score = np.divide(centred, error, out=np.zeros_like(centred), where=error > 0)
    return np.asarray(2.0 * ndtr(-np.abs(score)))


def _exact_pvalue(smaller: Floats, n: int) -> Floats:
    return np.minimum(1.0, 2.0 * _rank_sum_cdf(n)[smaller.astype(np.int64)])


@lru_cache(maxsize=64)
def _rank_sum_cdf(n: int) -> Floats:
    # The number of the 2**n sign patterns with each rank sum, adding rank by rank. Exact below 2**53.
    counts = np.zeros(n * (n + 1) // 2 + 1)
    counts[0] = 1.0
    for rank in range(1, n + 1):
        counts[rank:] = counts[rank:] + counts[:-rank]
    return np.asarray(np.cumsum(counts) / 2.0**n)


def sign_test(first: ArrayLike, second: ArrayLike) -> Floats:
    """Return the two-sided p-value of the sign test for two counts; 1 where both are 0.

    Examples
    --------
    >>> sign_test([3, 4, 0], [0, 4, 0])  # three of three: 2 / 2^3
    array([0.25, 1.  , 1.  ])
    """
    from scipy.special import bdtr

    one, other = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
    tail = bdtr(np.minimum(one, other).astype(np.float64), one + other, 0.5)
    return np.where(one == other, 1.0, np.minimum(1.0, 2.0 * tail))


def critical_counts(most: int, alpha: float) -> NDArray[np.int64]:
    """Return, for n = 0 to ``most``, the largest count of the rarer sign with p < alpha in the sign test; -1 if none.

    Examples
    --------
    >>> critical_counts(9, 0.05)  # none of six: 2 / 2^6 = .031; one of nine: .039
    array([-1, -1, -1, -1, -1, -1,  0,  0,  0,  1])
    """
    tosses = np.arange(most + 1)
    # Bisection: the largest count with p below alpha lies in [low, high).
    low, high = np.full(most + 1, -1), (tosses + 1) // 2
    while (high - low > 1).any():
        middle = (low + high) // 2
        below = (middle >= 0) & (sign_test(np.maximum(middle, 0), tosses - np.maximum(middle, 0)) < alpha)
        low, high = np.where(below, middle, low), np.where(below, high, np.maximum(middle, low + 1))
    return low


@dataclass(frozen=True, eq=False)
class PairedTest:
    """A paired test of every two systems, in the order (0,1), (0,2), ..., (1,2), ...

    Attributes
    ----------
    statistic, pvalue, mean_difference : ndarray, (..., pairs)
        The p-values are two-sided, for each pair alone; 1 if all differences are 0, NaN for fewer than two topics.
    """

    statistic: Floats
    pvalue: Floats
    mean_difference: Floats

    def power(self, alpha: float = 0.05) -> Floats:
        """Return the share of pairs with uncorrected p < alpha."""
        return discriminative_power(self.pvalue, alpha)


def paired_t(scores: ArrayLike, pairs: SystemPairs | None = None) -> PairedTest:
    """Return Student's paired t test of every two systems of ``scores[..., topic, system]``, or of some ``pairs``.

    Examples
    --------
    >>> result = paired_t([[2, 1], [4, 1], [3, 1]])  # differences 1, 3, 2: mean 2, standard deviation 1
    >>> result.statistic.round(4), result.pvalue.round(4)
    (array([3.4641]), array([0.0742]))
    """
    return _each(scores, _t, pairs)


def critical_t(alpha: float, topics: int) -> float:
    """Return the critical value of a two-sided paired t test.

    Examples
    --------
    >>> round(critical_t(0.05, 50), 3)
    2.01
    """
    from scipy.special import stdtrit

    return float(-stdtrit(topics - 1, alpha / 2.0))


def standard_errors(matrix: Floats, pairs: SystemPairs | None = None) -> Floats:
    """Return the standard error of the mean difference of every pair, (metrics, pairs); 0 for constant differences.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    pairs : pair of ndarray of int, optional
        Indices of the first and second systems; by default all pairs.

    Examples
    --------
    >>> standard_errors(np.array([[[2.0, 1.0], [4.0, 1.0], [3.0, 1.0]]])).round(4)
    array([[0.5774]])
    """
    first, second = system_pairs(matrix.shape[-1]) if pairs is None else pairs
    errors = np.empty((len(matrix), len(first)))
    for row, one, zero in zip(errors, matrix, tolerance(matrix, axes=2)[:, 0, 0], strict=True):
        for some in pair_chunks(len(first)):
            z = one[:, first[some]] - one[:, second[some]]
            row[some] = np.where(np.ptp(z, axis=0) <= zero, 0.0, z.std(axis=0, ddof=1))
    return np.asarray(errors / np.sqrt(matrix.shape[1]))


def wilcoxon(
    scores: ArrayLike, method: str = "auto", *, tolerant: bool = False, pairs: SystemPairs | None = None
) -> PairedTest:
    """Return Wilcoxon's signed-rank test of every two systems; zero differences dropped, no continuity correction.

    The statistic is the smaller of the two rank sums.

    Parameters
    ----------
    scores : array-like, (..., topics, systems)
    method : {"auto", "asymptotic"}
        "auto" is exact for at most 50 topics without ties or zeros, otherwise normal with tie correction; "asymptotic"
        is always normal.
    tolerant : bool
        Whether differences closer than 1e-12 times the largest score are tied, so that rescaling the scores changes
        nothing. By default only equal differences are tied, as in other software.
    pairs : pair of ndarray of int, optional
        Indices of the first and second systems; by default all pairs.

    Examples
    --------
    >>> result = wilcoxon([[2, 1], [4, 1], [1, 3], [9, 1], [5, 1]])  # +1, +3, -2, +8, +4
    >>> result.statistic, result.pvalue  # 3 of 32 sign patterns give a rank sum of at most 2, twice
    (array([2.]), array([0.1875]))
    """
    return _each(scores, partial(signed_ranks_test, method=method, tolerant=tolerant), pairs)


def sign(scores: ArrayLike, pairs: SystemPairs | None = None) -> PairedTest:
    """Return the exact sign test of every two systems, or of some ``pairs``; the statistic is the first one's wins.

    Zero differences are dropped.

    Examples
    --------
    >>> result = sign([[2, 1], [3, 1], [1, 1], [5, 1]])  # three wins, no loss
    >>> result.statistic, result.pvalue
    (array([3.]), array([0.25]))
    """
    return _each(scores, _sign, pairs)


def _t(z: Floats, zero: float) -> tuple[Floats, Floats]:
    from scipy.special import stdtr

    t, _ = observed_t(z, zero)
    return t, np.where(t == 0.0, 1.0, 2.0 * stdtr(len(z) - 1, -np.abs(t)))


def _sign(z: Floats, zero: float) -> tuple[Floats, Floats]:
    from scipy.special import bdtr

    wins, losses = (z > zero).sum(axis=0), (z < -zero).sum(axis=0)
    tail = bdtr(np.minimum(wins, losses).astype(np.float64), wins + losses, 0.5)
    return wins.astype(np.float64), np.where(wins == losses, 1.0, np.minimum(1.0, 2.0 * tail))


def _each(
    scores: ArrayLike, test: Callable[[Floats, float], tuple[Floats, Floats]], pairs: SystemPairs | None
) -> PairedTest:
    matrix = score_matrix(scores)
    first, second = system_pairs(matrix.shape[-1]) if pairs is None else pairs
    means = matrix.mean(axis=-2)
    difference = means[..., first] - means[..., second]
    if matrix.shape[-2] < 2:
        undefined = np.full_like(difference, np.nan)
        return PairedTest(undefined, undefined.copy(), difference)
    flat = matrix.reshape(-1, *matrix.shape[-2:])
    zeros = tolerance(flat, axes=2)[:, 0, 0]
    statistic, pvalue = np.empty((2, len(flat), len(first)))
    # In chunks, because topics x pairs may not fit into memory.
    for some in pair_chunks(len(first)):
        for row, (one, zero) in enumerate(zip(flat, zeros, strict=True)):
            z = one[:, first[some]] - one[:, second[some]]
            statistic[row, some], pvalue[row, some] = test(z, float(zero))
    return PairedTest(statistic.reshape(difference.shape), pvalue.reshape(difference.shape), difference)
