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
from metameter.stats.replicates import Replicates, map_blocks
from metameter.stats.resampling import bootstrap_indices, multiplicities
from metameter.stats.simultaneous import upper_quantile
from metameter.stats.sums import weighted_sums

if TYPE_CHECKING:
    from metameter.stats.checks import Floats

__all__ = ["FIELLER", "LEAST_TOPICS", "bootstrap_bounds", "fieller_bounds", "lowest_together"]

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


def lowest_together(
    matrix: Floats,
    statistic: Callable[[Floats], Floats],
    estimates: Floats,
    *,
    alpha: float = 0.05,
    resamples: int = 400,
    seed: int = 0,
    jobs: int | Workers | None = None,
) -> Floats:
    """Lower bounds of tau_b that hold for all pairs of metrics at once, for other topics and for other systems.

    For topics: what tau between two metrics would be on as many other topics. On resampled topics tau is lower than on
    new ones, since they carry the noise of the topics twice; the largest fall below the mean of the resamples, over all
    pairs, in standard deviations, bounds it. For systems: Fieller's interval at ``alpha`` divided by the pairs. The
    bound is the lower of the two.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    statistic : callable
        From means (..., metrics, systems) to tau_b, as `coefficients_of_means` gives.
    estimates : ndarray, (pairs,)
        tau_b on these topics.
    alpha : float
        The chance that any bound is not kept, for topics and for systems each.
    resamples, seed : int
    jobs : int or Workers, optional

    Returns
    -------
    ndarray, (pairs,)
        NaN for fewer than five topics or systems, and where tau is undefined.
    """
    defined = ~np.isnan(estimates)
    low = np.full_like(estimates, np.nan)
    if matrix.shape[1] < LEAST_TOPICS or not defined.any():
        return low
    drawn = bootstrap_indices(matrix.shape[1], resamples, seed)
    taus = np.concatenate(list(map_blocks(_on_resamples, drawn, jobs, matrix=matrix, statistic=statistic)))
    taus = np.nan_to_num(taus[:, defined])
    mean, spread = taus.mean(axis=0), taus.std(axis=0, ddof=1)
    fall = np.divide(mean - taus, spread, out=np.zeros_like(taus), where=spread > 0)
    topics = mean - upper_quantile(fall.max(axis=1), alpha) * spread
    level = 1.0 - 2.0 * alpha / int(defined.sum())
    systems, _ = correlation_interval(estimates[defined], matrix.shape[2], FIELLER["tau_b"], level)
    low[defined] = np.maximum(np.minimum(topics, systems), -1.0)
    return low


def _on_resamples(
    number: int, *, replicates: Replicates, matrix: Floats, statistic: Callable[[Floats], Floats]
) -> Floats:
    metrics, topics, systems = matrix.shape
    columns = np.moveaxis(matrix, 1, 0).reshape(topics, -1)
    means = weighted_sums(multiplicities(replicates.block(number), topics), columns) / topics
    return np.asarray(statistic(means.reshape(-1, metrics, systems)))
