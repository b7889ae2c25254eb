"""Studentised means of many columns in many resamples of the topics."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metameter.parallel import Progress, Workers, reported
from metameter.stats.checks import Floats, SystemPairs, system_pairs, tolerance
from metameter.stats.deterministic_sums import sparse_weights
from metameter.stats.resampling.samples import multiplicities

if TYPE_CHECKING:
    from metameter.stats.resampling.replicates import Replicates


_CELLS = 1 << 18  # replicates x pairs held at a time: bounds the memory
_FEWEST = 4  # with fewer pairs at a time the overhead dominates

_CANCELLED = 1e-6  # a variance this small relative to the second moment has lost digits and is recomputed
_ROWS = 1 << 15  # columns recomputed at a time: bounds the memory


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
    """Return abs(t) and the mean of each column in each resample, (resamples, columns) each.

    Parameters
    ----------
    shifted : ndarray, (topics, columns)
        Columns of mean 0.
    weights : sparse matrix, (resamples, topics)
        How often each resample holds each topic.
    tol : float or ndarray, (columns,)
        Differences up to this count as zero.

    Examples
    --------
    >>> from metameter.stats.deterministic_sums import sparse_weights
    >>> t, mean = resampled_t(np.array([[-1.0], [1.0]]), sparse_weights(np.array([[1, 1], [2, 0]])), 1e-12)
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
    # Rounding must not make one zero difference more extreme than another.
    mean = np.where(np.abs(mean) <= tol, 0.0, mean)
    # Without spread t is 0 for a mean of 0, otherwise infinite.
    without = np.where(mean == 0.0, 0.0, np.copysign(np.inf, mean))
    return np.asarray(np.divide(mean, error, out=without, where=error > 0))


class Resampled(NamedTuple):
    """Studentised differences of some pairs of systems, observed and resampled.

    Attributes
    ----------
    differences : ndarray, (topics, pairs)
    t : ndarray, (pairs,)
        Observed t.
    extreme, means : ndarray, (trials, pairs)
        abs(t) and mean of the differences, shifted to mean 0, in each resample.
    """

    differences: Floats
    t: Floats
    extreme: Floats
    means: Floats


def resampled_pairs(
    matrix: Floats,
    replicates: Replicates,
    summary: Callable[[Resampled], Floats],
    *,
    pairs: SystemPairs | None = None,
    jobs: int | Workers | None = 1,
    progress: Progress | None = None,
) -> Floats:
    """Return a summary of the resampled differences of each pair of systems: (figures, metrics, pairs).

    The weights of the topics in the resamples are computed once for all metrics and pairs.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    replicates : Replicates
        Resamples of the topics.
    summary : callable
        From `Resampled` to an array (figures, pairs); picklable: a module-level function, or a partial of one.
    pairs : pair of ndarray of int, optional
        Indices of the first and second systems; by default all pairs.
    jobs : int or Workers, optional
        How many threads; the result does not depend on it.
    progress : callable, optional
        Called with the number of parts done and their total.

    Examples
    --------
    >>> from metameter.stats.resampling.replicates import GivenReplicates
    >>> scores = np.array([[[0.6, 0.5], [0.9, 0.6]]])
    >>> drawn = GivenReplicates(2, np.array([[0, 1], [0, 0]]))
    >>> resampled_pairs(scores, drawn, lambda some: some.means).round(3).tolist()  # differences .1, .3, less their mean
    [[[0.0]], [[-0.1]]]
    """
    topics, systems = matrix.shape[1:]
    step = max(_FEWEST, _CELLS // replicates.trials)
    both = np.stack(system_pairs(systems) if pairs is None else pairs)
    units = [(m, both[:, i : i + step]) for m in range(len(matrix)) for i in range(0, both.shape[1], step)]
    zeros, weights = tolerance(matrix, axes=2)[:, 0, 0], _weights(replicates, topics)
    parts = Workers.of(jobs).map(_summarised, units, matrix=matrix, zeros=zeros, weights=weights, summary=summary)
    summaries = reported(parts, len(units), "resampling", progress)
    return np.concatenate(list(summaries), axis=1).reshape(-1, len(matrix), both.shape[1])


def _summarised(
    unit: tuple[int, NDArray[np.intp]],
    *,
    matrix: Floats,
    zeros: Floats,
    weights: Any,
    summary: Callable[[Resampled], Floats],
) -> Floats:
    metric, (first, second) = unit
    zero = float(zeros[metric])
    z = matrix[metric][:, first] - matrix[metric][:, second]
    t, shifted = observed_t(z, zero)
    return summary(Resampled(z, t, *resampled_t(shifted, weights, zero)))


def _weights(replicates: Replicates, topics: int) -> Any:
    from scipy.sparse import vstack

    return vstack([sparse_weights(multiplicities(block, topics)) for block in replicates], format="csr")
