"""Intervals of rank correlations between metrics: for other systems, or for other topics."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from metameter.parallel import Workers
from metameter.stats.bootstrap import bootstrap_means_interval
from metameter.stats.intervals import correlation_interval
from metameter.stats.monte_carlo import bound_errors

if TYPE_CHECKING:
    from metameter.stats.checks import Floats

__all__ = ["FIELLER", "bootstrap_bounds", "fieller_bounds"]

FIELLER = {"tau_b": "fieller_tau", "rho": "fieller_rho"}


def fieller_bounds(estimates: Floats, systems: int, coefficient: str) -> dict[str, Floats]:
    """For other systems, by Fieller's formula; nothing is random, so there are no Monte-Carlo errors.

    Examples
    --------
    >>> ends = fieller_bounds(np.array([0.8]), 20, "tau_b")  # tanh(atanh(.8) -+ 1.96 sqrt(.437 / 16))
    >>> [float(ends[name][0].round(2)) for name in ("low", "high")]
    [0.65, 0.89]
    """
    none = np.full_like(estimates, np.nan)
    low, high = none, none
    if coefficient in FIELLER:
        low, high = correlation_interval(estimates, systems, FIELLER[coefficient])
    return {"low": low, "high": high, "low_se": none, "high_se": none}


def bootstrap_bounds(
    matrix: Floats,
    statistic: Callable[[Floats], Floats],
    estimates: Floats,
    resamples: int,
    seed: int,
    jobs: int | Workers | None,
) -> dict[str, Floats]:
    """For other topics: percentiles over resampled topics, with the Monte-Carlo errors of their ends.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    statistic : callable
        From means (..., metrics, systems) to correlations, such as `coefficients_of_means` gives.
    estimates : ndarray
        The correlations on these topics.
    resamples, seed : int
    jobs : int or Workers, optional

    Returns
    -------
    dict of ndarray
        ``low``, ``high``, ``low_se``, ``high_se``; NaN where the estimate is.
    """
    result = bootstrap_means_interval(matrix, statistic, trials=resamples, seed=seed, jobs=jobs)
    low_se, high_se = bound_errors(np.nan_to_num(result.distribution))
    # Means over resampled topics are noisier than those over the topics themselves, so metrics that agree closely
    # agree less on every resample: the interval is widened to hold the estimate.
    low, high = np.fmin(result.confidence_interval.low, estimates), np.fmax(result.confidence_interval.high, estimates)
    undefined = np.isnan(estimates)
    bounds = {"low": low, "high": high, "low_se": low_se, "high_se": high_se}
    return {name: np.where(undefined, np.nan, bound) for name, bound in bounds.items()}
