"""Randomised Tukey HSD: which systems differ, with one familywise error rate for all pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metameter.errors import MetameterError
from metameter.parallel import Progress, Workers, reported
from metameter.stats.checks import Floats, check_level, score_matrix, system_pairs, tolerance
from metameter.stats.deterministic_sums import permuted_ranges
from metameter.stats.resampling.replicates import map_blocks, replicates_or_default
from metameter.stats.resampling.samples import row_permutations

if TYPE_CHECKING:
    from metameter.stats.resampling.replicates import Replicates


def rank_of_alpha(alpha: float, trials: int) -> int:
    """Return ceil(alpha * trials), at least 1, without rounding errors such as 0.07 * 100 = 7.000000000000001.

    Examples
    --------
    >>> rank_of_alpha(0.07, 100)
    7
    """
    return max(1, math.ceil(check_level(alpha) * trials - 1e-9))


def discriminative_power(pvalue: Floats, alpha: float = 0.05) -> Floats:
    """Return the share of pairs with p < alpha, over the last axis.

    Examples
    --------
    >>> float(discriminative_power(np.array([0.01, 0.05, 0.2, 0.04])))
    0.5
    """
    return np.asarray((pvalue < check_level(alpha)).mean(axis=-1))


@dataclass(frozen=True, eq=False)
class RandomisedTukey:
    """Result of `randomised_tukey`. Pairs are in the order (0,1), (0,2), ..., (1,2), ...

    Or result of `randomised_dunnett`, for the pairs that it compares.

    Attributes
    ----------
    statistic : ndarray, (..., pairs)
        Mean of the first system less mean of the second.
    pvalue : ndarray, (..., pairs)
    ranges : ndarray, (..., trials)
        The largest difference of means in each trial, with which the differences are compared.
    trials : int
    """

    statistic: Floats
    pvalue: Floats
    ranges: Floats
    trials: int

    @classmethod
    def of(
        cls,
        matrix: Floats,
        ranges: Floats,
        pairs: tuple[NDArray[np.intp], NDArray[np.intp]] | None = None,
        *,
        smooth: bool = False,
    ) -> RandomisedTukey:
        """Compare differences between systems of ``matrix[..., topic, system]`` with the ranges, by default all."""
        means = matrix.mean(axis=-2)
        first, second = system_pairs(means.shape[-1]) if pairs is None else pairs
        difference = means[..., first] - means[..., second]
        trials = ranges.shape[-1]
        count = count_at_least(ranges, np.abs(difference) - tolerance(matrix, axes=2)[..., 0])
        pvalue = (count + 1) / (trials + 1) if smooth else count / trials
        return cls(difference, pvalue, ranges, trials)

    @property
    def pvalue_error(self) -> Floats:
        """Monte-Carlo standard error of each p-value, sqrt(p(1-p)/trials)."""
        return np.sqrt(self.pvalue * (1.0 - self.pvalue) / self.trials)

    def power(self, alpha: float = 0.05) -> Floats:
        """Return the discriminative power: the share of pairs with p < alpha."""
        return discriminative_power(self.pvalue, alpha)

    def required_difference(self, alpha: float = 0.05) -> Floats:
        """Return the ceil(alpha * trials)-th largest range: differences strictly above it are significant."""
        rank = rank_of_alpha(alpha, self.trials)
        return np.asarray(np.partition(self.ranges, -rank, axis=-1)[..., -rank])


def count_at_least(ranges: Floats, threshold: Floats) -> NDArray[np.int64]:
    """Return the number of ranges (..., trials) that are at least each threshold (..., pairs).

    Examples
    --------
    >>> count_at_least(np.array([0.3, 0.1, 0.2]), np.array([0.2, 0.4]))
    array([2, 0])
    """
    ordered = np.sort(ranges, axis=-1).reshape(-1, ranges.shape[-1])
    thresholds = threshold.reshape(-1, threshold.shape[-1])
    below = [np.searchsorted(row, values, side="left") for row, values in zip(ordered, thresholds, strict=True)]
    return np.asarray(ranges.shape[-1] - np.stack(below).reshape(threshold.shape), dtype=np.int64)


_METRICS = 64  # metrics permuted together: bounds the memory of a block


def randomised_tukey(
    scores: ArrayLike,
    *,
    trials: int = 2000,
    seed: int = 0,
    permutations: Replicates | ArrayLike | None = None,
    smooth: bool = True,
    jobs: int | Workers | None = 1,
    progress: Progress | None = None,
) -> RandomisedTukey:
    """Return the randomised Tukey HSD test of all pairs of systems, with one familywise error rate.

    In each trial the scores of every topic are permuted among the systems; h is the range of the system means. The
    p-value of a difference d is (#{h >= d} + 1) / (trials + 1). Because h is the largest difference of all, the
    familywise error rate is controlled and no correction is needed. This assumes that the systems' scores on a topic
    are exchangeable under the null hypothesis; with unequal variances the error rate is higher (see `max_t`).

    Parameters
    ----------
    scores : array-like, (..., topics, systems)
        Any leading axes, such as metrics, are tested together on the same permutations.
    trials : int
        Number of random permutations.
    seed : int
        The same seed gives the same permutations, whatever the metrics and the number of jobs.
    permutations : Replicates or array of int, (trials, topics, systems), optional
        Explicit replicates instead; system j receives the score of system ``p[t, j]``.
    smooth : bool
        p = (count + 1) / (trials + 1): never zero. Without it count / trials, as in the reference.
    jobs : int or Workers, optional
        How many threads; the result does not depend on it.
    progress : callable, optional
        Called with the number of blocks of permutations done and their total.

    References
    ----------
    carterette2012, sakai2014

    Examples
    --------
    >>> result = randomised_tukey([[0.1, 0.2, 0.9], [0.2, 0.1, 0.8], [0.3, 0.3, 0.9], [0.2, 0.2, 0.7]], trials=500)
    >>> result.statistic.round(3)  # mean differences of the pairs (0,1), (0,2), (1,2)
    array([ 0.   , -0.625, -0.625])
    >>> float(result.pvalue[0]), bool(result.pvalue[1] < 0.05)
    (1.0, True)
    """
    matrix = score_matrix(scores)
    topics, systems = matrix.shape[-2:]
    default = row_permutations(topics, systems, trials, seed)
    replicates = replicates_or_default(permutations, default, (topics, systems), "permutations")
    values = np.ascontiguousarray(np.moveaxis(matrix.reshape(-1, topics, systems), 0, -1))
    blocks = map_blocks(_ranges, replicates, jobs, values=values, check=permutations is not None)
    parts = reported(blocks, len(replicates), "shuffling", progress)
    h = np.concatenate(list(parts), axis=1).reshape(*matrix.shape[:-2], replicates.trials) / topics
    return RandomisedTukey.of(matrix, h, smooth=smooth)


def _ranges(number: int, *, replicates: Replicates, values: Floats, check: bool) -> Floats:
    permutations = replicates.block(number)
    if check:
        check_permutations(permutations, values.shape[1])
    starts = range(0, values.shape[-1], _METRICS)
    return np.concatenate([permuted_ranges(permutations, values[..., i : i + _METRICS]).T for i in starts])


def check_permutations(permutations: NDArray[Any], systems: int) -> None:
    """Refuse permutations (trials, topics, systems) with a row that lacks a system.

    Examples
    --------
    >>> check_permutations(np.array([[[1, 1]]]), 2)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    metameter.errors.MetameterError: a row of the permutations is not a permutation (allowed: 0 to 1, each once). ...
    """
    if not (np.sort(permutations, axis=-1) == np.arange(systems)).all():
        raise MetameterError(
            "a row of the permutations is not a permutation",
            allowed=f"0 to {systems - 1}, each once",
            fix="Give each row every system once.",
        )
