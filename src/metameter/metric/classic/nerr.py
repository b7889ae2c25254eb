"""nERR: expected reciprocal rank against the best possible list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.judge.ranked import Ranked
from metameter.judge.sums import Places, at_each
from metameter.metric.classic.base import Summed
from metameter.metric.classic.relevance import Graded, gain_option
from metameter.registry import register


@register("metric", "nERR")
@dataclass(frozen=True, repr=False)
class NERR(Graded, Summed):
    r"""A user reads on until a document satisfies them; the expected reciprocal of that rank, against the best list.

    .. math:: nERR@k = \frac{ERR@k}{ERR^*@k} \qquad ERR@k = \sum_{i \le k} \frac{s_i}{i} \prod_{j < i} (1 - s_j)
        \qquad s_i = \frac{gain(g_i)}{gain(g_{max}) + 1}

    With exponential gain s = (2^g - 1) / 2^g_max. The highest grade is that of the scale, not of the topic.

    Parameters
    ----------
    k : int, optional
        The list, and the best list, are cut after k documents.
    gain : exp, linear or a table
        A document of grade g is worth 2^g - 1, or g, or what the table ``{grade: gain}`` says.

    References
    ----------
    chapelle2009, sakai2011

    Examples
    --------
    Half of the users are satisfied at rank 1, the others at rank 2: (1/2 + 1/2 x 1/2) against 1.

    >>> NERR()([0.5, 1])
    0.75
    """

    gain: Any = gain_option("exp")
    distinguishes = "grade"
    reference = "chapelle2009"

    @property
    def scaled(self) -> bool:
        """The gain of the highest grade is what all gains are measured by."""
        return True

    def attainable(self, grades: NDArray[np.float64], max_grade: float) -> NDArray[np.float64]:
        """The probabilities of satisfaction, none of which is 1."""
        return self.worth(grades) / self._certain(max_grade)

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """How many of those who get there each rank satisfies, and what it is worth to them."""
        satisfied = self.gains(ranked) / self._scale(ranked)
        return satisfied, _reciprocal_view(satisfied)

    def counted(self, ranked: Ranked) -> Places | None:
        """The documents of worth."""
        return self.where_worth(ranked)

    def divisor(self, ranked: Ranked) -> Any:
        """The same of the best list."""
        ideals = self._ideals(ranked)
        return ideals[:, (ideals.shape[1] if self.k is None else min(self.k, ideals.shape[1])) - 1]

    def divisors(self, ranked: Ranked, depths: NDArray[np.int64]) -> Any:
        """The same at each of several depths."""
        return at_each(self._ideals(ranked), depths)

    def _ideals(self, ranked: Ranked) -> NDArray[np.float64]:
        """The expected reciprocal rank of the best list, cut after each rank as far as there is anything of worth."""

        def make() -> NDArray[np.float64]:
            best = self.best_of_worth(ranked) / self._scale(ranked)
            return np.cumsum(best * _reciprocal_view(best), axis=1)

        return ranked.judgments.once(("nERR", self.gain), make)

    def _scale(self, ranked: Ranked) -> float:
        # What are gains already are probabilities as they stand.
        return 1.0 if ranked.judgments.mapped else self._certain(ranked.judgments.max_grade)

    def _certain(self, max_grade: float) -> float:
        # The gain that would satisfy everybody: more than any document has.
        return self.highest(max_grade) + 1.0


def _reciprocal_view(satisfied: NDArray[np.float64]) -> NDArray[np.float64]:
    arrive = np.cumprod(1.0 - satisfied, axis=1)
    arrive = np.pad(arrive, ((0, 0), (1, 0)), constant_values=1.0)[:, :-1]
    return np.asarray(arrive / np.arange(1.0, satisfied.shape[1] + 1))
