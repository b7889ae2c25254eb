"""Two-way analysis of variance (topic + system, one score per cell) and the Tukey HSD test on it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from metameter.stats.checks import score_matrix, tolerance
from metameter.stats.studentized_range import studentized_range_tail
from metameter.stats.two_way import TwoWay

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from metameter.stats.checks import Floats

__all__ = ["TwoWayAnova", "two_way_anova"]


@dataclass(frozen=True, eq=False)
class TwoWayAnova(TwoWay):
    """Result of `two_way_anova`; arrays have the leading axes of the scores.

    Attributes
    ----------
    system_effects : ndarray, (..., systems)
        Means of the systems, less the mean of all scores.
    ss_system, ss_residual, ss_topic : ndarray
        Sums of squares.
    topics : int
    zero : ndarray
        The tolerance below which a difference counts as zero.
    """

    ss_topic: Floats

    @property
    def statistic(self) -> Floats:
        """F of the systems."""
        return _ratio(self.ss_system / (self.systems - 1), self.ms_residual, self.zero**2)

    @property
    def pvalue(self) -> Floats:
        """P-value of F: whether the systems differ at all."""
        from scipy.special import fdtrc

        f = self.statistic
        return np.where(np.isnan(f), np.nan, fdtrc(self.systems - 1, max(self.df_residual, 1), np.nan_to_num(f)))

    @cached_property
    def tukey_statistic(self) -> Floats:
        """Per pair: q = abs(mean difference) / sqrt(MS_residual / topics)."""
        error = np.sqrt(self.ms_residual / self.topics)[..., None]
        return _ratio(np.abs(self.mean_difference), error, self.zero[..., None])

    @cached_property
    def tukey_pvalue(self) -> Floats:
        """Per pair: P(studentised range > q); computed when first asked for."""
        return studentized_range_tail(self.tukey_statistic, self.systems, max(self.df_residual, 1))


def two_way_anova(scores: ArrayLike) -> TwoWayAnova:
    """Ask whether systems differ once topic effects are removed, and which pairs do (Tukey HSD).

    Parameters
    ----------
    scores : array-like, (..., topics, systems)

    Examples
    --------
    >>> result = two_way_anova([[1, 2, 4], [2, 3, 4], [3, 5, 6], [4, 4, 7]])
    >>> float(result.ss_system.round(6)), float(result.ms_residual.round(6)), result.df_residual
    (15.5, 0.305556, 6)
    """
    matrix = score_matrix(scores)
    topics, systems = matrix.shape[-2:]
    zero = tolerance(matrix, axes=2)
    grand = matrix.mean(axis=(-2, -1), keepdims=True)
    by_topic, by_system = (matrix.mean(axis=axis, keepdims=True) - grand for axis in (-1, -2))
    # The residuals themselves are squared: their sum of squares is printed as effect sizes, and a difference of sums
    # of squares, as `TopicSums` takes it, would lose digits.
    residual = matrix - grand - by_topic - by_system
    squares = (
        np.where(np.abs(effect) <= zero, 0.0, effect**2).sum(axis=(-2, -1))
        for effect in (by_topic, by_system, residual)
    )
    ss_topic, ss_system, ss_residual = (np.asarray(total) for total in squares)
    effects = by_system[..., 0, :]
    return TwoWayAnova(effects, ss_system * topics, ss_residual, topics, zero[..., 0, 0], ss_topic * systems)


def _ratio(above: Floats, below: Floats, zero: Floats) -> Floats:
    # No residual at all: a difference of zero is 0, any other infinite. No degrees of freedom: NaN.
    above, below, zero = np.broadcast_arrays(above, below, zero)
    without = np.where(np.isnan(below), np.nan, np.where(above <= zero, 0.0, np.inf))
    return np.asarray(np.divide(above, below, out=without, where=below > 0))
