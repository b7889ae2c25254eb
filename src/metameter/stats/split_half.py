"""Split-half consistency: whether a metric orders the systems alike on two halves of the topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.errors import MetameterError
from metameter.parallel import Workers
from metameter.stats.checks import score_matrix
from metameter.stats.explicit import replicates_or_default
from metameter.stats.half_sums import HalfSums
from metameter.stats.kendall import tau_b_of_scores
from metameter.stats.replicates import map_blocks
from metameter.stats.resampling import topic_splits
from metameter.stats.sums import weighted_sums

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from metameter.stats.checks import Floats
    from metameter.stats.replicates import Replicates

__all__ = [
    "bootstrap_split_half_tau",
    "half_means",
    "half_weights",
    "split_half_tau",
    "taus_of_halves",
    "taus_of_weights",
]

_VECTORS = 2048  # pairs of means at a time: never are those of all metrics in memory


def split_half_tau(
    scores: ArrayLike,
    *,
    trials: int = 1000,
    seed: int = 0,
    splits: Replicates | ArrayLike | None = None,
    jobs: int | Workers | None = 1,
) -> Floats:
    """Return tau_b between the system means on two random halves of the topics, for every split.

    Parameters
    ----------
    scores : array-like, (..., topics, systems)
        Leading axes, such as metrics, share the splits.
    trials, seed : int
        Number of splits; seed of the splits.
    splits : Replicates or array of bool, (trials, topics), optional
        Explicit splits: True for the topics of the first half.
    jobs : int or Workers, optional
        How many threads; the result does not depend on it.

    Returns
    -------
    ndarray, (trials, ...)
        NaN where the means of a half are all equal.

    Examples
    --------
    >>> scores = [[0.1, 0.5, 0.9], [0.2, 0.6, 0.7], [0.9, 0.4, 0.1]]  # the third topic disagrees
    >>> split_half_tau(scores, splits=[[True, False, True], [False, False, True]])  # means .5, .45, .5 in the first
    array([ 0., -1.])
    """
    matrix = score_matrix(scores, topics=2)
    topics = matrix.shape[-2]
    replicates = replicates_or_default(splits, topic_splits(topics, trials, seed), (topics,), "splits")
    return np.concatenate(list(map_blocks(taus_of_halves, replicates, jobs, matrix=matrix)))


def taus_of_halves(number: int, *, replicates: Replicates, matrix: Floats) -> Floats:
    """Return tau_b of the splits of one block, (64, ...): the work of one worker.

    Examples
    --------
    >>> taus_of_halves(1, replicates=topic_splits(4, trials=65), matrix=np.eye(4)[:, :3]).shape
    (1,)
    """
    return taus_of_weights(matrix, half_weights(replicates.block(number)))


def bootstrap_split_half_tau(
    scores: ArrayLike,
    replicates: Replicates | ArrayLike,
    *,
    jobs: int | Workers | None = 1,
) -> Floats:
    """Return split-half tau_b on resampled topics, averaged over the splits of each resample.

    Says how far the mean tau of `split_half_tau` could move with other topics. Copies of a topic must fall on the
    same side of a split, or the two halves would agree too well.

    Parameters
    ----------
    scores : array-like, (..., topics, systems)
    replicates : Replicates or array of int, (trials, splits, 2, topics)
        How often each topic is in either half: `bootstrap_splits`.
    jobs : int or Workers, optional
        How many threads; the result does not depend on it.

    Returns
    -------
    ndarray, (trials, ...)
        A split whose tau is undefined counts as 0.

    Examples
    --------
    >>> scores = [[0.1, 0.5, 0.9], [0.2, 0.4, 0.8], [0.9, 0.4, 0.1]]
    >>> bootstrap_split_half_tau(scores, [[[[2, 0, 0], [0, 1, 0]], [[2, 0, 0], [0, 0, 1]]]])
    array([0.])
    """
    matrix = score_matrix(scores, topics=2)
    splits = replicates_or_default(replicates, None, (-1, 2, matrix.shape[-2]), "splits")
    return np.concatenate(list(map_blocks(_mean_taus, splits, jobs, matrix=matrix)))


def _mean_taus(number: int, *, replicates: Replicates, matrix: Floats) -> Floats:
    block = replicates.block(number)
    taus = taus_of_weights(matrix, block.reshape(-1, 2, matrix.shape[-2]))
    return np.asarray(np.nan_to_num(taus).reshape(*block.shape[:2], *taus.shape[1:]).mean(axis=1))


def half_weights(splits: NDArray[Any]) -> NDArray[np.int64]:
    """Turn splits (trials, topics) into weights (trials, 2, topics) of the topics in either half.

    Examples
    --------
    >>> half_weights(np.array([[True, False, True]]))
    array([[[1, 0, 1],
            [0, 1, 0]]])
    """
    first = splits.astype(bool)
    return np.stack([first, ~first], axis=1).astype(np.int64)


def taus_of_weights(matrix: Floats, weights: NDArray[Any]) -> Floats:
    """Return tau_b between the two halves, whose topics are weighted: (trials, 2, topics) to (trials, ...).

    Examples
    --------
    >>> taus_of_weights(np.array([[0.1, 0.5], [0.2, 0.6], [0.9, 0.4]]), np.array([[[1, 0, 1], [0, 1, 0]]]))
    array([-1.])
    """
    _check_halves(weights)
    topics, systems = matrix.shape[-2:]
    metrics = matrix.reshape(-1, topics, systems)
    sums, taus = HalfSums(weights), np.empty((len(weights), len(metrics)))
    step = max(1, _VECTORS // len(weights))
    for start in range(0, len(metrics), step):
        first, second = (half.reshape(-1, systems) for half in sums(metrics[start : start + step]))
        # Sums do as well as means: tau asks for their order only.
        taus[:, start : start + step] = tau_b_of_scores(first, second).reshape(len(weights), -1)
    return taus.reshape(len(weights), *matrix.shape[:-2])


def _check_halves(weights: NDArray[Any]) -> None:
    if not weights.any(axis=-1).all() or (weights < 0).any():
        raise MetameterError("a split leaves one half without topics", fix="Put at least one topic in each half.")


def half_means(matrix: Floats, weights: NDArray[Any]) -> Floats:
    """Return the weighted means over topics in either half: (2, trials, ..., systems).

    Examples
    --------
    >>> half_means(np.array([[0.0, 1.0], [1.0, 1.0], [0.5, 0.5]]), np.array([[[1, 1, 0], [0, 0, 3]]]))[0]
    array([[0.5, 1. ]])
    """
    _check_halves(weights)
    sizes = weights.sum(axis=-1)
    columns = np.moveaxis(matrix, -2, 0).reshape(matrix.shape[-2], -1)
    sums = weighted_sums(weights.transpose(1, 0, 2).reshape(-1, weights.shape[-1]), columns)
    sums /= sizes.T.reshape(-1, 1)
    return sums.reshape(2, len(weights), *matrix.shape[:-2], matrix.shape[-1])
