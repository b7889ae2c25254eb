"""Paired tests of every two systems: t, Wilcoxon, sign. Each pair is tested alone: see `adjust`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metameter.stats.checks import Floats, score_matrix, system_pairs, tolerance
from metameter.stats.resampling.studentised import observed_t
from metameter.stats.tests.pairs import in_chunks
from metameter.stats.tests.signed_ranks import signed_ranks_test
from metameter.stats.tests.tukey_result import discriminative_power


@dataclass(frozen=True, eq=False)
class PairedTest:
    """A test of every two systems, in the order (0,1), (0,2), ..., (1,2), ...

    Attributes
    ----------
    statistic, pvalue, mean_difference : ndarray, (..., pairs)
        p is two-sided and for each pair alone; 1 if all differences are 0, NaN for fewer than two topics.
    """

    statistic: Floats
    pvalue: Floats
    mean_difference: Floats

    def power(self, alpha: float = 0.05) -> Floats:
        """Return the fraction of pairs with p < alpha, uncorrected."""
        return discriminative_power(self.pvalue, alpha)


def paired_t(scores: ArrayLike) -> PairedTest:
    """Student's paired t test of every two systems, for ``scores[..., topic, system]``.

    Examples
    --------
    >>> result = paired_t([[2, 1], [4, 1], [3, 1]])  # differences 1, 3, 2: mean 2, standard deviation 1
    >>> result.statistic.round(4), result.pvalue.round(4)
    (array([3.4641]), array([0.0742]))
    """
    return _each(scores, _t)


def critical_t(alpha: float, topics: int) -> float:
    """The t beyond which a two-sided paired test is significant.

    Examples
    --------
    >>> round(critical_t(0.05, 50), 3)
    2.01
    """
    from scipy.special import stdtrit

    return float(-stdtrit(topics - 1, alpha / 2.0))


def standard_errors(matrix: Floats, pairs: tuple[NDArray[np.intp], NDArray[np.intp]] | None = None) -> Floats:
    """The standard error of the mean difference of every pair, metrics x pairs; 0 where the differences are all equal.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    pairs : pair of ndarray of int, optional
        Positions of the first and second systems; by default all pairs.

    Examples
    --------
    >>> standard_errors(np.array([[[2.0, 1.0], [4.0, 1.0], [3.0, 1.0]]])).round(4)
    array([[0.5774]])
    """
    first, second = system_pairs(matrix.shape[-1]) if pairs is None else pairs
    errors = np.empty((len(matrix), len(first)))
    for row, one, zero in zip(errors, matrix, tolerance(matrix, axes=2)[:, 0, 0], strict=True):
        for some in in_chunks(len(first)):
            z = one[:, first[some]] - one[:, second[some]]
            row[some] = np.where(np.ptp(z, axis=0) <= zero, 0.0, z.std(axis=0, ddof=1))
    return np.asarray(errors / np.sqrt(matrix.shape[1]))


def wilcoxon(scores: ArrayLike, method: str = "auto", *, tolerant: bool = False) -> PairedTest:
    """Wilcoxon's signed-rank test of every two systems; zero differences dropped, no continuity correction.

    The statistic is the smaller of the two rank sums.

    Parameters
    ----------
    scores : array-like, (..., topics, systems)
    method : {"auto", "asymptotic"}
        Exact for at most 50 topics without ties or zeros, otherwise normal with tie correction; or always normal.
    tolerant : bool
        Tie differences closer than 1e-12 times the largest score, as everywhere else here, so that multiplying the
        scores by a number changes nothing. By default only exactly equal ones are tied, as in other software.

    Examples
    --------
    >>> result = wilcoxon([[2, 1], [4, 1], [1, 3], [9, 1], [5, 1]])  # +1, +3, -2, +8, +4
    >>> result.statistic, result.pvalue  # 3 of 32 sign patterns give a rank sum of at most 2, twice
    (array([2.]), array([0.1875]))
    """
    return _each(scores, partial(signed_ranks_test, method=method, tolerant=tolerant))


def sign(scores: ArrayLike) -> PairedTest:
    """Sign test of every two systems: exact, zero differences dropped. The statistic counts the wins of the first.

    Examples
    --------
    >>> result = sign([[2, 1], [3, 1], [1, 1], [5, 1]])  # three wins, no loss
    >>> result.statistic, result.pvalue
    (array([3.]), array([0.25]))
    """
    return _each(scores, _sign)


def _t(z: Floats, zero: float) -> tuple[Floats, Floats]:
    from scipy.special import stdtr

    t, _ = observed_t(z, zero)
    return t, np.where(t == 0.0, 1.0, 2.0 * stdtr(len(z) - 1, -np.abs(t)))


def _sign(z: Floats, zero: float) -> tuple[Floats, Floats]:
    from scipy.special import bdtr

    wins, losses = (z > zero).sum(axis=0), (z < -zero).sum(axis=0)
    tail = bdtr(np.minimum(wins, losses).astype(np.float64), wins + losses, 0.5)
    return wins.astype(np.float64), np.where(wins == losses, 1.0, np.minimum(1.0, 2.0 * tail))


def _each(scores: ArrayLike, test: Callable[[Floats, float], tuple[Floats, Floats]]) -> PairedTest:
    matrix = score_matrix(scores)
    first, second = system_pairs(matrix.shape[-1])
    means = matrix.mean(axis=-2)
    difference = means[..., first] - means[..., second]
    if matrix.shape[-2] < 2:
        undefined = np.full_like(difference, np.nan)
        return PairedTest(undefined, undefined.copy(), difference)
    flat = matrix.reshape(-1, *matrix.shape[-2:])
    zeros = tolerance(flat, axes=2)[:, 0, 0]
    statistic, pvalue = np.empty((2, len(flat), len(first)))
    # Some pairs at a time: topic by topic, the differences of all pairs may not fit into memory.
    for some in in_chunks(len(first)):
        for row, (one, zero) in enumerate(zip(flat, zeros, strict=True)):
            z = one[:, first[some]] - one[:, second[some]]
            statistic[row, some], pvalue[row, some] = test(z, float(zero))
    return PairedTest(statistic.reshape(difference.shape), pvalue.reshape(difference.shape), difference)
