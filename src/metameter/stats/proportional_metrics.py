"""Metrics whose scores are multiples of another metric, and metrics that are constant over systems."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metameter.stats.checks import RELATIVE_TOLERANCE, Floats


def first_proportional(matrix: Floats) -> NDArray[np.intp]:
    """Return, for each metric, the index of the first metric whose scores are proportional to its own.

    That is the index of the metric itself unless an earlier one is a positive multiple of it.

    Scaled scores count as equal within 1e-12 of the largest.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)

    Examples
    --------
    >>> first_proportional(np.array([[[1.0, 2.0]], [[2.0, 4.0]], [[1.0, 3.0]], [[0.5, 1.5]]]))
    array([0, 0, 2, 2])
    """
    flat = matrix.reshape(len(matrix), -1)
    largest = np.abs(flat).max(axis=1, keepdims=True)
    unit = np.divide(flat, largest, out=np.zeros_like(flat), where=largest > 0)
    first = np.arange(len(matrix))
    for metric, scores in enumerate(unit):
        known = np.unique(first[:metric])
        # Comparing sums first avoids comparing all scores of most pairs.
        near = np.abs(unit[known].sum(axis=1) - scores.sum()) <= scores.size * RELATIVE_TOLERANCE
        for other in known[near]:
            if np.abs(unit[other] - scores).max(initial=0.0) <= RELATIVE_TOLERANCE:
                first[metric] = other
                break
    return first


def constant_metrics(matrix: Floats) -> NDArray[np.bool_]:
    """Return which metrics give all systems the same score on every topic.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)

    Examples
    --------
    >>> constant_metrics(np.array([[[0.0, 0.0]], [[0.5, 0.5]], [[1.0, 3.0]]])).tolist()
    [True, True, False]
    """
    largest = np.abs(matrix).max(axis=(1, 2), initial=0.0)
    return np.asarray(np.ptp(matrix, axis=2).max(axis=1, initial=0.0) <= largest * RELATIVE_TOLERANCE)
