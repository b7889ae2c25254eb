"""Base classes of metrics by relevance: Graded, with a gain for each grade, and Binary, relevant or not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.judge.ranked import JUDGED, Ranked
from metameter.judge.sums import Cells, where_not_zero
from metameter.metric.classic.base import Classic, above
from metameter.parameters import Bounds

_GRADES_AND_GAINS = Bounds(0)


def _is_gain(value: Any) -> bool:
    if isinstance(value, dict):
        return bool(value) and all(_GRADES_AND_GAINS.contain(x) for pair in value.items() for x in pair)
    return isinstance(value, str) and value in ("linear", "exp")


def gain_option(default: str) -> Any:
    """Declare the option ``gain``, the gain of each grade."""
    check = {"range": f"linear, exp or a table {{grade: gain}} of numbers in {_GRADES_AND_GAINS}", "check": _is_gain}
    return field(default=default, kw_only=True, metadata={"role": "option", **check})


def pad_to_depth(values: NDArray[np.float64], depth: int) -> NDArray[np.float64]:
    """The first ``depth`` columns, with zeros added where there are fewer."""
    values = values[:, :depth]
    return np.pad(values, ((0, 0), (0, depth - values.shape[1])))


@dataclass(frozen=True, repr=False)
class Graded(Classic):
    """A metric that gives documents a gain by their grade.

    Parameters
    ----------
    gain : linear, exp or a table
        The gain of a document of grade g: g, 2^g - 1, or an entry of the table ``{grade: gain}`` (g for grades that
        are not in it). Documents without judgment have gain 0. Unlike the gains of browsing models, these are not
        scaled to [0, 1].
    """

    gain: Any = gain_option("linear")

    def __post_init__(self) -> None:
        if _is_gain(self.gain) and isinstance(self.gain, dict):
            object.__setattr__(self, "gain", dict(sorted(self.gain.items())))
        super().__post_init__()

    def gain_of(self, grades: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """The gain of each grade."""
        grades = np.asarray(grades, dtype=np.float64)
        if self.gain == "linear":
            return grades
        if self.gain == "exp":
            return np.exp2(grades) - 1.0
        gains = grades.copy()
        for grade, gain in self.gain.items():
            gains[grades == grade] = gain
        return gains

    @property
    def exponential(self) -> bool:
        """Whether gains grow exponentially with grades."""
        return bool(self.gain == "exp")

    def highest(self, max_grade: float) -> float:
        """The highest gain on a scale that ends at ``max_grade``."""
        listed = self.gain.values() if isinstance(self.gain, dict) else ()
        return max(float(self.gain_of(max_grade)), *listed, 0.0)

    def attainable(self, grades: NDArray[np.float64], max_grade: float) -> NDArray[np.float64]:
        """The gains as shares of the highest one."""
        return self.gain_of(grades) / self.highest(max_grade)

    def gains(self, ranked: Ranked) -> NDArray[np.float64]:
        """The gain at each rank."""
        if ranked.judgments.mapped or self.gain == "linear":
            return ranked.grade  # 0 wherever there is no judgment
        return np.where(ranked.status == JUDGED, self.gain_of(ranked.grade), 0.0)

    def where_gain(self, ranked: Ranked) -> Cells | None:
        """The ranks of grades above 0, outside of which gains are 0; None if a table may say otherwise."""
        if isinstance(self.gain, dict):
            return None
        return ranked.once("where gain", lambda: where_not_zero(ranked.grade > 0))

    def best_gains_above_zero(self, ranked: Ranked) -> NDArray[np.float64]:
        """The gains above 0 of each topic's judged documents, in descending order; at least one column."""
        gains = self.ideal_gains(ranked)
        return pad_to_depth(gains, max(int((gains > 0).sum(axis=1).max(initial=0)), 1))

    def ideal_gains(self, ranked: Ranked, depth: int | None = None) -> NDArray[np.float64]:
        """The gains of each topic's judged documents, in descending order, padded with zeros."""
        grades = ranked.judgments.ideal
        if ranked.judgments.mapped:
            return np.maximum(grades[:, :depth], 0.0)
        if not isinstance(self.gain, dict):
            return self.gain_of(np.maximum(grades[:, :depth], 0.0))
        gains = np.where(grades >= 0, self.gain_of(grades), 0.0)
        return -np.sort(-gains, axis=1)[:, :depth]


def first(hits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Keep the first of the hits in each row.

    Examples
    --------
    >>> first(np.array([[0.0, 1, 1]]))
    array([[0., 1., 0.]])
    """
    return np.asarray(hits * (np.cumsum(hits, axis=1) == 1))


@dataclass(frozen=True, repr=False)
class Binary(Classic):
    """A metric for which documents are relevant or not.

    Parameters
    ----------
    rel : number above 0
        The lowest grade that counts as relevant.
    """

    # Unjudged documents are stored as grade 0, so grade 0 must not count as relevant.
    rel: float = above(0, default=1)

    def hits(self, ranked: Ranked) -> NDArray[np.float64]:
        """1 where a relevant document is, else 0."""
        return ranked.once(("hits", self.rel), lambda: ranked.relevant(self.rel).astype(np.float64))

    def retrieved_relevant(self, ranked: Ranked) -> NDArray[np.float64]:
        """The number of relevant documents down to each rank."""
        return ranked.once(("retrieved", self.rel), lambda: np.cumsum(self.hits(ranked), axis=1))

    def where_relevant(self, ranked: Ranked) -> Cells:
        """The ranks of the relevant documents."""
        return ranked.once(("where relevant", self.rel), lambda: where_not_zero(ranked.relevant(self.rel)))

    def total(self, ranked: Ranked) -> NDArray[np.float64]:
        """R: the number of relevant documents of each topic in the qrels."""
        return ranked.judgments.relevant(self.rel).astype(np.float64)

    def relevant_ideal(self, ranked: Ranked) -> NDArray[np.bool_]:
        """Which documents of the ideal list are relevant: the first R of them."""
        return np.asarray(np.arange(ranked.judgments.ideal.shape[1]) < self.total(ranked)[:, None])


# A geometric mean needs scores above 0: trec_eval raises lower ones to this.
_LEAST = 1e-5


def logarithm(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The logarithms of scores, none of which counts as less than 0.00001."""
    return np.log(np.maximum(scores, _LEAST))
