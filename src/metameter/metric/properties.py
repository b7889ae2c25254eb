"""The seven numeric properties of Moffat (2013), decided by trying all lists of a small collection."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.judge.ranked import Ranked
from metameter.metric.base import Measure
from metameter.metric.build import build
from metameter.metric.classic.base import Summed
from metameter.metric.examples import example
from metameter.metric.product import Product
from metameter.notation import Expression, Term

#: How many documents the collection has, all of them judged and ranked; and the depth at which lists are evaluated.
SIZE, DEPTH = 6, 3
#: The grades of its documents, on a scale that ends with the last of them.
GRADES = (0, 1, 2)


def at_depth(kind: str, name: str) -> Callable[[int], Measure]:
    """Return a function that gives the metric of a registered name at a depth k.

    Examples
    --------
    >>> at_depth("browse", "RBP")(3), at_depth("browse", "Prec")(3), at_depth("metric", "nDCG")(3)
    (RBP(p=0.8)*ERG@3, Prec@3*ERG, nDCG@3)
    """
    term = example(kind, name).term()
    return lambda k: build(Expression(Term(term.name, term.arguments, k)))


@dataclass(frozen=True, eq=False)
class Lists:
    """Every list of ``SIZE`` documents with gains from a few levels, in lexicographic order.

    The levels are the gains that the metric gives to documents of grades 0, 1 and 2, since no document can have other
    gains. A metric that treats grades 1 and 2 alike is binary and has two levels.

    Examples
    --------
    >>> [Lists(at_depth(*each)).levels for each in (("metric", "P"), ("browse", "RBP"), ("browse", "ERR"))]
    [(0.0, 1.0), (0.0, 0.5, 1.0), (0.0, 0.25, 0.75)]
    """

    measure: Callable[[int], Measure]

    @cached_property
    def levels(self) -> tuple[float, ...]:
        """The gains that documents may have."""
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
        """The lists with a better document at rank j than at rank i < j (0-based), and the same after a swap."""
        # The index of a list is its gains read as digits, of which a swap exchanges two.
        digits = np.searchsorted(self.levels, self.gains)
        worth = len(self.levels) ** np.arange(SIZE - 1, -1, -1)
        before = np.flatnonzero(digits[:, j] > digits[:, i])
        step = (digits[before, j] - digits[before, i]) * (worth[i] - worth[j])
        return before, np.asarray(before + step, dtype=np.int64)

    def text_of(self, number: int) -> str:
        """The text of a list.

        Examples
        --------
        >>> Lists(at_depth("metric", "P")).text_of(5)
        '0 0 0 1 0 1'
        """
        return " ".join(f"{gain:g}" for gain in self.gains[number])


def _all(levels: tuple[float, ...]) -> NDArray[np.float64]:
    return np.array(list(product(levels, repeat=SIZE)))


_CLOSE = 1e-12
_AT = DEPTH - 1  # the row of the scores at depth ``DEPTH``


@dataclass(frozen=True)
class Property:
    """Whether a property holds (``yes``, ``no``, ``by convention``, ``not decidable``), and the evidence."""

    name: str
    holds: str
    evidence: str


@cache
def seven(kind: str, name: str) -> tuple[Property, ...]:
    """The seven properties of a registered metric, on all lists of a small collection.

    Examples
    --------
    >>> [(each.name, each.holds) for each in seven("metric", "P")][1:4]
    [('monotonicity', 'no'), ('convergence', 'yes'), ('top-weightedness', 'no')]
    >>> seven("metric", "P")[3].evidence
    'at depth 3 the list 1 0 0 0 0 0 scores no more than 0 1 0 0 0 0 (0.333333)'
    """
    lists = Lists(at_depth(kind, name))
    properties = []
    for title, decide in _PROPERTIES.items():
        try:
            holds, evidence = decide(lists)
        except MetameterError as error:
            holds, evidence = "not decidable", error.what
        properties.append(Property(title, holds, evidence))
    return tuple(properties)


def _bounded(lists: Lists) -> tuple[str, str]:
    # Sums grow with the list, so one long list of best items is tried, too.
    long = lists.measure(50).score(Ranked.of_gains(np.full((1, 50), lists.levels[-1])))
    scores = np.append(lists.scores.ravel(), long)
    low, high = float(np.nanmin(scores)), float(np.nanmax(scores))
    within = low >= -_CLOSE and high <= 1 + _CLOSE
    return "yes" if within else "no", f"scores between {_round(low)} and {_round(high)} on {scores.size:,} lists"


def _monotone(lists: Lists) -> tuple[str, str]:
    falls = np.argwhere(np.diff(lists.scores, axis=0) < -_CLOSE)
    if not len(falls):
        return "yes", f"no score falls with the depth, on {lists.scores[1:].size:,} comparisons"
    depth, number = falls[0]
    fall = f"{_round(lists.scores[depth, number])} to {_round(lists.scores[depth + 1, number])}"
    return "no", f"the list {lists.text_of(number)} falls from {fall} between depth {depth + 1} and {depth + 2}"


def _rises(lists: Lists, pairs: Iterable[tuple[int, int]]) -> tuple[str, str]:
    scores, swaps = lists.scores[_AT], 0
    for i, j in pairs:
        before, after = lists.swapped(i, j)
        swaps += len(before)
        fails = np.flatnonzero(~(scores[after] > scores[before] + _CLOSE))
        if len(fails):
            worse, better = before[fails[0]], after[fails[0]]
            compared = f"{lists.text_of(better)} scores no more than {lists.text_of(worse)} ({_round(scores[worse])})"
            return "no", f"at depth {DEPTH} the list {compared}"
    return "yes", f"the score rises at depth {DEPTH} with each of {swaps:,} swaps"


def _convergent(lists: Lists) -> tuple[str, str]:
    return _rises(lists, product(range(DEPTH), range(DEPTH, SIZE)))


def _top_weighted(lists: Lists) -> tuple[str, str]:
    return _rises(lists, combinations(range(DEPTH), 2))


def _local(lists: Lists) -> tuple[str, str]:
    # In lexicographic order, lists with the same first ranks are adjacent.
    alike = lists.scores[_AT].reshape(len(lists.levels) ** DEPTH, -1)
    apart = np.argwhere(~np.isclose(alike, alike[:, :1], rtol=0, atol=_CLOSE, equal_nan=True))
    if not len(apart):
        return "yes", f"documents below depth {DEPTH} change none of {alike.size:,} scores"
    group, number = apart[0]
    pair = [int(group) * alike.shape[1], int(group) * alike.shape[1] + int(number)]
    difference = " but ".join(f"{lists.text_of(each)} scores {_round(lists.scores[_AT, each])}" for each in pair)
    return "no", f"at depth {DEPTH} the list {difference}"


def _complete(lists: Lists) -> tuple[str, str]:
    nothing = Ranked.of_gains(np.zeros((1, SIZE)))
    measure = lists.measure(DEPTH)
    score = float(measure.score(nothing)[0])
    if _is_zero_by_zero(measure, nothing):
        return "by convention", f"without a relevant document the formula is 0/0, which counts as {_round(score)}"
    return "yes" if np.isfinite(score) else "no", f"without a relevant document the score is {_round(score)}"


def _is_zero_by_zero(measure: Measure, nothing: Ranked) -> bool:
    """Whether the formula is 0/0 without a relevant document, which then has a value by convention."""
    if isinstance(measure, Product):
        return "no_relevant" in measure.model.parameters()
    return isinstance(measure, Summed) and not np.any(measure.divisor(nothing))


def _realisable(lists: Lists) -> tuple[str, str]:
    # Moffat's collections are binary: a document has the highest gain or none.
    none, most = lists.levels[0], lists.levels[-1]
    whole = np.isin(lists.gains, (none, most)).all(axis=1)
    relevant, scores = (lists.gains[whole] == most).sum(axis=1), lists.scores[_AT][whole]
    best = [float(scores[relevant == count].max()) for count in range(1, SIZE + 1)]
    short = [count for count, score in enumerate(best, start=1) if score < max(best) - _CLOSE]
    if not short:
        return "yes", f"{_round(max(best))} can be reached with 1 relevant document, as with {SIZE}"
    documents = f"{short[0]} relevant document{'s' if short[0] > 1 else ''}"
    return (
        "no",
        f"with {documents} no list scores more than {_round(best[short[0] - 1])}; others reach {_round(max(best))}",
    )


def _round(score: float) -> str:
    return f"{score:.6g}"


_PROPERTIES: dict[str, Callable[[Lists], tuple[str, str]]] = {
    "boundedness": _bounded,
    "monotonicity": _monotone,
    "convergence": _convergent,
    "top-weightedness": _top_weighted,
    "localisation": _local,
    "completeness": _complete,
    "realisability": _realisable,
}
