"""The exact two-sided sign test of counts, for many of them at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from metameter.stats.checks import Floats

__all__ = ["fewest_for_significance", "sign_test"]


def sign_test(first: ArrayLike, second: ArrayLike) -> Floats:
    """How often a fair coin would give counts as uneven as these, or more so; 1 where there are none.

    Examples
    --------
    >>> sign_test([3, 4, 0], [0, 4, 0])  # three of three: 2 / 2^3
    array([0.25, 1.  , 1.  ])
    """
    from scipy.special import bdtr

    one, other = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
    tail = bdtr(np.minimum(one, other).astype(np.float64), one + other, 0.5)
    return np.where(one == other, 1.0, np.minimum(1.0, 2.0 * tail))


def fewest_for_significance(most: int, alpha: float) -> NDArray[np.int64]:
    """For each number of tosses from 0 to ``most``: at how few of the rarer side p falls below alpha; -1 for never.

    Examples
    --------
    >>> fewest_for_significance(9, 0.05)  # none of six: 2 / 2^6 = .031; one of nine: .039
    array([-1, -1, -1, -1, -1, -1,  0,  0,  0,  1])
    """
    tosses = np.arange(most + 1)
    # The largest count whose p is below alpha lies in [low, high): halve that until one is left.
    low, high = np.full(most + 1, -1), (tosses + 1) // 2
    while (high - low > 1).any():
        middle = (low + high) // 2
        below = (middle >= 0) & (sign_test(np.maximum(middle, 0), tosses - np.maximum(middle, 0)) < alpha)
        low, high = np.where(below, middle, low), np.where(below, high, np.maximum(middle, low + 1))
    return low
