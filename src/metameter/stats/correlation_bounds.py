"""Intervals of rank correlations between metrics: for other systems, or for other topics."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from metameter.parallel import Workers
from metameter.stats.correlation_resamples import at_two_noises, long_bootstrap_indices
from metameter.stats.extrapolation import extrapolated_interval, jackknife_errors
from metameter.stats.intervals import correlation_interval
from metameter.stats.replicates import map_blocks

if TYPE_CHECKING:
    from metameter.stats.checks import Floats

__all__ = ["FIELLER", "LEAST_TOPICS", "bootstrap_bounds", "fieller_bounds"]

FIELLER = {"tau_b": "fieller_tau", "rho": "fieller_rho"}
LEAST_TOPICS = 5  # of fewer there are too few different resamples
_LEVEL = 0.95
_BOUNDS = ("low", "high", "low_se", "high_se", "low_all", "high_all")
_HALF_TURN = {"rho": 3.0}
_LOWEST = {"rbo": 0.0}


def fieller_bounds(estimates: Floats, systems: int, coefficient: str, family: int = 1) -> dict[str, Floats]:
    """For other systems, by Fieller's formula; nothing is random, so there are no Monte-Carlo errors.

    ``low_all`` and ``high_all`` hold for a family of that many correlations at once, by Bonferroni's inequality.

    Examples
    --------
    >>> ends = fieller_bounds(np.array([0.8]), 20, "tau_b")  # tanh(atanh(.8) -+ 1.96 sqrt(.437 / 16))
    >>> [float(ends[name][0].round(2)) for name in ("low", "high")]
    [0.65, 0.89]
    """
    none = np.full_like(estimates, np.nan)
    ends = [none] * 4
    if coefficient in FIELLER:
        formula = FIELLER[coefficient]
        alone = correlation_interval(estimates, systems, formula, _LEVEL)
        ends = [*alone, *correlation_interval(estimates, systems, formula, _level_of_all(family))]
    return dict(zip(_BOUNDS, (*ends[:2], none, none, *ends[2:]), strict=True))


def _level_of_all(family: int) -> float:
    return 1.0 - (1.0 - _LEVEL) / max(family, 1)


def bootstrap_bounds(
    matrix: Floats,
    statistic: Callable[[Floats], Floats],
    estimates: Floats,
    resamples: int,
    seed: int,
    jobs: int | Workers | None,
    coefficient: str = "tau_b",
    family: int = 1,
) -> dict[str, Floats]:
    """For other topics: where the correlations over all topics may be, with the Monte-Carlo errors of the ends.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    statistic : callable
        From means (..., metrics, systems) to correlations, such as `coefficients_of_means` gives.
    estimates : ndarray
        The correlations on these topics.
    resamples, seed : int
    jobs : int or Workers, optional
    coefficient : str
        Which correlation it is.
    family : int
        For how many correlations at once ``low_all`` and ``high_all`` hold, by Bonferroni's inequality.

    Returns
    -------
    dict of ndarray
        ``low``, ``high``, ``low_se``, ``high_se``, ``low_all``, ``high_all``; NaN where the estimate is, and of fewer
        than five topics.
    """
    topics = matrix.shape[1]
    bounds = {name: np.full_like(estimates, np.nan) for name in _BOUNDS}
    if topics < LEAST_TOPICS:
        return bounds
    replicates = long_bootstrap_indices(topics, resamples, seed)
    drawn = np.concatenate(list(map_blocks(at_two_noises, replicates, jobs, matrix=matrix, statistic=statistic)))
    defined = ~np.isnan(estimates)
    long, short = drawn[:, 0, defined], drawn[:, 1, defined]
    interval = partial(
        extrapolated_interval,
        estimates=estimates[defined],
        topics=topics,
        half_turn=_HALF_TURN.get(coefficient, 1.0),
        lowest=_LOWEST.get(coefficient, -1.0),
    )
    together = interval(long, short, level=_level_of_all(family))
    found = [*interval(long, short), *jackknife_errors(interval, long, short), *together]
    for bound, values in zip(bounds.values(), found, strict=True):
        bound[defined] = values
    return bounds
