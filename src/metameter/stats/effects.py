"""How large is a difference between two systems? Effect sizes, to stand beside every p-value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metameter.stats.anova import two_way_anova
from metameter.stats.checks import score_matrix, tolerance
from metameter.stats.pairwise import standard_errors

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from metameter.stats.checks import Floats

__all__ = ["EffectSizes", "effect_sizes"]


@dataclass(frozen=True, eq=False)
class EffectSizes:
    """Per pair, in the order (0,1), (0,2), ..., (1,2), ...; (..., pairs) each.

    Attributes
    ----------
    mean_difference : ndarray
    cohen_dz : ndarray
        Mean difference in standard deviations of the differences.
    hsd : ndarray
        abs(mean difference) in residual standard deviations of the two-way ANOVA (Sakai).
    """

    mean_difference: Floats
    cohen_dz: Floats
    hsd: Floats


def effect_sizes(scores: ArrayLike) -> EffectSizes:
    """Measure the differences between all systems of ``scores[..., topic, system]``.

    No spread: 0 for no difference, otherwise infinite. One topic: NaN.

    Examples
    --------
    >>> result = effect_sizes([[2, 1], [4, 1], [3, 1]])  # differences 1, 3, 2
    >>> result.cohen_dz, result.hsd.round(4)  # residual variance is half the variance of the differences
    (array([2.]), array([2.8284]))
    """
    matrix = score_matrix(scores)
    anova = two_way_anova(matrix)
    hsd = anova.tukey_statistic / np.sqrt(anova.topics)
    return EffectSizes(anova.mean_difference, _cohen_dz(matrix, anova.mean_difference), hsd)


def _cohen_dz(matrix: Floats, difference: Floats) -> Floats:
    topics, systems = matrix.shape[-2:]
    if topics < 2:
        return np.full_like(difference, np.nan)
    zero = tolerance(matrix, axes=2)[..., 0]
    deviation = np.sqrt(topics) * standard_errors(matrix.reshape(-1, topics, systems)).reshape(difference.shape)
    without = np.where(np.abs(difference) <= zero, 0.0, np.copysign(np.inf, difference))
    return np.asarray(np.divide(difference, deviation, out=without, where=deviation > zero))
