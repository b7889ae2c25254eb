"""All lists of a small collection, and what a metric says of each at every depth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from metameter.judge.ranked import Ranked
from metameter.metric.base import Measure
from metameter.metric.build import build
from metameter.metric.examples import example
from metameter.notation import Expression, Term

#: How many documents the collection has, all of them judged and ranked; and the depth at which lists are evaluated.
SIZE, DEPTH = 6, 3
#: The grades of its documents, on a scale that ends with the last of them.
GRADES = (0, 1, 2)


def at_depth(kind: str, name: str) -> Callable[[int], Measure]:
    """The metric that a registered name stands for, as a function of its ``@k``.

    Examples
    --------
    >>> at_depth("browse", "RBP")(3), at_depth("browse", "Prec")(3), at_depth("metric", "nDCG")(3)
    (RBP(p=0.8)*ERG@3, Prec@3*ERG, nDCG@3)
    """
    term = example(kind, name).term()
    return lambda k: build(Expression(Term(term.name, term.arguments, k)))


@dataclass(frozen=True, eq=False)
class Lists:
    """Every list of ``SIZE`` documents whose gains are of the given levels, in the order of counting.

    The levels are the gains that the metric gives to documents of the grades 0, 1 and 2: what a document cannot have
    proves nothing. A metric that does not tell the grades 1 and 2 apart is a binary one, and has two levels.

    Examples
    --------
    >>> [Lists(at_depth(*each)).levels for each in (("metric", "P"), ("browse", "RBP"), ("browse", "ERR"))]
    [(0.0, 1.0), (0.0, 0.5, 1.0), (0.0, 0.25, 0.75)]
    """

    measure: Callable[[int], Measure]

    @cached_property
    def levels(self) -> tuple[float, ...]:
        """The gains that occur."""
        gains = np.unique(self.measure(DEPTH).attainable(np.array(GRADES, dtype=np.float64), GRADES[-1]))
        levels = tuple(gains.tolist())
        graded = _all(levels)
        merged = np.where(graded > levels[0], levels[-1], levels[0])
        tells = not np.array_equal(self._score(graded, DEPTH), self._score(merged, DEPTH), equal_nan=True)
        return levels if tells else (levels[0], levels[-1])

    @cached_property
    def gains(self) -> NDArray[np.float64]:
        """All lists, one per row."""
        return _all(self.levels)

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """Depths 1 to ``SIZE`` x lists."""
        return np.stack([self._score(self.gains, k) for k in range(1, SIZE + 1)])

    def _score(self, gains: NDArray[np.float64], k: int) -> NDArray[np.float64]:
        return self.measure(k).score(Ranked.of_gains(gains))

    def swapped(self, i: int, j: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The lists with a better document at rank j than at rank i < j (from 0), and the same with the two swapped."""
        # A list's number is its gains read as digits; a swap moves two of them.
        digits = np.searchsorted(self.levels, self.gains)
        worth = len(self.levels) ** np.arange(SIZE - 1, -1, -1)
        before = np.flatnonzero(digits[:, j] > digits[:, i])
        step = (digits[before, j] - digits[before, i]) * (worth[i] - worth[j])
        return before, np.asarray(before + step, dtype=np.int64)

    def written(self, number: int) -> str:
        """A list as people write it.

        Examples
        --------
        >>> Lists(at_depth("metric", "P")).written(5)
        '0 0 0 1 0 1'
        """
        return " ".join(f"{gain:g}" for gain in self.gains[number])


def _all(levels: tuple[float, ...]) -> NDArray[np.float64]:
    return np.array(list(product(levels, repeat=SIZE)))
