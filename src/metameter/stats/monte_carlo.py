"""Monte-Carlo error: how far a simulated figure may be from its limit, and how it converged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["bound_errors", "mean_error", "running_means"]

_POINTS = 40


def mean_error(draws: ArrayLike) -> NDArray[np.float64]:
    """Standard error of the mean over the first axis, whose rows were drawn independently.

    Examples
    --------
    >>> float(mean_error([0.0, 1.0, 0.0, 1.0]).round(4))
    0.2887
    """
    values = np.asarray(draws, dtype=np.float64)
    return np.asarray(values.std(axis=0, ddof=1) / np.sqrt(len(values)))


def bound_errors(draws: ArrayLike, level: float = 0.95) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Standard errors of the two ends of a percentile interval over the first axis.

    The share of draws below a quantile q is binomial; the ends of its standard error, read off the draws, give the
    quantile's.

    Examples
    --------
    >>> [float(error.round(1)) for error in bound_errors(np.arange(1000))]  # sqrt(1000 * .025 * .975) = 4.9
    [4.9, 4.9]
    """
    values = np.asarray(draws, dtype=np.float64)
    tail = (1.0 - level) / 2.0
    error = np.sqrt(tail * (1.0 - tail) / len(values))
    ends = np.clip([[q - error, q + error] for q in (tail, 1.0 - tail)], 0.0, 1.0)
    low, high = (np.quantile(values, pair, axis=0) for pair in ends)
    return np.asarray((low[1] - low[0]) / 2.0), np.asarray((high[1] - high[0]) / 2.0)


def running_means(draws: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Mean of the first draws and its standard error, for rising numbers of draws up to all of them.

    Returns
    -------
    counts : ndarray of int, (points,)
        After how many draws.
    means, errors : ndarray, (points, columns)

    Examples
    --------
    >>> count, mean, error = running_means(np.array([[0.0], [1.0], [2.0]]))
    >>> count, mean[:, 0], error[:, 0].round(4)
    (array([2, 3]), array([0.5, 1. ]), array([0.5   , 0.5774]))
    """
    total = len(draws)
    counts = np.unique(np.geomspace(min(20, total), total, _POINTS).round().astype(np.int64)) if total > 3 else None
    n = np.arange(2, total + 1) if counts is None else counts
    centre = draws.mean(axis=0)
    # About the final mean, so that the squares do not cancel.
    away = draws - centre
    mean = np.cumsum(away, axis=0)[n - 1] / n[:, None]
    square = np.cumsum(away**2, axis=0)[n - 1] / n[:, None]
    variance = np.maximum(square - mean**2, 0.0) * (n / (n - 1))[:, None]
    return n, mean + centre, np.sqrt(variance / n[:, None])
