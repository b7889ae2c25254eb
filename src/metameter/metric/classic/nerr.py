"""nERR: expected reciprocal rank relative to the best possible list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.judge.ranked import Ranked
from metameter.judge.sums import Cells, at_each
from metameter.metric.classic.base import Summed
from metameter.metric.classic.relevance import Graded, gain_option
from metameter.registry import register


@register("metric", "nERR")
@dataclass(frozen=True, repr=False)
class NERR(Graded, Summed):
    r"""A user reads on until a document satisfies them: the expected reciprocal rank, relative to the best list.

    .. math:: nERR@k = \frac{ERR@k}{ERR^*@k} \qquad ERR@k = \sum_{i \le k} \frac{s_i}{i} \prod_{j < i} (1 - s_j)
        \qquad s_i = \frac{gain(g_i)}{gain(g_{max}) + 1}

    With exponential gain s = (2^g - 1) / 2^g_max. The highest grade is that of the scale, not of the topic.

    Parameters
    ----------
    k : int, optional
        The list, and the best list, are cut after k documents.
    gain : exp, linear or a table
        The gain of a document of grade g: 2^g - 1, g, or an entry of the table ``{grade: gain}``.

    References
    ----------
    chapelle2009, sakai2011

    Examples
    --------
    Half of the users are satisfied at rank 1, the others at rank 2: (1/2 + 1/2 x 1/2) / 1.

    >>> NERR()([0.5, 1])
    0.75
    """

    gain: Any = gain_option("exp")
    distinguishes = "grade"
    reference = "chapelle2009"

    @property
    def scaled(self) -> bool:
        """Gains are divided by that of the highest grade of the scale."""
        return True

    def attainable(self, grades: NDArray[np.float64], max_grade: float) -> NDArray[np.float64]:
        """The probabilities of satisfaction, which stay below 1."""
        return self.gain_of(grades) / self._full_satisfaction(max_grade)

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """The probability of satisfaction at each rank, and the probability of getting there divided by i."""
        satisfied = self.gains(ranked) / self._scale(ranked)
        return satisfied, _reciprocal_view(satisfied)

    def nonzero_cells(self, ranked: Ranked) -> Cells | None:
        """The documents with gain above 0."""
        return self.where_gain(ranked)

    def divisor(self, ranked: Ranked) -> Any:
        """The same sum for the best list."""
        ideals = self._ideals(ranked)
        return ideals[:, (ideals.shape[1] if self.k is None else min(self.k, ideals.shape[1])) - 1]

    def divisors(self, ranked: Ranked, depths: NDArray[np.int64]) -> Any:
        """The divisors at each of several depths."""
        return at_each(self._ideals(ranked), depths)

    def _ideals(self, ranked: Ranked) -> NDArray[np.float64]:
        """The ERR of the best list cut after each rank, as far as its gains are above 0."""

        def make() -> NDArray[np.float64]:
            best = self.best_gains_above_zero(ranked) / self._scale(ranked)
            return np.cumsum(best * _reciprocal_view(best), axis=1)

        return ranked.judgments.once(("nERR", self.gain), make)

    def _scale(self, ranked: Ranked) -> float:
        # Gains given directly are used as probabilities.
        return 1.0 if ranked.judgments.mapped else self._full_satisfaction(ranked.judgments.max_grade)

    def _full_satisfaction(self, max_grade: float) -> float:
        # The gain with satisfaction 1, which is above that of every document.
        return self.highest(max_grade) + 1.0


def _reciprocal_view(satisfied: NDArray[np.float64]) -> NDArray[np.float64]:
    arrive = np.cumprod(1.0 - satisfied, axis=1)
    arrive = np.pad(arrive, ((0, 0), (1, 0)), constant_values=1.0)[:, :-1]
    return np.asarray(arrive / np.arange(1.0, satisfied.shape[1] + 1))
