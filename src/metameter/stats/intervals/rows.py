"""Individual intervals and p-values of statistics, by t with the standard error of their resamples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metameter.stats.checks import Floats, Interval, check_level
from metameter.stats.intervals.simultaneous import simultaneous_intervals

#: Least number of topics (or systems) for intervals, and the number below which intervals are rough.
FEWEST_UNITS, FEW_UNITS = 5, 15


class RowIntervals(NamedTuple):
    """Bounds of 95% intervals and p-values against zero, with their Monte-Carlo errors; all (statistics,)."""

    low: Floats
    high: Floats
    low_se: Floats
    high_se: Floats
    p: Floats
    p_se: Floats

    @property
    def ends(self) -> dict[str, Floats]:
        """``low`` and ``high``."""
        return {"low": self.low, "high": self.high}

    @property
    def errors(self) -> dict[str, Floats]:
        """``low_se`` and ``high_se``."""
        return {"low_se": self.low_se, "high_se": self.high_se}


def row_intervals(estimate: Floats, resampled: Floats, noise: Floats, centre: Floats, *, units: int) -> RowIntervals:
    """Return 95% intervals of statistics, centred on the estimates, and the two-sided p-values that agree with them.

    The standard error is that of the resamples, less their Monte-Carlo noise, plus the Monte-Carlo error of the
    estimate. The distribution is t with units - 1 degrees of freedom.

    Parameters
    ----------
    estimate : ndarray, (statistics,)
    resampled : ndarray, (resamples, statistics)
        Without resamples all results are NaN.
    noise : ndarray, (blocks, statistics)
        For each block of resamples, the part of their variance that is Monte-Carlo noise.
    centre : ndarray, (statistics,)
        The Monte-Carlo variance of the estimates.
    units : int
        The number of topics, or clusters of systems, that are resampled.

    Examples
    --------
    >>> draws = np.random.default_rng(0).normal(size=(6400, 1))
    >>> result = row_intervals(np.array([3.25]), draws, np.zeros((100, 1)), np.zeros(1), units=10)
    >>> result.low.round(), result.high.round(1), result.p.round(2)  # 3.25 is the 1% point of t with 9 df
    (array([1.]), array([5.5]), array([0.01]))
    """
    if not len(resampled):
        return RowIntervals(*(np.full_like(estimate, np.nan) for _ in RowIntervals._fields))
    rows = simultaneous_intervals(estimate, resampled, noise, centre, topics=units)
    # With a single block of resamples the error is unknown.
    error = np.where(np.isfinite(rows.error_row), rows.error_row, np.nan)
    p, density = _two_sided(estimate, rows.se, max(units - 1, 1))
    width = np.maximum(error**2 - centre, 0.0) / rows.critical_row**2
    ratio = np.divide(estimate, rows.se, out=np.zeros_like(estimate), where=rows.se > 0)
    moved = np.sqrt(centre + ratio**2 * width)
    p_se = 2.0 * density * np.divide(moved, rows.se, out=np.zeros_like(estimate), where=rows.se > 0)
    return RowIntervals(*rows.ends(row=True), error, error, p, p_se)


def _two_sided(estimate: Floats, se: Floats, df: int) -> tuple[Floats, Floats]:
    """The p-value of t = estimate / se, and the density of t there; if se is 0, p is 1 for an estimate of 0, else 0."""
    from scipy.special import gammaln, stdtr

    t = np.abs(np.divide(estimate, se, out=np.zeros_like(estimate), where=se > 0))
    p = np.where(se > 0, 2.0 * stdtr(df, -t), np.where(estimate == 0, 1.0, 0.0))
    scale = np.exp(gammaln((df + 1) / 2) - gammaln(df / 2)) / np.sqrt(df * np.pi)
    return p, scale * (1.0 + t**2 / df) ** (-(df + 1) / 2)


def noise_of_differences(noise: Floats, first: NDArray[np.intp], second: NDArray[np.intp]) -> Floats:
    """Return variances of differences between metrics, (blocks, pairs), from covariances (blocks, metrics, metrics).

    Examples
    --------
    >>> noise_of_differences(np.array([[[4.0, 1.0], [1.0, 9.0]]]), np.array([0]), np.array([1]))
    array([[11.]])
    """
    return np.asarray(noise[:, first, first] + noise[:, second, second] - 2.0 * noise[:, first, second])


def order_interval(draws: Floats, level: float = 0.95) -> Interval:
    """Return the order statistics that enclose the central ``level`` of the draws along the first axis, ignoring NaN.

    Examples
    --------
    >>> order_interval(np.array([-np.inf, *range(97), np.nan, np.nan, np.nan])[:, None])  # 98 draws that count
    Interval(low=array([1.]), high=array([94.]))
    """
    tail = (1.0 - check_level(level, "level")) / 2.0
    ordered = np.sort(draws, axis=0)  # NaN goes last
    count = (~np.isnan(draws)).sum(axis=0)
    bounds = []
    for share in (tail, 1.0 - tail):
        index = np.maximum(np.ceil(share * count - 1e-9).astype(np.int64) - 1, 0)
        bounds.append(
            np.take_along_axis(ordered, index[None], axis=0)[0] if len(ordered) else np.full(count.shape, np.nan)
        )
    return Interval(*bounds)
