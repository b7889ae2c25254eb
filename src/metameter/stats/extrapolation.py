"""Correlations of noisy means, extrapolated to means without noise; and how far off that may be.

A mean over few topics is noisy, so two metrics that agree closely seem to agree less than they do; on resampled
topics, whose means are noisier still, less again. Percentiles of resampled correlations therefore lie too low. But they
show how a correlation falls with the noise, and so what it would be without any (simulation-extrapolation).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from metameter.stats.checks import Interval
from metameter.stats.correlation_resamples import LONGER

if TYPE_CHECKING:
    from metameter.stats.checks import Floats, Ints

__all__ = ["extrapolated_interval", "jackknife_errors"]

_GROUPS, _LEAST = 20, 4
#: Noise in the means of a long resample and of a short one, as variances, with that of the topics' own means as 1.
_LONG, _SHORT = 1.0 + 1.0 / LONGER, 2.0


def extrapolated_interval(
    long: Floats,
    short: Floats,
    estimates: Floats,
    topics: int,
    half_turn: float = 1.0,
    lowest: float = -1.0,
    level: float = 0.95,
) -> Interval:
    r"""The intervals of correlations of means over all topics.

    It is computed where noise lowers a correlation in proportion to its variance: on the scale of Pearson's r, which
    for normal scores is :math:`\sin(\pi\tau/2)` (Greiner's relation).

    Parameters
    ----------
    long, short : ndarray, (resamples, ...)
        Correlations on resampled topics, as from `at_two_noises`; NaN where one is undefined.
    estimates : ndarray, (...)
        Correlations on the topics themselves; the interval holds them.
    topics : int
    half_turn : float
        Correlations c become sin(pi c / 2 half_turn), rescaled such that 1 stays 1: half_turn is 1 for tau and 3 for
        Spearman's rho.
    lowest : float
        The lowest value that the correlation can have.
    level : float
        Confidence, 0.95.

    Examples
    --------
    >>> ends = extrapolated_interval(np.full((9, 1), 0.8), np.full((9, 1), 0.8), np.array([0.8]), 50)
    >>> [end.round(6) for end in ends]  # no resample differs: there is nothing to be uncertain about
    [array([0.8]), array([0.8])]
    """
    from scipy.special import stdtrit

    a, b = (np.sin(np.pi / 2.0 * values / half_turn) / np.sin(np.pi / 2.0 / half_turn) for values in (long, short))
    (mean_a, spread_a), (mean_b, spread_b) = _moments(a), _moments(b)
    centre = mean_a + (mean_a - mean_b) * _LONG / (_SHORT - _LONG)
    # Where metrics hardly agree the spread of long resamples is the right one, where they agree closely that of short
    # ones; the weight was found by simulation.
    weight = np.clip(centre, 0.0, 1.0) ** 8
    spread = (1.0 - weight) * spread_a * np.sqrt(LONGER) + weight * spread_b
    half = stdtrit(topics - 1, 0.5 + level / 2.0) * spread
    ends = (np.clip(centre + side * half, -1.0, 1.0) for side in (-1.0, 1.0))
    low, high = (np.arcsin(end * np.sin(np.pi / 2.0 / half_turn)) * 2.0 / np.pi * half_turn for end in ends)
    return Interval(np.minimum(np.maximum(low, lowest), estimates), np.maximum(high, estimates))


def _moments(values: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation of what is defined; NaN of nothing, or of one value."""
    defined = ~np.isnan(values)
    count = defined.sum(axis=0)
    mean = _ratio(np.where(defined, values, 0.0).sum(axis=0), count)
    squares = np.where(defined, (values - mean) ** 2, 0.0).sum(axis=0)
    return mean, np.sqrt(_ratio(squares, count - 1))


def _ratio(total: Floats, count: Ints) -> Floats:
    return np.asarray(np.divide(total, count, out=np.full(np.shape(total), np.nan), where=count > 0))


def jackknife_errors(interval: Callable[[Floats, Floats], Interval], long: Floats, short: Floats) -> Interval:
    """The Monte-Carlo errors of the ends of an interval: how they move when a part of the resamples is left out.

    Parameters
    ----------
    interval : callable
        From resampled values, (resamples, ...) each, to the interval.
    long, short : ndarray, (resamples, ...)
        Of fewer than four resamples the errors are NaN.

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
