"""What a paired t test requires of a difference: so many standard errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from metameter.stats.checks import Floats

__all__ = ["critical_t", "standard_errors"]


def critical_t(alpha: float, topics: int) -> float:
    """The t beyond which a two-sided paired test is significant.

    Examples
    --------
    >>> round(critical_t(0.05, 50), 3)
    2.01
    """
    from scipy.special import stdtrit

    return float(-stdtrit(topics - 1, alpha / 2.0))


def standard_errors(matrix: Floats) -> Floats:
    """The standard error of the mean difference of every pair, metrics x pairs.

    Examples
    --------
    >>> standard_errors(np.array([[[2.0, 1.0], [4.0, 1.0], [3.0, 1.0]]])).round(4)
    array([[0.5774]])
    """
    from metameter.stats.checks import system_pairs

    first, second = system_pairs(matrix.shape[-1])
    spread = [(one[:, first] - one[:, second]).std(axis=0, ddof=1) for one in matrix]
    return np.asarray(np.stack(spread) / np.sqrt(matrix.shape[1]))
