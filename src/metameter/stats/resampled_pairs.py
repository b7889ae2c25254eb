"""Every pair of systems in every resample of the topics, a few pairs at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from metameter.parallel import Progress, Workers, reported
from metameter.stats.checks import system_pairs, tolerance
from metameter.stats.resampled_t import observed_t, resampled_t
from metameter.stats.resampling import multiplicities
from metameter.stats.sums import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats
    from metameter.stats.replicates import Replicates

__all__ = ["Resampled", "resampled_pairs"]

_CELLS = 1 << 18  # replicates x pairs held at a time: bounds the memory
_FEWEST = 4  # but handling fewer pairs at a time would take longer


class Resampled(NamedTuple):
    """Some pairs of systems, as observed and in every resample.

    Attributes
    ----------
    differences : ndarray, (topics, pairs)
    t : ndarray, (pairs,)
        Observed.
    extreme, means : ndarray, (trials, pairs)
        abs(t) and the mean of the differences, shifted to mean 0, in the resamples.
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
    jobs: int | Workers | None = 1,
    progress: Progress | None = None,
) -> Floats:
    """Summarise each pair of ``matrix[metric, topic, system]`` over all resamples: (figures, metrics, pairs).

    How often each topic is in each resample is counted once, for all metrics and pairs.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    replicates : Replicates
        Resamples of the topics.
    summary : callable
        From `Resampled` to figures, (figures, pairs); a function of a module's top level, or a partial of one.
    jobs : int or Workers, optional
        How many threads; the result does not depend on it.
    progress : callable, optional
        Told how many of how many parts are done.

    Examples
    --------
    >>> from metameter.stats.explicit import Listed
    >>> scores = np.array([[[0.6, 0.5], [0.9, 0.6]]])
    >>> drawn = Listed(2, np.array([[0, 1], [0, 0]]))
    >>> resampled_pairs(scores, drawn, lambda some: some.means).round(3).tolist()  # differences .1, .3, less their mean
    [[[0.0]], [[-0.1]]]
    """
    topics, systems = matrix.shape[1:]
    step = max(_FEWEST, _CELLS // replicates.trials)
    pairs = np.stack(system_pairs(systems))
    units = [(m, pairs[:, i : i + step]) for m in range(len(matrix)) for i in range(0, pairs.shape[1], step)]
    shared: dict[str, Any] = {"matrix": matrix, "zeros": tolerance(matrix, axes=2)[:, 0, 0], "summary": summary}
    parts = Workers.of(jobs).map(_summarised, units, weights=_weights(replicates, topics), **shared)
    told = reported(parts, len(units), "resampling", progress)
    return np.concatenate(list(told), axis=1).reshape(-1, len(matrix), pairs.shape[1])


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

    return vstack([sparse(multiplicities(block, topics)) for block in replicates], format="csr")
