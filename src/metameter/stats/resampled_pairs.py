"""Every pair of systems in every resample of the topics, a few pairs at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from metameter.parallel import Workers
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
_FEWEST = 4  # but so few pairs at a time would cost time


class Resampled(NamedTuple):
    """Some pairs: their differences (topics, pairs), t (pairs,), abs(t) and means in the resamples (trials, pairs)."""

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
    progress: Callable[..., None] | None = None,
) -> Floats:
    """Summarise each pair of ``matrix[metric, topic, system]`` over all resamples: (figures, metrics, pairs).

    The resamples are weighed out once, for all metrics and pairs: the time is linear in their number.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    replicates : Replicates
        Resamples of the topics.
    summary : callable
        From `Resampled` to figures, (figures, pairs).
    jobs : int
    progress : callable, optional
        Told how many of how many parts are done.

    Examples
    --------
    >>> from metameter.stats.replicates import Given
    >>> scores = np.array([[[0.6, 0.5], [0.9, 0.6]]])
    >>> drawn = Given(2, np.array([[0, 1], [0, 0]]))
    >>> resampled_pairs(scores, drawn, lambda some: some.means).round(3).tolist()  # differences .1, .3, less their mean
    [[[0.0]], [[-0.1]]]
    """
    topics, systems = matrix.shape[1:]
    weights = _weights(replicates, topics)
    step = max(_FEWEST, _CELLS // replicates.trials)
    pairs = np.stack(system_pairs(systems))
    zeros = tolerance(matrix, axes=2)[:, 0, 0]
    units = [(m, pairs[:, i : i + step]) for m in range(len(matrix)) for i in range(0, pairs.shape[1], step)]

    def one(unit: tuple[int, NDArray[np.intp]]) -> Floats:
        metric, (first, second) = unit
        zero = float(zeros[metric])
        z = matrix[metric][:, first] - matrix[metric][:, second]
        t, shifted = observed_t(z, zero)
        return summary(Resampled(z, t, *resampled_t(shifted, weights, zero)))

    parts = []
    for part in Workers.of(jobs).map(one, units):
        parts.append(part)
        if progress is not None:
            progress(len(parts), len(units), "resampling")
    return np.concatenate(parts, axis=1).reshape(-1, len(matrix), pairs.shape[1])


def _weights(replicates: Replicates, topics: int) -> Any:
    from scipy.sparse import vstack

    return vstack([sparse(multiplicities(block, topics)) for block in replicates], format="csr")
