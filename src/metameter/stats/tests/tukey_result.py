"""What a randomised Tukey HSD test says: p-values, discriminative power, required difference, ASL curve."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.stats.checks import Floats, check_level, system_pairs, tolerance


def rank_of_alpha(alpha: float, trials: int) -> int:
    """Return ceil(alpha * trials), at least 1, ignoring rounding errors such as 0.07 * 100 = 7.000000000000001.

    Examples
    --------
    >>> rank_of_alpha(0.07, 100)
    7
    """
    return max(1, math.ceil(check_level(alpha) * trials - 1e-9))


def discriminative_power(pvalue: Floats, alpha: float = 0.05) -> Floats:
    """Return the fraction of pairs with p < alpha, over the last axis.

    Examples
    --------
    >>> float(discriminative_power(np.array([0.01, 0.05, 0.2, 0.04])))
    0.5
    """
    return np.asarray((pvalue < check_level(alpha)).mean(axis=-1))


@dataclass(frozen=True, eq=False)
class RandomisedTukey:
    """Result of `randomised_tukey`. Pairs are in the order (0,1), (0,2), ..., (1,2), ...

    Or of `randomised_dunnett`, then of the pairs that it compares.

    Attributes
    ----------
    statistic : ndarray, (..., pairs)
        Mean of the first system minus mean of the second.
    pvalue : ndarray, (..., pairs)
    ranges : ndarray, (..., trials)
        h, the largest difference of means in each trial: what the differences are compared with.
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
        """Compare the differences between columns of ``matrix[..., topic, system]`` with the ranges; by default all."""
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
        """Discriminative power: the fraction of pairs with p < alpha."""
        return discriminative_power(self.pvalue, alpha)

    def required_difference(self, alpha: float = 0.05) -> Floats:
        """The ceil(alpha * trials)-th largest range: differences strictly above it are significant."""
        rank = rank_of_alpha(alpha, self.trials)
        return np.asarray(np.partition(self.ranges, -rank, axis=-1)[..., -rank])


def count_at_least(ranges: Floats, threshold: Floats) -> NDArray[np.int64]:
    """In how many trials (..., trials) the range is at least each threshold (..., pairs).

    Examples
    --------
    >>> count_at_least(np.array([0.3, 0.1, 0.2]), np.array([0.2, 0.4]))
    array([2, 0])
    """
    ordered = np.sort(ranges, axis=-1).reshape(-1, ranges.shape[-1])
    wanted = threshold.reshape(-1, threshold.shape[-1])
    below = [np.searchsorted(row, values, side="left") for row, values in zip(ordered, wanted, strict=True)]
    return np.asarray(ranges.shape[-1] - np.stack(below).reshape(threshold.shape), dtype=np.int64)
