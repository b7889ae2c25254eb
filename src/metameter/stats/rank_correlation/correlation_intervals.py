"""Confidence intervals of rank correlations between metrics: for other systems, or for other topics."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metameter.errors import MetameterError, did_you_mean
from metameter.parallel import Workers
from metameter.stats.checks import Floats, Interval, Ints, check_level
from metameter.stats.deterministic_sums import weighted_sums
from metameter.stats.intervals.simultaneous import critical_value
from metameter.stats.resampling.replicates import Replicates, map_blocks
from metameter.stats.resampling.samples import LONGER, bootstrap_indices, long_bootstrap_indices, multiplicities

if TYPE_CHECKING:
    from metameter.stats.resampling.replicates import Replicates


def _fieller_tau(r: Floats, n: int) -> Any:
    return 0.437 / (n - 4) if n > 4 else np.nan


def _fieller_rho(r: Floats, n: int) -> Any:
    return 1.06 / (n - 3) if n > 3 else np.nan


def _fisher(r: Floats, n: int) -> Any:
    return 1.0 / (n - 3) if n > 3 else np.nan


_VARIANCES = {
    "fieller_tau": _fieller_tau,
    "fieller_rho": _fieller_rho,
    "fisher": _fisher,
}


def correlation_interval(r: ArrayLike, n: int, method: str = "fieller_tau", level: float = 0.95) -> Interval:
    r"""Return the confidence interval of a correlation for other systems.

    .. math:: \tanh(\operatorname{atanh} r \mp z_{1-\alpha/2} \sqrt{v})

    Parameters
    ----------
    r : float or array
        Correlations in [-1, 1].
    n : int
        Number of systems (or pages) correlated.
    method : {"fieller_tau", "fieller_rho", "fisher"}
        v = 0.437/(n-4) for Kendall's tau, 1.06/(n-3) for Spearman's rho, 1/(n-3) for Pearson's r.
    level : float
        Confidence, 0.95.

    Returns
    -------
    Interval
        ``low``, ``high``. NaN when n is too small; (r, r) when abs(r) = 1.

    Notes
    -----
    The systems are the random sample. In `bootstrap_bounds` the topics are.

    References
    ----------
    fieller1957

    Examples
    --------
    >>> low, high = correlation_interval(0.784, 39)
    >>> print(f"{low:.3f} {high:.3f}")
    0.684 0.855
    """
    from scipy.special import ndtri

    if method not in _VARIANCES:
        raise MetameterError("unknown kind of interval", given=method, fix=did_you_mean(method, list(_VARIANCES)))
    values = np.asarray(r, dtype=np.float64)
    if (np.abs(values) > 1.0).any():
        outside = float(values[np.abs(values) > 1.0].flat[0])
        raise MetameterError("a correlation is outside [-1, 1]", given=outside, fix="Give correlation coefficients.")
    perfect = np.abs(values) == 1.0
    z = np.arctanh(np.where(perfect, 0.0, values))
    half = ndtri(0.5 + check_level(level, "level") / 2.0) * np.sqrt(_VARIANCES[method](values, n))
    bounds = (np.where(perfect & ~np.isnan(half), values, np.tanh(z + sign * half)) for sign in (-1.0, 1.0))
    return Interval(*(bound if bound.ndim else float(bound) for bound in bounds))


def at_two_noise_levels(
    number: int,
    *,
    replicates: Replicates,
    matrix: Floats,
    statistic: Callable[[Floats], Floats],
) -> Floats:
    """Return a statistic of the systems' means on a block of long resamples, and on the first quarter of each.

    Means over n topics carry the sampling variance of n topics. Means over the first quarter of a resample carry twice
    that variance, from the topics and from the resampling; means over a long resample carry 1.25 times that variance.

    Parameters
    ----------
    number : int
        The block.
    replicates : Replicates
        From `long_bootstrap_indices`.
    matrix : ndarray, (metrics, topics, systems)
    statistic : callable
        From means (resamples, metrics, systems) to values (resamples, ...).

    Returns
    -------
    ndarray, (resamples, 2, ...)
        The values on the long and on the short resamples.

    Examples
    --------
    >>> scores = np.random.default_rng(0).normal(size=(1, 40, 1))
    >>> resamples = long_bootstrap_indices(40, 4000)
    >>> drawn = [at_two_noise_levels(b, replicates=resamples, matrix=scores, statistic=np.ravel) for b in range(63)]
    >>> (np.concatenate(drawn).std(axis=0) / (scores.std(ddof=1) / 40**0.5)).round(1)
    array([0.5, 1. ])
    """
    metrics, topics, systems = matrix.shape
    columns = np.moveaxis(matrix, 1, 0).reshape(topics, -1)
    indices = replicates.block(number)

    def of(rows: NDArray[Any]) -> Floats:
        means = weighted_sums(multiplicities(rows, topics), columns) / rows.shape[1]
        return np.asarray(statistic(means.reshape(-1, metrics, systems)))

    return np.stack([of(indices), of(indices[:, : indices.shape[1] // LONGER])], axis=1)


_GROUPS, _LEAST = 20, 4
#: Sampling variances of means over a long and a short resample, in units of that of means over the observed topics.
_LONG, _SHORT = 1.0 + 1.0 / LONGER, 2.0
FIELLER = {"tau_b": "fieller_tau", "rho": "fieller_rho"}
LEAST_TOPICS = 5  # with fewer there are too few different resamples
_LEVEL = 0.95
_BOUNDS = ("low", "high", "low_se", "high_se", "low_all", "high_all")
_HALF_TURN = {"rho": 3.0}
_LOWEST = {"rbo": 0.0}


def fieller_bounds(estimates: Floats, systems: int, coefficient: str, family: int = 1) -> dict[str, Floats]:
    """Return intervals for other systems by Fieller's formula; it has no Monte-Carlo error.

    ``low_all`` and ``high_all`` are simultaneous for a family of that many correlations (Bonferroni).

    Examples
    --------
    >>> bounds = fieller_bounds(np.array([0.8]), 20, "tau_b")  # tanh(atanh(.8) -+ 1.96 sqrt(.437 / 16))
    >>> [float(bounds[name][0].round(2)) for name in ("low", "high")]
    [0.65, 0.89]
    """
    none = np.full_like(estimates, np.nan)
    bounds = [none] * 4
    if coefficient in FIELLER:
        formula = FIELLER[coefficient]
        alone = correlation_interval(estimates, systems, formula, _LEVEL)
        bounds = [*alone, *correlation_interval(estimates, systems, formula, _level_of_all(family))]
    return dict(zip(_BOUNDS, (*bounds[:2], none, none, *bounds[2:]), strict=True))


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
    """Return intervals of the correlations over the population of topics, with Monte-Carlo errors of the bounds.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    statistic : callable
        From means (..., metrics, systems) to correlations, as from `coefficients_of_means`.
    estimates : ndarray
        The correlations on the observed topics.
    resamples, seed : int
    jobs : int or Workers, optional
    coefficient : str
        The name of the coefficient.
    family : int
        The number of correlations for which ``low_all`` and ``high_all`` are simultaneous (Bonferroni).

    Returns
    -------
    dict of ndarray
        ``low``, ``high``, ``low_se``, ``high_se``, ``low_all``, ``high_all``; NaN where the estimate is NaN, and for
        fewer than five topics.
    """
    topics = matrix.shape[1]
    bounds = {name: np.full_like(estimates, np.nan) for name in _BOUNDS}
    if topics < LEAST_TOPICS:
        return bounds
    replicates = long_bootstrap_indices(topics, resamples, seed)
    values = np.concatenate(list(map_blocks(at_two_noise_levels, replicates, jobs, matrix=matrix, statistic=statistic)))
    defined = ~np.isnan(estimates)
    long, short = values[:, 0, defined], values[:, 1, defined]
    interval = partial(
        extrapolated_interval,
        estimates=estimates[defined],
        topics=topics,
        half_turn=_HALF_TURN.get(coefficient, 1.0),
        lowest=_LOWEST.get(coefficient, -1.0),
    )
    together = interval(long, short, level=_level_of_all(family))
    columns = [*interval(long, short), *jackknife_errors(interval, long, short), *together]
    for bound, values in zip(bounds.values(), columns, strict=True):
        bound[defined] = values
    return bounds


def simultaneous_lower_bounds(
    matrix: Floats,
    statistic: Callable[[Floats], Floats],
    estimates: Floats,
    *,
    alpha: float = 0.05,
    resamples: int = 400,
    seed: int = 0,
    jobs: int | Workers | None = None,
) -> Floats:
    """Return simultaneous lower bounds of tau_b for all pairs of metrics, for other topics and for other systems.

    For topics: a bound of tau on as many other topics. On resampled topics tau is lower than on new topics, since
    they carry the noise of the topics twice; the largest deviation below the mean of the resamples, over all pairs, in
    standard deviations, gives the bound. For systems: Fieller's interval at ``alpha`` divided by the number of pairs.
    The result is the lower of the two bounds.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    statistic : callable
        From means (..., metrics, systems) to tau_b, as `coefficients_of_means` gives.
    estimates : ndarray, (pairs,)
        tau_b on the observed topics.
    alpha : float
        The probability that any bound is wrong, for topics and for systems each.
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
    replicates = bootstrap_indices(matrix.shape[1], resamples, seed)
    taus = np.concatenate(list(map_blocks(_on_resamples, replicates, jobs, matrix=matrix, statistic=statistic)))
    taus = np.nan_to_num(taus[:, defined])
    mean, spread = taus.mean(axis=0), taus.std(axis=0, ddof=1)
    fall = np.divide(mean - taus, spread, out=np.zeros_like(taus), where=spread > 0)
    topics = mean - critical_value(fall.max(axis=1), alpha) * spread
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


def extrapolated_interval(
    long: Floats,
    short: Floats,
    estimates: Floats,
    topics: int,
    half_turn: float = 1.0,
    lowest: float = -1.0,
    level: float = 0.95,
) -> Interval:
    r"""Return intervals of the correlations of means over the population of topics.

    On the scale of Pearson's r, noise lowers a correlation in proportion to its variance; for normal scores that scale
    is :math:`\sin(\pi\tau/2)` (Greiner's relation). On it, correlations at two noise levels are extrapolated to zero
    noise.

    Parameters
    ----------
    long, short : ndarray, (resamples, ...)
        Correlations on resampled topics, from `at_two_noise_levels`; NaN where undefined.
    estimates : ndarray, (...)
        Correlations on the observed topics; the interval contains them.
    topics : int
    half_turn : float
        Correlations c become sin(pi c / 2 half_turn), scaled so that 1 remains 1: half_turn is 1 for tau and 3 for
        Spearman's rho.
    lowest : float
        The lowest possible value of the correlation.
    level : float
        Confidence, 0.95.

    Examples
    --------
    >>> bounds = extrapolated_interval(np.full((9, 1), 0.8), np.full((9, 1), 0.8), np.array([0.8]), 50)
    >>> [bound.round(6) for bound in bounds]  # the resamples do not vary
    [array([0.8]), array([0.8])]
    """
    from scipy.special import stdtrit

    a, b = (np.sin(np.pi / 2.0 * values / half_turn) / np.sin(np.pi / 2.0 / half_turn) for values in (long, short))
    (mean_a, spread_a), (mean_b, spread_b) = _moments(a), _moments(b)
    centre = mean_a + (mean_a - mean_b) * _LONG / (_SHORT - _LONG)
    # For low correlations the spread of long resamples is right, for high ones that of short resamples; the weight was
    # chosen by simulation.
    weight = np.clip(centre, 0.0, 1.0) ** 8
    spread = (1.0 - weight) * spread_a * np.sqrt(LONGER) + weight * spread_b
    half = stdtrit(topics - 1, 0.5 + level / 2.0) * spread
    bounds = (np.clip(centre + side * half, -1.0, 1.0) for side in (-1.0, 1.0))
    low, high = (np.arcsin(bound * np.sin(np.pi / 2.0 / half_turn)) * 2.0 / np.pi * half_turn for bound in bounds)
    return Interval(np.minimum(np.maximum(low, lowest), estimates), np.maximum(high, estimates))


def _moments(values: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation of the defined values; NaN for too few of them."""
    defined = ~np.isnan(values)
    count = defined.sum(axis=0)
    mean = _ratio(np.where(defined, values, 0.0).sum(axis=0), count)
    squares = np.where(defined, (values - mean) ** 2, 0.0).sum(axis=0)
    return mean, np.sqrt(_ratio(squares, count - 1))


def _ratio(total: Floats, count: Ints) -> Floats:
    return np.asarray(np.divide(total, count, out=np.full(np.shape(total), np.nan), where=count > 0))


def jackknife_errors(interval: Callable[[Floats, Floats], Interval], long: Floats, short: Floats) -> Interval:
    """Return Monte-Carlo errors of the bounds of an interval by a grouped jackknife over the resamples.

    Parameters
    ----------
    interval : callable
        From resampled values, (resamples, ...) each, to the interval.
    long, short : ndarray, (resamples, ...)
        With fewer than four resamples the errors are NaN.

    Examples
    --------
    >>> draws = np.random.default_rng(0).normal(size=(1000, 1))
    >>> errors = jackknife_errors(lambda a, b: Interval(a.mean(axis=0), b.max(axis=0) * 0), draws, draws)
    >>> errors.low.round(2), errors.high  # the first end is a mean: 1 / sqrt(1000)
    (array([0.03]), array([0.]))
    """
    if len(long) < _LEAST:
        return Interval(*(np.full(long.shape[1:], np.nan) for _ in range(2)))
    parts = np.array_split(np.arange(len(long)), min(_GROUPS, len(long)))
    without = [interval(np.delete(long, part, axis=0), np.delete(short, part, axis=0)) for part in parts]
    factor = (len(parts) - 1) / np.sqrt(len(parts))
    return Interval(*(np.std([each[side] for each in without], axis=0) * factor for side in (0, 1)))
