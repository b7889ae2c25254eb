"""Simultaneous intervals by the bootstrap max-t method: with probability 1 - alpha, all
intervals contain their true values.

A study compares many pairs of metrics in several statistics, so the error rate is that of the whole family. The largest
absolute deviation over the family in each resample, in standard errors, gives the critical value. Rejected statistics
leave the family, and the critical value is computed again for the others (step-down).
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.stats.checks import Floats, check_level
from metameter.stats.resampling.replicates import BLOCK

if TYPE_CHECKING:
    from collections.abc import Callable


def max_t_pvalues(estimate: Floats, resampled: Floats, *, units: int) -> Floats:
    """Return two-sided p-values of statistics that are 0 under the null hypothesis, adjusted over all of them.

    Free step-down (Westfall and Young): each statistic is compared with the largest deviation, in standard deviations,
    of the statistics that are not more significant. The p-values agree with `simultaneous_intervals` with ``by_tail``.

    Parameters
    ----------
    estimate : ndarray, (statistics,)
    resampled : ndarray, (resamples, statistics)
    units : int
        The number of topics, pages or users that are resampled.

    Examples
    --------
    >>> draws = np.random.default_rng(0).normal(size=(999, 3))
    >>> max_t_pvalues(np.array([0.0, 2.0, 9.0]), draws, units=10_000).round(2)
    array([1.  , 0.08, 0.  ])
    """
    away = np.abs(resampled - resampled.mean(axis=0))
    deviation = resampled.std(axis=0, ddof=1)
    varies = deviation > _ROUNDING
    # A statistic without variation is known exactly; its p is the smallest possible one, 1 / (resamples + 1).
    pvalues = np.where(np.abs(estimate) > _ROUNDING, 1.0 / (len(resampled) + 1.0), 1.0)
    if not varies.any():
        return pvalues
    t = _as_normal(np.abs(estimate[varies]) / deviation[varies], units)
    order = np.argsort(-t, kind="stable")
    scaled = (away[:, varies] / deviation[varies])[:, order]
    largest_of_rest = np.maximum.accumulate(scaled[:, ::-1], axis=1)[:, ::-1]
    above = (largest_of_rest >= t[order]).sum(axis=0)
    stepped = np.maximum.accumulate((1.0 + above) / (len(resampled) + 1.0))
    own = np.empty_like(stepped)
    own[order] = stepped
    pvalues[varies] = own
    return pvalues


def _as_normal(t: Floats, units: int) -> Floats:
    """The normal quantile with the tail probability of this t quantile: the inverse of `normal_to_t`."""
    from scipy.special import ndtri, stdtr

    return -np.asarray(ndtri(stdtr(max(units - 1, 1), -t)))


_ROUNDING = 1e-12
_BATCHES = 16  # of blocks of resamples, left out one after the other


@dataclass(frozen=True, eq=False)
class SimultaneousIntervals:
    """Estimates with simultaneous and individual intervals; arrays (statistics,).

    Attributes
    ----------
    estimate, se : ndarray
        The statistics, and their standard errors for other topics; 0 where the resamples do not vary.
    critical : ndarray
        The half-width of each simultaneous interval in standard errors.
    critical_row : float
        The half-width of each individual interval in standard errors.
    error, error_row : ndarray
        Monte-Carlo errors of the bounds of simultaneous and of individual intervals; they combine the error of the
        estimate and that of the half-width.
    """

    estimate: Floats
    se: Floats
    critical: Floats
    critical_row: float
    error: Floats
    error_row: Floats

    def ends(self, *, row: bool = False) -> tuple[Floats, Floats]:
        """Return lower and upper bounds of the simultaneous intervals, or of the individual ones (``row``)."""
        half = half_widths(np.broadcast_to(self.critical_row, self.se.shape) if row else self.critical, self.se)
        return self.estimate - half, self.estimate + half

    def clear(self) -> NDArray[np.bool_]:
        """Return which simultaneous intervals exclude zero."""
        return np.asarray(np.abs(self.estimate) > half_widths(self.critical, self.se) + _ROUNDING)


def simultaneous_intervals(
    estimate: Floats,
    resampled: Floats,
    noise: Floats,
    centre: Floats,
    *,
    topics: int,
    alpha: float = 0.05,
    row_alpha: float | None = None,
    by_tail: bool = False,
) -> SimultaneousIntervals:
    """Return intervals that all hold with probability 1 - alpha, by the step-down max-t bootstrap.

    The critical value c is the 1 - alpha quantile, over the resamples, of the largest deviation from the mean in
    standard deviations. Statistics whose interval excludes zero leave the family, and c is computed again for the
    others until none leaves. A statistic that leaves keeps the c of its step; those that remain get the c of the first
    step, so that their intervals hold for any hypothesis, not only for zero. c is multiplied by the ratio of the
    quantiles of t with topics - 1 degrees of freedom and of the normal distribution. In simulations with 12 topics the
    error rate at 5% was 8% without this factor and 3% with it.

    Parameters
    ----------
    estimate : ndarray, (statistics,)
        On the observed topics.
    resampled : ndarray, (resamples, statistics)
    noise : ndarray, (blocks, statistics)
        For each block of resamples, the part of their variance that is not due to the topics; it is subtracted.
    centre : ndarray, (statistics,)
        The variance of the estimate that is not due to the topics; it is added.
    topics : int
    alpha : float
        The familywise error rate.
    row_alpha : float, optional
        The error rate of an individual interval; by default the same.
    by_tail : bool
        Replace c by the t quantile with the tail probability of c (`normal_to_t`), instead of multiplying it by the
        ratio of quantiles at alpha. This widens more, the more statistics there are. Used for users: with 50 users and
        40 comparisons the error rate at 4% was 6.3% without it.

    Examples
    --------
    >>> draws = np.random.default_rng(0).normal(size=(2000, 20))
    >>> zeros = np.zeros(20)
    >>> result = simultaneous_intervals(np.append(zeros[1:], 9.0), draws, np.zeros((32, 20)), zeros, topics=10_000)
    >>> result.critical.round(1)[[0, -1]], round(result.critical_row, 2), result.clear().sum()
    (array([3., 3.]), 1.96, np.int64(1))
    """
    check_level(alpha)
    spread = _Spread.of(resampled, noise, centre)
    widen = partial(normal_to_t, units=topics) if by_tail else partial(operator.mul, small_sample_factor(topics, alpha))
    critical = _step_down(estimate, spread, alpha, widen)
    own = alpha if row_alpha is None else check_level(row_alpha)
    alone = small_sample_factor(topics, own) * _normal_quantile(1.0 - own / 2.0)
    batches = np.array_split(np.arange(len(noise)), min(_BATCHES, len(noise)))
    # Leaving out one of two blocks may leave a single resample, which has no spread.
    enough = len(noise) > 1 and len(resampled) > BLOCK + 1
    together, single = [], []
    for batch in batches if enough else []:
        part = _Spread.of(*_without(batch, resampled, noise), centre)
        together.append(half_widths(_step_down(estimate, part, alpha, widen), part.se))
        single.append(alone * part.se)
    error, error_row = (np.sqrt(_jackknife(np.array(each), estimate) + centre) for each in (together, single))
    return SimultaneousIntervals(estimate, spread.se, critical, alone, error, error_row)


def step_down_pvalues(
    estimate: Floats, resampled: Floats, noise: Floats, centre: Floats, *, topics: int, alpha: float = 0.05
) -> Floats:
    """Return adjusted two-sided p-values, at most alpha exactly where `simultaneous_intervals` excludes zero.

    Free step-down: p = (b + 1) / (B + 1), where b of B resamples deviate by at least as many standard errors in this
    statistic or in one with a smaller ratio of estimate to standard error.

    Parameters
    ----------
    estimate, resampled, noise, centre, topics, alpha
        As for `simultaneous_intervals`.

    References
    ----------
    westfall1993

    Examples
    --------
    >>> draws = np.random.default_rng(0).normal(size=(999, 3))
    >>> step_down_pvalues(np.array([9.0, 0.0, 2.5]), draws, np.zeros((16, 3)), np.zeros(3), topics=10_000).round(2)
    array([0.  , 1.  , 0.02])
    """
    spread = _Spread.of(resampled, noise, centre)
    ratio = np.divide(np.abs(estimate), spread.se, out=np.where(estimate != 0, np.inf, 0.0), where=spread.se > 0)
    ratio /= small_sample_factor(topics, alpha)
    order = np.argsort(-ratio, kind="stable")
    # In every resample, the largest deviation of each statistic and those after it in this order.
    largest = np.maximum.accumulate(spread.deviations[:, order[::-1]], axis=1)[:, ::-1]
    exceeded = (1 + (largest >= ratio[order]).sum(axis=0)) / (len(resampled) + 1)
    p = np.empty(len(estimate))
    p[order] = np.maximum.accumulate(exceeded)
    return p


def small_sample_factor(topics: int, alpha: float = 0.05) -> float:
    """Return the ratio of the quantiles of t with topics - 1 degrees of freedom and of the normal distribution.

    Examples
    --------
    >>> [round(small_sample_factor(topics), 3) for topics in (12, 50)]
    [1.123, 1.025]
    """
    from scipy.special import stdtrit

    return float(stdtrit(max(topics - 1, 1), 1.0 - alpha / 2.0)) / _normal_quantile(1.0 - alpha / 2.0)


def normal_to_t(critical: float, units: int) -> float:
    """Return the quantile of t with units - 1 degrees of freedom that has the tail probability of a normal quantile.

    Examples
    --------
    >>> round(normal_to_t(1.96, 12), 3), round(normal_to_t(3.0, 12), 3), normal_to_t(math.inf, 12)
    (2.201, 3.85, inf)
    """
    from scipy.special import ndtr, stdtrit

    # The lower tail has more digits.
    return -float(stdtrit(max(units - 1, 1), ndtr(-critical))) if math.isfinite(critical) else critical


def critical_value(values: Floats, alpha: float) -> float:
    """Return a bound that a further value exceeds with probability at most alpha; infinite with too few values.

    Examples
    --------
    >>> critical_value(np.arange(1.0, 100.0), 0.05), critical_value(np.arange(10.0), 0.05)
    (95.0, inf)
    """
    rank = math.ceil((1.0 - alpha) * (len(values) + 1) - 1e-9)
    return float(np.sort(values)[rank - 1]) if rank <= len(values) else math.inf


def _normal_quantile(probability: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(probability))


@dataclass(frozen=True, eq=False)
class _Spread:
    """Standard errors, absolute deviations of every resample in standard deviations, and which statistics vary."""

    se: Floats
    deviations: Floats
    varies: NDArray[np.bool_]

    @classmethod
    def of(cls, resampled: Floats, noise: Floats, centre: Floats) -> _Spread:
        away = resampled - resampled.mean(axis=0)
        deviation = away.std(axis=0, ddof=1)
        varies = deviation > _ROUNDING
        variance = np.maximum(deviation**2 - noise.mean(axis=0), 0.0) + centre
        scaled = np.abs(away)
        scaled /= np.where(varies, deviation, 1.0)
        return cls(np.where(varies, np.sqrt(variance), 0.0), scaled, varies)


def _step_down(estimate: Floats, spread: _Spread, alpha: float, widen: Callable[[float], float]) -> Floats:
    """The critical value of every statistic."""
    family = spread.varies.copy()
    critical = np.zeros(len(family))
    first = None
    while family.any():
        c = widen(critical_value(spread.deviations[:, family].max(axis=1), alpha))
        first = c if first is None else first
        decided = family & (np.abs(estimate) > half_widths(np.full(len(family), c), spread.se))
        critical[decided] = c
        if not decided.any():
            break
        family &= ~decided
    critical[family] = first or 0.0
    return critical


def half_widths(critical: Floats, se: Floats) -> Floats:
    """Return critical values times standard errors; infinite for an infinite critical value, even if the error is 0."""
    bounded = np.isfinite(critical)
    return np.where(bounded, np.where(bounded, critical, 0.0) * se, np.inf)


def _without(batch: NDArray[np.intp], resampled: Floats, noise: Floats) -> tuple[Floats, Floats]:
    """Resamples and noise without a batch of blocks."""
    rows = np.arange(len(resampled)) // BLOCK
    return resampled[~np.isin(rows, batch)], np.delete(noise, batch, axis=0)


def _jackknife(parts: Floats, like: Floats) -> Floats:
    """The jackknife variance of a value, from its values without each batch."""
    if not len(parts):
        return np.full_like(like, np.inf)
    with np.errstate(invalid="ignore"):  # infinite ends have no variance
        return np.asarray(np.nan_to_num((len(parts) - 1) * parts.var(axis=0), nan=np.inf))
