"""Split-half consistency: whether a metric orders the systems alike on two halves of the topics."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metameter.errors import MetameterError
from metameter.parallel import Workers
from metameter.stats.checks import Floats, score_matrix
from metameter.stats.deterministic_sums import sparse, weighted_sums
from metameter.stats.rank_correlation.kendall import tau_b_of_scores
from metameter.stats.resampling.replicates import map_blocks, replicates_or_default
from metameter.stats.resampling.samples import topic_splits

if TYPE_CHECKING:
    from metameter.stats.resampling.replicates import Replicates


_COLUMNS = 1024  # summed at a time, to stay in the cache
# Two sums of T parts, added in another order, differ by 4 T units in the last place at most. With the total no more
# than this over T times the second half, that is less than a tenth of the tolerance of ties.
_SAFE = 250.0

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


class HalfSums:
    """Sum scores (metrics, topics, systems) over either half of the topics.

    Splits of the same topics share a total, from which the first half is taken away to give the second. That rounds
    otherwise than adding up the second half itself; where the difference might matter, it is added up.

    Parameters
    ----------
    weights : ndarray of int, (trials, 2, topics)
        How often each topic is in either half.

    Examples
    --------
    >>> splits = np.array([[[1, 0, 1], [0, 1, 0]], [[0, 1, 1], [1, 0, 0]]])
    >>> first, second = HalfSums(splits)(np.array([[[1.0], [10.0], [100.0]]]))
    >>> first.ravel(), second.ravel()
    (array([101., 110.]), array([10.,  1.]))
    """

    def __init__(self, weights: NDArray[Any]) -> None:
        self.trials, _, topics = weights.shape
        self._weights, self._first = weights, sparse(weights[:, 0])
        whole = weights.sum(axis=1)
        begins = np.append(True, (whole[1:] != whole[:-1]).any(axis=1))
        self._least = topics / _SAFE
        self._shared = 2 * np.count_nonzero(begins) <= self.trials and self._least < 1
        if self._shared:
            self._whole, self._which = sparse(whole[begins]), np.cumsum(begins) - 1

    @cached_property
    def _second(self) -> Any:
        return sparse(self._weights[:, 1])

    def __call__(self, scores: Floats) -> tuple[Floats, Floats]:
        """The sums over the first halves and over the second ones, (trials, metrics, systems) each."""
        metrics, _, systems = scores.shape
        step = max(1, _COLUMNS // systems)
        if metrics <= step:
            return self._summed(scores)
        first, second = np.empty((2, self.trials, metrics, systems))
        for start in range(0, metrics, step):
            some = slice(start, start + step)
            first[:, some], second[:, some] = self._summed(scores[some])
        return first, second

    def _summed(self, scores: Floats) -> tuple[Floats, Floats]:
        metrics, topics, systems = scores.shape
        columns, shape = scores.swapaxes(0, 1).reshape(topics, -1), (-1, metrics, systems)
        first = np.asarray(self._first @ columns).reshape(shape)
        if self._shared and scores.min() >= 0:
            total = np.asarray(self._whole @ columns).reshape(shape)
            rest = total[self._which]
            rest -= first
            if (rest.max(axis=-1) >= self._least * total.max(axis=-1)[self._which]).all():
                return first, rest
        return first, np.asarray(self._second @ columns).reshape(shape)
