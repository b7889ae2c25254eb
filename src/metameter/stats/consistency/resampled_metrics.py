"""Consistency and power of metrics on resampled topics or systems; all metrics share the resamples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metameter.parallel import Progress, Workers
from metameter.stats.checks import Floats, check_level
from metameter.stats.consistency.split_half import half_means, split_half_tau, taus_of_weights
from metameter.stats.proportional_metrics import first_proportional
from metameter.stats.rank_correlation.kendall import tau_b_of_codes
from metameter.stats.resampling.monte_carlo_error import mean_error
from metameter.stats.resampling.replicates import BLOCK, map_blocks
from metameter.stats.resampling.samples import Resample, Resamples
from metameter.stats.significance.anova import SystemSums, TopicSums
from metameter.stats.ties import tied_codes

if TYPE_CHECKING:
    from metameter.stats.resampling.replicates import Replicates
    from metameter.stats.resampling.samples import Clusters


_MANY = 1e6  # degrees of freedom, as good as infinite: the range of shuffled means is that of normal variates
TERCILES = ("hard", "medium", "easy")
SPLITS = 100
#: With fewer splits their own noise, which is estimated and subtracted, is larger; more splits cost more than further
#: resamples gain.
SPLITS_OF_A_RESAMPLE = 4


@dataclass(frozen=True, eq=False)
class ResampledTaus:
    """Consistency on resampled topics or systems.

    Attributes
    ----------
    taus : ndarray, (resamples, metrics)
        Mean tau over the splits of each resample.
    noise : ndarray, (blocks, metrics, metrics)
        For each block of 64 resamples, the covariance of these means that is due to the splits alone.
    """

    taus: Floats
    noise: Floats

    @classmethod
    def none(cls, metrics: int) -> ResampledTaus:
        """Return an empty result."""
        return cls(np.empty((0, metrics)), np.empty((0, metrics, metrics)))

    def whole_blocks(self) -> ResampledTaus:
        """Return the full blocks only, so that more resamples can be appended."""
        blocks = len(self.taus) // BLOCK
        return ResampledTaus(self.taus[: blocks * BLOCK], self.noise[:blocks])


def resampled_taus(
    matrix: Floats,
    resamples: int,
    *,
    seed: int,
    jobs: int | Workers | None = 1,
    progress: Progress | None = None,
    known: ResampledTaus | None = None,
    resample: Resample = "topics",
    clusters: Clusters | None = None,
) -> ResampledTaus:
    """Return the mean split-half tau_b on resampled topics, systems or both.

    Copies of a topic are in the same half of a split; copies of a system are not compared with each other.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    resamples, seed : int
    jobs : int or Workers, optional
        How many threads; the result does not depend on it.
    progress : callable, optional
        Called with the number of resamples done and their total.
    known : ResampledTaus, optional
        The first of these resamples, computed before; they are not computed again.
    resample : {"topics", "systems", "both"}
        What is resampled with replacement.
    clusters : ndarray of int, (systems,), optional
        Systems of one cluster are drawn together; by default each system is its own cluster.

    Examples
    --------
    >>> matrix = np.random.default_rng(0).random((2, 9, 4))
    >>> some = resampled_taus(matrix, 100, seed=0)
    >>> more = resampled_taus(matrix, 200, seed=0, known=some)
    >>> more.taus.shape, more.noise.shape, bool((more.taus[:100] == some.taus).all())
    ((200, 2), (4, 2, 2), True)
    """
    first = first_proportional(matrix)
    distinct, index = np.unique(first, return_inverse=True)
    done = (known or ResampledTaus.none(len(matrix))).whole_blocks()
    samples = Resamples.of(matrix, resamples, SPLITS_OF_A_RESAMPLE, seed, resample, clusters)
    scores, start = np.ascontiguousarray(matrix[distinct]), len(done.noise)
    parts = map_blocks(_taus, samples.halves, jobs, first=start, matrix=scores, systems=samples.systems)
    taus, noise = [done.taus], [done.noise]
    for number, (mean, within) in enumerate(parts, start=len(done.noise) + 1):
        if progress is not None:
            progress(min(number * BLOCK, resamples), resamples, "resamples")
        taus.append(mean[:, index])
        noise.append(within[None, index][:, :, index])
    return ResampledTaus(np.concatenate(taus), np.concatenate(noise))


def _taus(number: int, *, replicates: Replicates, matrix: Floats, systems: Replicates | None) -> tuple[Floats, Floats]:
    block = replicates.block(number)
    copies = None if systems is None else systems.block(number)
    # One split of every resample at a time, to save memory. An undefined tau counts as 0.
    halves = (block[:, split] for split in range(block.shape[1]))
    taus = np.stack([np.nan_to_num(_taus_of_split(matrix, split, copies)) for split in halves])
    mean = taus.mean(axis=0)
    away = taus - mean
    splits = len(taus)
    within = np.einsum("sbi,sbj->ij", away, away) / ((splits - 1) * len(mean))
    return mean, within / splits


def _taus_of_split(matrix: Floats, halves: NDArray[Any], copies: NDArray[Any] | None) -> Floats:
    return taus_of_weights(matrix, halves) if copies is None else taus_of_resampled_systems(matrix, halves, copies)


def resampled_power(
    matrix: Floats,
    resamples: int,
    *,
    alpha: float,
    seed: int,
    jobs: int | Workers | None = 1,
    first: int = 0,
    resample: Resample = "topics",
    clusters: Clusters | None = None,
) -> Floats:
    """Return the power of every metric on the resamples of `resampled_taus`.

    Power is the share of pairs that the randomised Tukey HSD calls different, by its normal approximation. If systems
    are resampled, only pairs of different systems count, and scores are centred by topic over the systems drawn.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    resamples, seed : int
    alpha : float
    jobs : int or Workers, optional
    first : int
        The first block of resamples.
    resample, clusters
        As for `resampled_taus`.

    Returns
    -------
    ndarray, (resamples, metrics)

    Examples
    --------
    >>> matrix = np.linspace(0, 1, 8) + np.random.default_rng(1).normal(0, 0.5, (2, 20, 8))
    >>> resampled_power(matrix, 100, alpha=0.05, seed=0).shape
    (100, 2)
    """
    distinct, index = np.unique(first_proportional(matrix), return_inverse=True)
    samples = Resamples.of(matrix, resamples, SPLITS_OF_A_RESAMPLE, seed, resample, clusters)
    alpha = check_level(alpha)
    if samples.systems is None:
        topic_sums = TopicSums.of(matrix[distinct])
        blocks = map_blocks(_power, samples.halves, jobs, first=first, sums=topic_sums, alpha=alpha)
    else:
        sums, systems = SystemSums.of(matrix[distinct]), samples.systems
        blocks = map_blocks(
            _power_of_resampled_systems, samples.halves, jobs, first=first, sums=sums, systems=systems, alpha=alpha
        )
    return np.concatenate([np.empty((0, len(distinct))), *blocks])[:, index]


def _power(number: int, *, replicates: Replicates, sums: TopicSums, alpha: float) -> Floats:
    return sums.analysis(_topics(replicates.block(number))).power_when_shuffled(alpha)


def _power_of_resampled_systems(
    number: int, *, replicates: Replicates, sums: SystemSums, systems: Replicates, alpha: float
) -> Floats:
    return sums.power(_topics(replicates.block(number)), systems.block(number), alpha)


def _topics(halves: NDArray[Any]) -> NDArray[Any]:
    # The two halves of any split add up to the resample.
    return np.asarray(halves[:, 0].sum(axis=1))


def approximate_power(matrix: Floats, alpha: float) -> Floats:
    """Return the power of every metric on these topics, by the normal approximation of the randomised Tukey HSD.

    Examples
    --------
    >>> approximate_power(np.array([[[1.0, 2, 9], [2, 1, 9], [1, 2, 9], [2, 1, 9], [1, 2, 9], [2, 1, 9]]]), 0.05)
    array([0.66666667])
    """
    every: NDArray[np.int64] = np.ones((1, matrix.shape[1]), dtype=np.int64)
    return np.asarray(TopicSums.of(matrix).analysis(every).power_when_shuffled(alpha)[0])


class Tercile(NamedTuple):
    """A third of the topics: their number, and the mean tau, its Monte-Carlo error and the power of each metric."""

    topics: int
    mean_tau: Floats
    mean_tau_se: Floats
    power: Floats


def terciles(matrix: Floats, ease: Floats, *, alpha: float, seed: int, jobs: int | Workers | None = 1) -> list[Tercile]:
    """Return split-half tau and power of each metric on the hard, the medium and the easy third of the topics.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    ease : ndarray, (topics,)
        Higher is easier. Among equally easy topics, those that come first in the input count as harder.
    alpha : float
        For power, by the normal approximation of the randomised Tukey HSD.
    seed : int
        Of the splits.
    jobs : int or Workers, optional

    Examples
    --------
    >>> matrix = np.linspace(0, 1, 6) + np.random.default_rng(0).normal(0, [[9.0]] * 6 + [[0.1]] * 6, (1, 12, 6))
    >>> thirds = terciles(matrix, np.arange(12), alpha=0.05, seed=0)
    >>> [(third.topics, float(third.power[0].round(2))) for third in thirds]
    [(4, 0.0), (4, 0.0), (4, 0.2)]
    """
    order = np.argsort(ease, kind="stable")
    thirds = []
    for topics in np.array_split(order, len(TERCILES)):
        some = np.ascontiguousarray(matrix[:, np.sort(topics)])
        taus = np.nan_to_num(split_half_tau(some, trials=SPLITS, seed=seed, jobs=jobs))
        thirds.append(Tercile(len(topics), taus.mean(axis=0), mean_error(taus), approximate_power(some, alpha)))
    return thirds


def taus_of_resampled_systems(matrix: Floats, weights: NDArray[Any], copies: NDArray[Any]) -> Floats:
    """Return tau_b between the two halves of the topics for resampled systems: (trials, metrics).

    Copies of a system are tied in both halves, and tau_b ignores such pairs.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    weights : ndarray of int, (trials, 2, topics)
        How often each topic is in either half.
    copies : ndarray of int, (trials, systems)
        How often each system was drawn.

    Examples
    --------
    >>> matrix = np.array([[[0.1, 0.2, 0.3], [0.2, 0.1, 0.4]]])  # the halves disagree about the first two systems
    >>> halves = np.array([[[1, 0], [0, 1]]])
    >>> [taus_of_resampled_systems(matrix, halves, np.array([copies])).tolist() for copies in ([1, 1, 0], [0, 2, 1])]
    [[[-1.0]], [[1.0]]]
    """
    means = half_means(matrix, weights)
    taus = np.empty(means.shape[1:-1])
    sizes = copies.sum(axis=1)
    for size in np.unique(sizes):
        rows = np.flatnonzero(sizes == size)
        repeated = _written_out(copies[rows])
        some = np.take_along_axis(means[:, rows], repeated[None, :, None, :], axis=-1)
        first, second = tied_codes(some).reshape(2, -1, int(size))
        taus[rows] = tau_b_of_codes(first, second).reshape(len(rows), -1)
    return taus


def _written_out(copies: NDArray[Any]) -> NDArray[np.intp]:
    """The drawn systems with repetition, (rows, sum), for rows of copies with equal sums."""
    rows, systems = copies.shape
    return np.repeat(np.tile(np.arange(systems), rows), copies.reshape(-1)).reshape(rows, -1)
