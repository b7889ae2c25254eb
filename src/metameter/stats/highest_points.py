"""Where a function of parameters is highest, if it is known at points: the middle of what is equally high."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats

__all__ = ["Highest", "highest_points"]

#: Values closer than this are the same.
_SAME = 1e-12
#: Rows at a time: distances from all points to their middles are kept for so many.
_ROWS = 256


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
