"""Studentised means of many columns in many resamples, from how often each topic was drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats

__all__ = ["observed_t", "resampled_t"]

_CANCELLED = 1e-6  # a variance this small against the second moment has lost digits: compute it again
_ROWS = 1 << 15  # columns computed again at a time: bounds the memory


def observed_t(z: Floats, tol: Floats | float) -> tuple[Floats, Floats]:
    """Return t of each column of differences, and the columns shifted to mean 0.

    Examples
    --------
    >>> t, shifted = observed_t(np.array([[1.0, 0.5], [3.0, 0.5]]), 1e-12)
    >>> t, shifted[:, 0]
    (array([ 2., inf]), array([-1.,  1.]))
    """
    mean = z.mean(axis=0)
    constant = np.ptp(z, axis=0) <= tol
    shifted = np.where(constant, 0.0, z - mean)
    error = np.sqrt((shifted**2).sum(axis=0) / (len(z) - 1) / len(z))
    return _studentised(mean, error, tol), shifted


def resampled_t(shifted: Floats, weights: Any, tol: Floats | float) -> tuple[Floats, Floats]:
    """Return abs(t) and the mean of each column in each resample, (resamples, columns).

    Parameters
    ----------
    shifted : ndarray, (topics, columns)
        Columns of mean 0.
    weights : sparse matrix, (resamples, topics)
        How often each topic is in each resample.
    tol : float or ndarray, (columns,)
        Differences up to this are zero.

    Examples
    --------
    >>> from metameter.stats.sums import sparse
    >>> t, mean = resampled_t(np.array([[-1.0], [1.0]]), sparse(np.array([[1, 1], [2, 0]])), 1e-12)
    >>> t.ravel(), mean.ravel()
    (array([ 0., inf]), array([ 0., -1.]))
    """
    topics, zeros = len(shifted), np.broadcast_to(tol, shifted.shape[1:])
    means = np.asarray(weights @ shifted) / topics
    moments = np.asarray(weights @ shifted**2) / topics
    variance = moments - means**2
    lost = np.nonzero((variance <= _CANCELLED * moments) & (moments > 0))
    for start in range(0, len(lost[0]), _ROWS):
        rows, columns = lost[0][start : start + _ROWS], lost[1][start : start + _ROWS]
        variance[rows, columns] = _two_pass(shifted[:, columns].T, weights[rows].toarray(), zeros[columns])
    error = np.sqrt(np.maximum(variance, 0.0) / (topics - 1))
    return np.abs(_studentised(means, error, tol)), means


def _two_pass(values: Floats, counts: NDArray[Any], tol: Floats) -> Floats:
    inside = counts > 0
    spread = np.where(inside, values, -np.inf).max(axis=1) - np.where(inside, values, np.inf).min(axis=1)
    mean = (counts * values).sum(axis=1) / values.shape[1]
    variance = (counts * (values - mean[:, None]) ** 2).sum(axis=1) / values.shape[1]
    return np.asarray(np.where(spread <= tol, 0.0, variance))


def _studentised(mean: Floats, error: Floats, tol: Floats | float) -> Floats:
    # Rounding must not make one zero more extreme than another.
    mean = np.where(np.abs(mean) <= tol, 0.0, mean)
    # No spread: 0 for a mean of 0, otherwise infinitely certain.
    without = np.where(mean == 0.0, 0.0, np.copysign(np.inf, mean))
    return np.asarray(np.divide(mean, error, out=without, where=error > 0))
