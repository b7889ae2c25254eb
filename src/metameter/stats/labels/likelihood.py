"""Likelihood intervals of a parameter when users, not pages, are the sample: how far the log-likelihood may fall."""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metameter.stats.checks import Floats
from metameter.stats.labels.counts import effective_units, rows_of_users

if TYPE_CHECKING:
    from metameter.stats.labels.counts import LabelCounts


#: Values closer than this are equal.
_SAME = 1e-12
#: Rows whose distances to all points are in memory at a time.
_ROWS = 256

_TAIL = 0.025
#: The tolerance of a bound, relative to the bracket that contains it.
_TOLERANCE = 1e-4
#: Falls are cut off here, since root finding needs finite values.
_DEEP = 1e9
#: The least number of degrees of freedom; with one user who has nearly all rows, the interval is the whole range.
_LEAST_FREEDOM = 0.1


def variance_of_sum(counts: LabelCounts, values: Floats) -> float:
    """The variance of a sum over all rows, if users (or rows, if users are not known) are the sample.

    A user with a large share of all rows pulls the mean towards their own, so the deviation of their sum is too small
    by that share; this is corrected.

    Parameters
    ----------
    counts : LabelCounts
    values : ndarray, (cells,)
        The contribution of each row of a cell to the sum.

    References
    ----------
    bell2002

    Examples
    --------
    >>> from metameter.stats.labels.counts import LabelCounts
    >>> item, once = np.array([0, 0, 1, 1]), np.ones(4, dtype=np.int64)
    >>> variance_of_sum(LabelCounts(item, 0 * item, once), np.array([1.0, -1.0]))  # four rows
    5.333333333333333
    >>> variance_of_sum(LabelCounts(item, 0 * item, once, item), np.array([1.0, -1.0]))  # two users, twice each
    16.0
    """
    total = float(counts.by_cell @ values)
    if counts.user is None:
        squares = float(counts.by_cell @ values**2)
        return max(squares - total**2 / counts.units, 0.0) * counts.units / max(counts.units - 1, 1)
    share = rows_of_users(counts) / counts.total
    deviation = np.asarray(counts.by_user.T @ values) - share * total
    return float((deviation**2 / np.maximum(1.0 - share, np.finfo(np.float64).tiny)).sum()) if counts.units > 1 else 0.0


def fall_inside(counts: LabelCounts, slopes: Floats, curvature: float) -> float:
    """How far below its maximum the log-likelihood may be within the 95% interval of a parameter.

    For independent rows and a correct model it is half of 3.84, the 95% point of chi-square. It is larger by the factor
    by which the variance of the slopes of users (or rows) exceeds the curvature: rows of one user are correlated, and
    the curvature of a wrong model misleads. The factor is at least 1, since identical rows may be so by chance. The
    t distribution replaces the normal one, since users may be few, or a few of them may have most of the rows.

    Parameters
    ----------
    counts : LabelCounts
    slopes : ndarray, (cells,)
        The derivative of the log-probability of each cell, at the estimate.
    curvature : float
        Minus the second derivative of the log-likelihood at the estimate.

    References
    ----------
    chandler2007

    Examples
    --------
    >>> from metameter.stats.labels.counts import LabelCounts
    >>> both = np.array([0, 1])
    >>> many = LabelCounts(both, both, np.array([30_000, 70_000]))  # of p = 0.3
    >>> round(fall_inside(many, np.array([1 / 0.3, -1 / 0.7]), 30_000 / 0.3**2 + 70_000 / 0.7**2), 2)
    1.92
    """
    return _half_squared_t(counts) * max(variance_of_sum(counts, slopes) / curvature, 1.0)


def fall_at_bound(counts: LabelCounts) -> float:
    """The same for an estimate at a bound of its range, where there is no curvature: the interval is one-sided.

    The interval ends where the observations of all users have a probability of 2.5%. Each user counts once, however
    many rows they have (and less than once if a few have most of the rows), since the correlation of a user's rows
    under other values of the parameter is not known.

    Examples
    --------
    >>> from metameter.stats.labels.counts import LabelCounts
    >>> twenty = LabelCounts(np.array([0]), np.array([0]), np.array([20]))  # all left at once
    >>> fall = fall_at_bound(twenty)
    >>> interval = likelihood_interval(lambda p: 20 * np.log(1 - p), 0.0, (0.0, 0.999), fall, 0.01)
    >>> round(interval[1], 3)  # 0.832 ** 20 = 0.025
    0.168
    """
    return -log(_TAIL) * counts.total / effective_units(counts)


def likelihood_interval(
    height: Callable[[float], float], best: float, bounds: tuple[float, float], fall: float, step: float
) -> tuple[float, float]:
    """Where the log-likelihood has fallen by ``fall`` on either side of the best value; a bound if it does not.

    Parameters
    ----------
    height : callable
        The log-likelihood of a value.
    best : float
    bounds : pair of float
    fall : float
    step : float
        A guess of the distance between the best value and the ends; a good guess saves evaluations.

    Examples
    --------
    >>> low, high = likelihood_interval(lambda p: 7 * np.log(p) + 3 * np.log(1 - p), 0.7, (0.001, 0.999), 1.92, 0.3)
    >>> round(low, 3), round(high, 3)  # 7 of 10
    (0.394, 0.915)
    """
    from scipy.optimize import brentq

    level = height(best) - fall

    def above(value: float) -> float:
        return max(height(value) - level, -_DEEP)

    def search(bound: float) -> float:
        near, width = best, step if bound > best else -step
        while near != bound:
            far = near + width
            far = bound if (far - bound) * width >= 0 else far
            if above(far) < 0:
                return float(brentq(above, near, far, xtol=_TOLERANCE * abs(far - near)))
            near, width = far, 2.0 * width
        return bound

    return search(bounds[0]), search(bounds[1])


def not_less_likely(counts: LabelCounts, best: Floats, other: Floats) -> bool:
    """Whether the data leave open which of two models is likelier, given the log-probabilities of all cells.

    This is Vuong's test over users (or rows). It serves integer parameters, in which the likelihood has no derivative:
    their values are compared as different models.

    References
    ----------
    vuong1989

    Examples
    --------
    >>> from metameter.stats.labels.counts import LabelCounts
    >>> both, (one, other) = np.array([0, 1]), np.log([[0.5, 0.4], [0.4, 0.5]])
    >>> [not_less_likely(LabelCounts(both, both, np.array(seen)), one, other) for seen in ([55, 45], [70, 30])]
    [True, False]
    """
    lead = best - other
    least = _half_squared_t(counts)
    return bool(counts.by_cell @ lead <= max(np.sqrt(2.0 * least * variance_of_sum(counts, lead)), least))


def _half_squared_t(counts: LabelCounts) -> float:
    """Half the square of the 97.5% point of t: 1.92 for many users (or rows) of equal size."""
    from scipy.special import stdtrit

    freedom = max(effective_units(counts) - 1.0, _LEAST_FREEDOM)
    return float(stdtrit(freedom, 1.0 - _TAIL)) ** 2 / 2.0


class Highest(NamedTuple):
    """The maximum of each row: the point in the middle of its plateau, and the range of the plateau along each axis."""

    middle: NDArray[np.int64]
    lowest: Floats
    furthest: Floats


def highest_points(heights: Floats, points: Floats) -> Highest:
    """For every row of heights, the point nearest to the mean of the highest points; the first of several.

    A rank correlation is constant as long as the order of items is, so its maximum is a plateau; the middle of the
    plateau is the furthest from values that fit the data less well.

    Parameters
    ----------
    heights : ndarray, (rows, points)
        NaN counts as minus infinity.
    points : ndarray, (points, parameters)
        In units that make distances comparable: steps of a grid.

    Examples
    --------
    >>> highest_points(np.array([[0, 1, 1, 1], [2, 0, 0, 0]]), np.arange(4.0)[:, None])
    Highest(middle=array([2, 0]), lowest=array([[1.],
           [0.]]), furthest=array([[3.],
           [0.]]))
    """
    heights = np.where(np.isnan(heights), -np.inf, heights)
    parts = [_highest(heights[start : start + _ROWS], points) for start in range(0, len(heights), _ROWS)]
    middle, lowest, furthest = (np.concatenate(each) for each in zip(*parts, strict=True))
    return Highest(middle, lowest, furthest)


def _highest(heights: Floats, points: Floats) -> tuple[NDArray[np.int64], Floats, Floats]:
    best = (heights >= heights.max(axis=1, keepdims=True) - _SAME)[:, :, None]
    middle = (best * points).sum(axis=1) / best.sum(axis=1)
    distance = ((points - middle[:, None]) ** 2).sum(axis=2)
    nearest = np.where(best[:, :, 0], distance, np.inf).argmin(axis=1)
    bounds = np.where(best, points, np.inf).min(axis=1), np.where(best, points, -np.inf).max(axis=1)
    return nearest, *bounds
