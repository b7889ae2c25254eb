"""How many metrics each metric beats: wins by pairs, wins by scores, dense ranks, and their resampling distributions.

Under the null hypothesis that no metric differs from another, metrics are exchangeable within each topic, so permuting
them gives the distribution of the wins.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metameter.parallel import Workers
from metameter.stats.checks import Floats, system_pairs
from metameter.stats.dimensions.unanimity import mutual_information
from metameter.stats.resampling.replicates import Replicates, map_blocks
from metameter.stats.resampling.samples import bootstrap_indices, multiplicities, row_permutations
from metameter.stats.significance.pairwise import critical_counts
from metameter.stats.ties import tied_codes

if TYPE_CHECKING:
    Ints = NDArray[np.int64]


#: Whether a win takes significantly more cases, or just more.
Wins: TypeAlias = Literal["significant", "any"]
_TIE = 1e-12


def pair_wins(won: NDArray[Any], metrics: int) -> Ints:
    """The number of other metrics that each metric beats, from the winner of each pair.

    Parameters
    ----------
    won : ndarray of bool, (..., pairs, 2)
        Whether the first of the pair wins, and whether the second.
    metrics : int

    Examples
    --------
    >>> pair_wins(np.array([[True, False], [True, False], [False, False]]), 3)  # (0,1), (0,2), (1,2)
    array([2, 0, 0])
    """
    first, second = system_pairs(metrics)
    sides = [np.arange(metrics) == each[:, None] for each in (first, second)]
    counts = sum(won[..., side].astype(np.float32) @ each.astype(np.float32) for side, each in enumerate(sides))
    return np.asarray(counts).astype(np.int64)


def score_wins(scores: Floats) -> Ints:
    """The number of others with a strictly lower score, along the last axis; NaN neither wins nor loses.

    Examples
    --------
    >>> score_wins(np.array([0.5, -np.inf, 0.5, np.nan, 0.7]))
    array([1, 0, 1, 0, 3])
    """
    return np.asarray((scores[..., :, None] > scores[..., None, :] + _TIE).sum(axis=-1))


def dense_ranks(wins: NDArray[Any]) -> Ints:
    """Rank from 1 for the most wins along the last axis; ties share a rank, and the next rank follows without a gap.

    Examples
    --------
    >>> dense_ranks(np.array([5, 2, 5, 0]))
    array([1, 2, 1, 3])
    """
    codes = tied_codes(wins)
    return np.asarray(codes.max(axis=-1, keepdims=True, initial=0) - codes + 1)


def resampled_pair_wins(
    correct: NDArray[Any],
    metrics: int,
    *,
    wins: Wins = "significant",
    alpha: float = 0.05,
    resamples: int = 1000,
    seed: int = 0,
    jobs: int | Workers | None = 1,
) -> NDArray[np.int16]:
    """Resample the topics and count the wins: (resamples, iterations, sets, metrics).

    Parameters
    ----------
    correct : ndarray of int, (iterations, topics, sets, pairs, 2)
        Of `disagreements`.
    metrics : int
    wins : {"significant", "any"}
        By the sign test of the resampled counts, or by the larger count.
    alpha : float
    resamples, seed : int
    jobs : int or Workers, optional

    Examples
    --------
    >>> correct = np.array([[[[[9, 0]]], [[[8, 1]]]]])  # one iteration, two topics, one set, one pair
    >>> resampled_pair_wins(correct, 2, resamples=3).tolist()
    [[[[1, 0]]], [[[1, 0]]], [[[1, 0]]]]
    """
    by_topic = np.moveaxis(correct, 1, 0)
    count = partial(_pair_wins, metrics=metrics, fewest=_fewest(by_topic, wins, alpha))
    return np.asarray(_resample_topics(by_topic, count, resamples, seed, jobs), dtype=np.int16)


def _fewest(by_topic: NDArray[Any], wins: Wins, alpha: float) -> Ints | None:
    if wins == "any":
        return None
    # No resample holds a topic more often than there are topics.
    return critical_counts(int(by_topic.sum(axis=-1).max(initial=0)) * len(by_topic), alpha)


def _pair_wins(counts: Floats, *, metrics: int, fewest: Ints | None) -> NDArray[np.int16]:
    more = np.stack([counts[..., 0] > counts[..., 1], counts[..., 1] > counts[..., 0]], axis=-1)
    if fewest is not None:
        whole = counts.astype(np.int64)
        more &= (whole.min(axis=-1) <= fewest[whole.sum(axis=-1)])[..., None]
    return pair_wins(more, metrics).astype(np.int16)  # a thousand resamples are kept


def resampled_scores(counts: Floats, *, resamples: int = 1000, seed: int = 0, jobs: int | Workers | None = 1) -> Floats:
    """Resample the topics and compute the mutual information: (resamples, iterations, sets, metrics).

    Parameters
    ----------
    counts : ndarray, (4, iterations, topics, sets, metrics)
        Of `improvements`: metric, simple, joint, cases.
    resamples, seed : int
    jobs : int or Workers, optional

    Examples
    --------
    >>> counts = np.array([3.0, 3.0, 2.0, 6.0]).reshape(4, 1, 1, 1, 1).repeat(2, axis=2)
    >>> resampled_scores(counts, resamples=2).round(4).ravel()
    array([0.415, 0.415])
    """
    return np.asarray(_resample_topics(np.moveaxis(counts, 2, 0), _information, resamples, seed, jobs))


def _information(counts: Floats) -> Floats:
    return mutual_information(*(counts[:, kind] for kind in range(4)))


def _resample_topics(
    by_topic: NDArray[Any], count: Callable[[Floats], Any], resamples: int, seed: int, jobs: int | Workers | None
) -> NDArray[Any]:
    replicates = bootstrap_indices(len(by_topic), resamples, seed)
    return np.concatenate(list(map_blocks(_block, replicates, jobs, by_topic=by_topic, count=count)))


def _block(number: int, *, replicates: Replicates, by_topic: NDArray[Any], count: Callable[[Floats], Any]) -> Any:
    topics = len(by_topic)
    copies = multiplicities(replicates.block(number), topics).astype(np.float64)
    # Sums of whole (or half) numbers are exact in any order.
    sums = copies @ by_topic.reshape(topics, -1).astype(np.float64)
    return count(sums.reshape(len(copies), *by_topic.shape[1:]))


def swapped_pair_wins(
    correct: NDArray[Any],
    metrics: int,
    *,
    wins: Wins = "significant",
    alpha: float = 0.05,
    trials: int = 2000,
    seed: int = 0,
    jobs: int | Workers | None = 1,
) -> NDArray[np.int16]:
    """Permute the metrics within each topic and count the wins: (trials, iterations, sets, metrics).

    All iterations of a topic have the same permutation. The permutations depend on the numbers of topics and metrics
    and on the seed only, so `swapped_score_wins` uses the same ones.

    Parameters
    ----------
    correct : ndarray of int, (iterations, topics, sets, pairs, 2)
        Of `disagreements`.
    metrics : int
    wins : {"significant", "any"}
    alpha : float
    trials, seed : int
    jobs : int or Workers, optional

    Examples
    --------
    >>> correct = np.array([[[[[9, 0]]]]])  # one topic, one pair: each of the two metrics wins in half of the trials
    >>> swapped_pair_wins(correct, 2, trials=1000).mean(axis=0).round(1).tolist()
    [[[0.5, 0.5]]]
    """
    first, second = system_pairs(metrics)
    by_topic = np.moveaxis(correct, 1, 0)
    # Cases for a against b, (topics, a, b, iterations x sets): a row of memory for each pair of metrics.
    against = np.zeros((len(by_topic), metrics, metrics, correct.shape[0] * correct.shape[2]), dtype=np.int64)
    rows = np.moveaxis(by_topic, (3, 4), (1, 2)).reshape(len(by_topic), len(first), 2, -1)
    against[:, first, second], against[:, second, first] = rows[:, :, 0], rows[:, :, 1]
    shape = (correct.shape[0], correct.shape[2])
    count = partial(_pair_wins, metrics=metrics, fewest=_fewest(by_topic, wins, alpha))
    permutations = row_permutations(len(by_topic), metrics, trials, seed)
    return np.concatenate(list(map_blocks(_swap_pairs, permutations, jobs, against=against, shape=shape, count=count)))


def _swap_pairs(
    number: int, *, replicates: Replicates, against: Ints, shape: tuple[int, int], count: Callable[[Any], Any]
) -> NDArray[np.int16]:
    orders = replicates.block(number)
    first, second = system_pairs(against.shape[1])
    sums = np.zeros((len(orders), len(first), 2, against.shape[-1]), dtype=np.int64)
    for topic, cases in enumerate(against):
        one, other = orders[:, topic, first], orders[:, topic, second]
        sums[:, :, 0] += cases[one, other]
        sums[:, :, 1] += cases[other, one]
    return np.asarray(count(np.moveaxis(sums.reshape(*sums.shape[:3], *shape), (1, 2), (3, 4))))


def swapped_score_wins(
    counts: Floats, *, trials: int = 2000, seed: int = 0, jobs: int | Workers | None = 1
) -> NDArray[np.int16]:
    """Permute the metrics within each topic and count the wins by mutual information: (trials, ..., metrics).

    Parameters
    ----------
    counts : ndarray, (4, iterations, topics, sets, metrics)
        Of `improvements`: metric, simple, joint, cases.
    trials, seed : int
    jobs : int or Workers, optional

    Examples
    --------
    >>> counts = np.array([[3.0, 3.0], [3.0, 3.0], [2.0, 1.0], [6.0, 6.0]]).reshape(4, 1, 1, 1, 2)
    >>> swapped_score_wins(counts, trials=1000).mean(axis=0).round(1).tolist()
    [[[0.5, 0.5]]]
    """
    by_topic = np.ascontiguousarray(np.moveaxis(counts, (2, 4), (0, 1)))
    permutations = row_permutations(len(by_topic), by_topic.shape[1], trials, seed)
    return np.concatenate(list(map_blocks(_swap_scores, permutations, jobs, by_topic=by_topic)))


def _swap_scores(number: int, *, replicates: Replicates, by_topic: Floats) -> NDArray[np.int16]:
    orders = replicates.block(number)
    sums = np.zeros((len(orders), *by_topic.shape[1:]))
    for topic, each in enumerate(by_topic):
        sums += each[orders[:, topic]]
    return score_wins(_information(np.moveaxis(sums, 1, -1))).astype(np.int16)
