"""Split-half consistency: Kendall's tau between the orders of the systems on two halves of the topics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metameter.errors import MetameterError
from metameter.parallel import Progress, Workers
from metameter.stats.checks import Floats, score_matrix
from metameter.stats.deterministic_sums import sparse_weights, weighted_sums
from metameter.stats.rank_correlation.kendall import tau_b_of_scores
from metameter.stats.resampling.monte_carlo_error import mean_error
from metameter.stats.resampling.replicates import BLOCK, map_blocks, replicates_or_default
from metameter.stats.resampling.samples import topic_splits
from metameter.stats.significance.tukey import randomised_tukey

if TYPE_CHECKING:
    from metameter.stats.resampling.replicates import Replicates


_COLUMNS = 1024  # summed at a time, to stay in the cache
# Two sums of T terms in different orders differ by at most 4 T units in the last place. While the total is at most this
# number over T times the second half, that is less than a tenth of the tolerance of ties.
_SAFE = 250.0
_VECTORS = 2048  # pairs of vectors of means at a time: bounds the memory


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
        NaN where all means of a half are equal.

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
    """Return tau_b of the splits of one block, (64, ...).

    Examples
    --------
    >>> taus_of_halves(1, replicates=topic_splits(4, trials=65), matrix=np.eye(4)[:, :3]).shape
    (1,)
    """
    return taus_of_weights(matrix, half_weights(replicates.block(number)))


def half_weights(splits: NDArray[Any]) -> NDArray[np.int64]:
    """Return the weights (trials, 2, topics) of the topics in either half of splits (trials, topics).

    Examples
    --------
    >>> half_weights(np.array([[True, False, True]]))
    array([[[1, 0, 1],
            [0, 1, 0]]])
    """
    first = splits.astype(bool)
    return np.stack([first, ~first], axis=1).astype(np.int64)


def taus_of_weights(matrix: Floats, weights: NDArray[Any]) -> Floats:
    """Return tau_b between the two halves of weighted topics: (trials, 2, topics) to (trials, ...).

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
        # Sums order the systems as means do.
        taus[:, start : start + step] = tau_b_of_scores(first, second).reshape(len(weights), -1)
    return taus.reshape(len(weights), *matrix.shape[:-2])


def _check_halves(weights: NDArray[Any]) -> None:
    if not weights.any(axis=-1).all() or (weights < 0).any():
        raise MetameterError("a split leaves one half without topics", fix="Put at least one topic in each half.")


def half_means(matrix: Floats, weights: NDArray[Any]) -> Floats:
    """Return the means over the weighted topics of either half: (2, trials, ..., systems).

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
    """Sums of scores (metrics, topics, systems) over either half of the topics.

    Splits of the same topics share their total; the second half is the total less the first half. Where rounding could
    turn a tie into a difference, the second half is summed itself.

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
        self._weights, self._first = weights, sparse_weights(weights[:, 0])
        whole = weights.sum(axis=1)
        begins = np.append(True, (whole[1:] != whole[:-1]).any(axis=1))
        self._least = topics / _SAFE
        self._shared = 2 * np.count_nonzero(begins) <= self.trials and self._least < 1
        if self._shared:
            self._whole, self._which = sparse_weights(whole[begins]), np.cumsum(begins) - 1

    @cached_property
    def _second(self) -> Any:
        return sparse_weights(self._weights[:, 1])

    def __call__(self, scores: Floats) -> tuple[Floats, Floats]:
        """Return the sums over the first and over the second halves, (trials, metrics, systems) each."""
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


MOST_SPLITS = 1_000_000


def split_taus(
    matrix: Floats,
    splits: int,
    until: float | None,
    seed: int,
    jobs: int | Workers | None,
    progress: Progress | None = None,
) -> Floats:
    """Return tau_b of every split and metric, (splits, metrics); NaN where undefined.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    splits : int
        The least number of splits.
    until : float, optional
        Add splits until the Monte-Carlo error of every mean is at most this. Stopping depends on the error alone, not
        on any comparison between metrics, so it cannot favour a verdict.
    seed : int
        The same seed gives the same splits, whatever the number of jobs.
    jobs : int or Workers, optional
    progress : callable, optional
        Called with the number of splits done and their total.

    Examples
    --------
    >>> matrix = np.random.default_rng(0).random((2, 9, 4))
    >>> few, more = (split_taus(matrix, 100, until, seed=0, jobs=1) for until in (None, 0.02))
    >>> len(more) > 100, bool((more[:100] == few).all()), bool((mean_error(more) <= 0.02).all())
    (True, True, True)
    """
    taus = more_split_taus(matrix, np.empty((0, len(matrix))), splits, seed, jobs, progress)
    while until is not None and (error := float(mean_error(np.nan_to_num(taus)).max())) > until:
        # A tenth more than the error requires, since the error is itself an estimate.
        needed = math.ceil(1.1 * len(taus) * (error / until) ** 2)
        if needed > MOST_SPLITS:
            least = error * math.sqrt(1.1 * len(taus) / MOST_SPLITS)
            raise MetameterError(
                f"the precision takes more than {MOST_SPLITS:,} splits",
                given=until,
                allowed=f"about {1.1 * least:.1g} or more",
                fix="Set until to a larger error (--until).",
            )
        taus = more_split_taus(matrix, taus, needed, seed, jobs, progress)
    return taus


def more_split_taus(
    matrix: Floats, taus: Floats, splits: int, seed: int, jobs: int | Workers | None, progress: Progress | None
) -> Floats:
    """Return the given taus extended to more splits; only whole blocks of the given ones are reused.

    Examples
    --------
    >>> matrix = np.random.default_rng(0).random((2, 9, 4))
    >>> few = split_taus(matrix, 100, None, seed=0, jobs=1)
    >>> bool((more_split_taus(matrix, few, 200, 0, 1, None) == split_taus(matrix, 200, None, seed=0, jobs=1)).all())
    True
    """
    halves = topic_splits(matrix.shape[1], splits, seed)
    whole = len(taus) // BLOCK
    parts = map_blocks(taus_of_halves, halves, jobs, first=whole, matrix=matrix)
    return np.concatenate([taus[: whole * BLOCK], *_with_progress(parts, whole, splits, progress)])


def _with_progress(parts: Iterable[Floats], first: int, total: int, progress: Progress | None) -> Iterator[Floats]:
    # Progress counts splits, the unit of the option.
    for number, part in enumerate(parts, start=first + 1):
        if progress is not None:
            progress(min(number * BLOCK, total), total, "splits")
        yield part


def tukey_over_splits(
    taus: Floats, groups: Mapping[str, Sequence[int]], trials: int, seed: int, jobs: int | Workers | None
) -> dict[str, Floats]:
    """Return p-values of the pairs of metrics in each group: Tukey's test with metrics as systems, splits as topics.

    They are (b + 1) / (trials + 1), never 0. Groups of equal size share the permutations. Groups of a single metric
    have no pairs and are left out.

    Parameters
    ----------
    taus : ndarray, (splits, metrics)
    groups : mapping
        From the name of each group to the indices of its metrics.
    trials, seed : int
    jobs : int or Workers, optional

    References
    ----------
    chen2023

    Examples
    --------
    >>> taus = np.random.default_rng(0).random((50, 3)) + [0.0, 0.0, 1.0]
    >>> tukey_over_splits(taus, {"a": [0, 2], "b": [1]}, trials=100, seed=0, jobs=1)
    {'a': array([0.00990099])}
    """
    pvalues: dict[str, Floats] = {}
    for size in {len(members) for members in groups.values()} - {1}:
        names = [name for name, members in groups.items() if len(members) == size]
        stacked = np.stack([taus[:, groups[name]] for name in names])
        result = randomised_tukey(stacked, trials=trials, seed=seed, jobs=jobs)
        pvalues |= dict(zip(names, result.pvalue, strict=True))
    return pvalues
