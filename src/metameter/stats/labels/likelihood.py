"""Intervals of the likeliest parameter: how far the log-likelihood may fall, where users and not pages are drawn."""

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


#: Values closer than this are the same.
_SAME = 1e-12
#: Rows at a time: distances from all points to their middles are kept for so many.
_ROWS = 256

_TAIL = 0.025
#: To how many parts of the way from the estimate an end is found.
_FINE = 1e-4
#: A fall so deep is as good as one without a bottom, and can be computed with.
_DEEP = 1e9
#: One user with nearly all rows leaves less than this, and with it an interval of everything.
_LEAST_FREEDOM = 0.1


def variance_of_sum(counts: LabelCounts, values: Floats) -> float:
    """The variance of a sum over all rows, were other users (or rows, where users are not known) drawn.

    A user with a large share of all rows draws the mean to their own: what their sum differs from it is too little by
    that share, and is made up for.

    Parameters
    ----------
    counts : LabelCounts
    values : ndarray, (cells,)
        What each row of a cell adds to the sum.

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
    left = np.asarray(counts.by_user.T @ values) - share * total
    return float((left**2 / np.maximum(1.0 - share, np.finfo(np.float64).tiny)).sum()) if counts.units > 1 else 0.0


def fall_inside(counts: LabelCounts, slopes: Floats, curvature: float) -> float:
    """How far below its top the log-likelihood may be within the 95% interval of a parameter.

    For independent rows and a true model it is half of 3.84, the 95% point of chi-square. It is more by as much as the
    slopes of users (or rows) vary more than the curvature says: where users repeat themselves they say less than so
    many rows would, and where the model is not true its curvature misleads. t instead of a normal distribution, since
    users may be few, or some of them have most of the rows. It is never less: rows that are all alike may be so by
    chance.

    Parameters
    ----------
    counts : LabelCounts
    slopes : ndarray, (cells,)
        The derivative of the log-probability of each cell, at the estimate.
    curvature : float
        Minus the second derivative of the log-likelihood there.

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
    return _by_chance(counts) * max(variance_of_sum(counts, slopes) / curvature, 1.0)


def fall_at_bound(counts: LabelCounts) -> float:
    """The same where the estimate is at a bound, and has no curvature: there is an interval to one side only.

    A value at which what was observed by everybody has a chance of 2.5% is its end. Users count once, however many
    rows they have (and for less, where some have most of them): nothing is known of how alike their rows would be
    elsewhere.

    Examples
    --------
    >>> from metameter.stats.labels.counts import LabelCounts
    >>> twenty = LabelCounts(np.array([0]), np.array([0]), np.array([20]))  # all left at once
    >>> fall = fall_at_bound(twenty)
    >>> round(likelihood_ends(lambda p: 20 * np.log(1 - p), 0.0, (0.0, 0.999), fall, 0.01)[1], 3)  # 0.832 ** 20 = 0.025
    0.168
    """
    return -log(_TAIL) * counts.total / effective_units(counts)


def likelihood_ends(
    height: Callable[[float], float], best: float, bounds: tuple[float, float], fall: float, step: float
) -> tuple[float, float]:
    """Where the log-likelihood has fallen so far to both sides of the best value; a bound where it does not.

    Parameters
    ----------
    height : callable
        The log-likelihood of a value.
    best : float
    bounds : pair of float
    fall : float
    step : float
        About how far the ends are: the nearer it is, the fewer values are tried.

    Examples
    --------
    >>> low, high = likelihood_ends(lambda p: 7 * np.log(p) + 3 * np.log(1 - p), 0.7, (0.001, 0.999), 1.92, 0.3)
    >>> round(low, 3), round(high, 3)  # 7 of 10
    (0.394, 0.915)
    """
    from scipy.optimize import brentq

    level = height(best) - fall

    def above(value: float) -> float:
        return max(height(value) - level, -_DEEP)

    def end(bound: float) -> float:
        near, width = best, step if bound > best else -step
        while near != bound:
            far = near + width
            far = bound if (far - bound) * width >= 0 else far
            if above(far) < 0:
                return float(brentq(above, near, far, xtol=_FINE * abs(far - near)))
            near, width = far, 2.0 * width
        return bound

    return end(bounds[0]), end(bounds[1])


def not_less_likely(counts: LabelCounts, best: Floats, other: Floats) -> bool:
    """Whether users (or rows) leave open which of two models is likelier, given the log-probabilities of all cells.

    Where a parameter is a whole number, the likelihood has no slope in it: its values are models to choose from.

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
    least = _by_chance(counts)
    return bool(counts.by_cell @ lead <= max(np.sqrt(2.0 * least * variance_of_sum(counts, lead)), least))


def _by_chance(counts: LabelCounts) -> float:
    """Half the square of the 97.5% point of t: 1.92 for many users (or rows) of equal size."""
    from scipy.special import stdtrit

    freedom = max(effective_units(counts) - 1.0, _LEAST_FREEDOM)
    return float(stdtrit(freedom, 1.0 - _TAIL)) ** 2 / 2.0


class Highest(NamedTuple):
    """Where each row is highest: the point in the middle, and how far what is equally high reaches along each axis."""

    middle: NDArray[np.int64]
    lowest: Floats
    furthest: Floats


def highest_points(heights: Floats, points: Floats) -> Highest:
    """For every row of heights, the point that is nearest to the middle of the highest ones; the first of several.

    Rank correlations do not change as long as no two items change places: they are highest on a whole plateau, whose
    middle is the furthest from anything that the data speak against.

    Parameters
    ----------
    heights : ndarray, (rows, points)
        NaN is lower than anything.
    points : ndarray, (points, parameters)
        In units in which distances mean something: steps of a grid.

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
    ends = np.where(best, points, np.inf).min(axis=1), np.where(best, points, -np.inf).max(axis=1)
    return nearest, *ends
