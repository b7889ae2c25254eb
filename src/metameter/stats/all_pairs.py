"""Every two metrics compared in consistency and in power, at one error rate: which differ."""

from __future__ import annotations

import operator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from metameter.stats.simultaneous import as_t, small_sample_factor, upper_quantile

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from metameter.stats.checks import Floats
    from metameter.stats.metric_draws import MetricDraws

__all__ = ["differing", "differing_pairs"]

_ROUNDING = 1e-12


def differing_pairs(draws: MetricDraws, *, topics: int, alpha: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which two metrics differ in consistency, and which in power: two symmetric matrices, one family.

    As `simultaneous`, without intervals; pair by pair, so that hundreds of metrics do not take their square in memory.

    Parameters
    ----------
    draws : MetricDraws
    topics : int
    alpha : float
        The chance that any two metrics are wrongly said to differ.
    """
    resampled = (draws.halves.taus, draws.power)
    none = np.zeros((resampled[0].shape[1],) * 2)
    splits = draws.split_taus
    noise = (draws.halves.noise.mean(axis=0), none)
    centre = (np.atleast_2d(np.cov(splits.T)) / len(splits), none)
    away = [each - each.mean(axis=0) for each in resampled]
    variance = [_of_differences(np.atleast_2d(np.cov(each.T))) for each in resampled]
    error = [
        np.sqrt(np.maximum(var - _of_differences(n), 0.0) + _of_differences(c))
        for var, n, c in zip(variance, noise, centre, strict=True)
    ]
    estimate = [_outer(splits.mean(axis=0)), _outer(draws.observed_power)]
    widen = partial(operator.mul, small_sample_factor(topics, alpha))
    differs = _stepping_down(estimate, error, away, variance, widen, alpha)
    return differs[0], differs[1]


def differing(estimate: Floats, resampled: Floats, *, units: int, alpha: float) -> NDArray[np.bool_]:
    """Which two of many estimates differ, all pairs being one family: a symmetric matrix.

    Parameters
    ----------
    estimate : ndarray, (statistics,)
    resampled : ndarray, (resamples, statistics)
        Without noise of their own: all their variance is due to what was drawn anew.
    units : int
        How many topics, pages or users the resamples are drawn from.
    alpha : float
        The chance that any two are wrongly said to differ.

    Examples
    --------
    >>> draws = np.random.default_rng(0).normal(size=(1000, 3))
    >>> differing(np.array([0.0, 0.5, 9.0]), draws, units=1000, alpha=0.05).astype(int)
    array([[0, 0, 1],
           [0, 0, 1],
           [1, 1, 0]])
    """
    if len(resampled) < 2:
        return np.zeros((len(estimate),) * 2, dtype=bool)
    variance = np.maximum(_of_differences(np.atleast_2d(np.cov(resampled.T))), 0.0)
    parts = [_outer(estimate)], [np.sqrt(variance)], [resampled - resampled.mean(axis=0)], [variance]
    return _stepping_down(*parts, partial(as_t, units=units), alpha)[0]


def _stepping_down(
    estimate: list[Floats],
    error: list[Floats],
    away: list[Floats],
    variance: list[Floats],
    widen: Callable[[float], float],
    alpha: float,
) -> list[NDArray[np.bool_]]:
    """Which pairs differ in each statistic: what is decided leaves the family, and the others are looked at again."""
    family = [var > _ROUNDING**2 for var in variance]
    differs = [np.zeros_like(each) for each in family]
    while any(each.any() for each in family):
        largest = np.maximum.reduce([_largest(*part) for part in zip(away, variance, family, strict=True)])
        c = widen(upper_quantile(largest, alpha))
        if not np.isfinite(c):  # too few resamples for the level
            break
        decided = [f & (np.abs(e) > c * se) for f, e, se in zip(family, estimate, error, strict=True)]
        if not any(each.any() for each in decided):
            break
        differs = [old | new for old, new in zip(differs, decided, strict=True)]
        family = [old & ~new for old, new in zip(family, decided, strict=True)]
    return differs


def _outer(values: Floats) -> Floats:
    return np.asarray(values[:, None] - values)


def _of_differences(covariance: Floats) -> Floats:
    """The variance of every difference, from the covariances."""
    own = np.diagonal(covariance)
    return np.asarray(own[:, None] + own - 2.0 * covariance)


def _largest(away: Floats, variance: Floats, family: NDArray[np.bool_]) -> Floats:
    """In every resample, the largest deviation of the pairs that are still in the family."""
    largest = np.zeros(len(away))
    for metric in range(away.shape[1]):
        others = np.nonzero(family[metric, metric + 1 :])[0] + metric + 1
        if len(others):
            apart = np.abs(away[:, [metric]] - away[:, others]) / np.sqrt(variance[metric, others])
            np.maximum(largest, apart.max(axis=1), out=largest)
    return largest
