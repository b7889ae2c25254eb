"""RBU: rank-biased utility."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.judge.faceted import Faceted
from metameter.judge.ranked import Ranked
from metameter.metric.classic.base import Summed, divide
from metameter.parameters import number, option
from metameter.registry import register

if TYPE_CHECKING:
    from metameter.judge.facets import Facets
    from metameter.judge.passages import Covers


@register("metric")
@dataclass(frozen=True, repr=False)
class RBU(Summed):
    r"""A user reads on with probability p; each document costs an effort e, and satisfied subtopics count no more.

    .. math:: RBU = \sum_i p^i \left( \sum_s \frac{1}{M} \, q(d_i, s) \prod_{j < i} (1 - q(d_j, s)) - e \right)

    summed over the documents of the list; the topic has M subtopics. In the form of Albahem et al. (2019), q(d, s) is
    the sum of the ratings of the document's passages on the subtopic, divided by the highest such sum of the topic. In
    the program of RBU's authors it is (2^g - 1) / 2^g*, where g* is the highest grade of the subtopic, and weights are
    (1 - p) p^(i-1), which does not change the order of systems.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    p : number in (0, 1)
        The probability of reading on.
    e : number
        The effort that each document takes.
    form : paper002 or java
        As in Albahem et al. (2019), or as in the authors' program, whose parameters are p=0.8 and e=0.03.

    References
    ----------
    amigo2018, albahem2019

    Examples
    --------
    One subtopic, satisfied by the first document: .5 * (1 - .1) - .25 * .1.

    >>> round(RBU(p=0.5, e=0.1)([1, 0]), 6)
    0.425
    """

    p: float = number(0.99, low=0, high=1, low_open=True, high_open=True)
    e: float = number(0.05, low=0)
    form: str = option("paper002", choices=("paper002", "java"))

    evidence = Faceted
    distinguishes = "grade"
    reference = "amigo2018"
    fixed_divisor = True

    @property
    def exponential(self) -> bool:
        """Whether gains grow exponentially with grades, as in the form ``java``."""
        return self.form == "java"

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """The gain of each document minus its effort, and the probability of reading it."""
        faceted = Faceted.of(ranked)
        covers = faceted.seen.covers("raw")
        groups = covers.by_subtopic()
        satisfied = groups.spread(self._satisfied(covers, faceted.facets))
        unsatisfied = np.cumprod(1.0 - satisfied, axis=1)
        unsatisfied = np.concatenate([np.ones((len(unsatisfied), 1)), unsatisfied], axis=1)[:, : satisfied.shape[1]]
        satisfied_here = groups.to_rows(satisfied * unsatisfied, covers.size)
        gain = divide(
            covers.sum_by_document(satisfied_here, len(faceted.length), faceted.depth), faceted.facets.listed[:, None]
        )
        listed = np.arange(faceted.depth) < faceted.length[:, None]
        rank = np.arange(faceted.depth)
        return gain - self.e * listed, self.p ** (rank + 1) if self.form == "paper002" else (1 - self.p) * self.p**rank

    def _satisfied(self, covers: Covers, facets: Facets) -> NDArray[np.float64]:
        """The probability q that a document satisfies a user interested in the subtopic."""
        grade = np.maximum(covers.rating, 0.0)
        highest = facets.once(("highest", self.form), lambda: self._highest(facets))
        best = highest[covers.topic, covers.subtopic]
        if self.form == "paper002":
            return divide(grade, best)
        return np.asarray((np.exp2(grade) - 1.0) / np.exp2(best))

    def _highest(self, facets: Facets) -> NDArray[np.float64]:
        """The highest grade of each subtopic, or of the topic, by the form: topics x subtopics."""
        covers = facets.passages.covers("raw")
        highest = np.zeros((len(facets.listed), max(int(facets.listed.max(initial=1)), 1)))
        np.maximum.at(highest, (covers.topic, covers.subtopic), covers.rating)
        if self.form == "java":
            return highest
        return np.broadcast_to(highest.max(axis=1, keepdims=True), highest.shape)

    def divisor(self, ranked: Ranked) -> Any:
        """Nothing to divide by."""
        return 1.0
