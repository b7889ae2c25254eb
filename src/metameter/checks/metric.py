"""Laws of metrics."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metameter.checks.identity import IDENTITY, REFERENCE
from metameter.checks.law import Law
from metameter.checks.lists import DEPTH, gains, unequal, written
from metameter.judge.ranked import Ranked
from metameter.metric.base import Measure
from metameter.metric.product import Product

_DEPTHS = (1, 2, 5, DEPTH, DEPTH + 5)


def _score(measure: Measure, values: NDArray[np.float64]) -> NDArray[np.float64]:
    return measure.score(Ranked.of_gains(values))


def _wrong_shape(measure: Measure) -> str | None:
    scores = _score(measure, gains())
    if scores.shape != (len(gains()),) or scores.dtype != np.float64:
        return f"of {len(gains())} lists its scores are an array of {scores.dtype}, {scores.shape}"
    return None


def _differs(measure: Measure, one: NDArray[np.float64], other: NDArray[np.float64], why: str) -> str | None:
    at = unequal(one, other)
    return None if at is None else f"the list {written(gains()[at[0]])} scores {one[at]:.9g} or {other[at]:.9g}, {why}"


def _nondeterministic(measure: Measure) -> str | None:
    first, second = _score(measure, gains()), _score(measure, gains())
    same = first.tobytes() == second.tobytes()
    return None if same else "scoring the same lists twice gives other numbers"


def _dependent_on_other_lists(measure: Measure) -> str | None:
    alone = np.array([_score(measure, row[None])[0] for row in gains()])
    return _differs(measure, alone, _score(measure, gains()), "by itself or among others")


def _dependent_on_padding(measure: Measure) -> str | None:
    if not isinstance(measure, Product):
        return None  # a classical metric may count the documents of the list
    longer = np.pad(gains(), ((0, 0), (0, 9)))
    return _differs(measure, _score(measure, gains()), _score(measure, longer), "without or with zeros at the end")


def _unlike_its_curve(measure: Measure) -> str | None:
    ranked = Ranked.of_gains(gains())
    if "pool" in measure.needs:
        return None
    curve = measure.curve(ranked, _DEPTHS)
    alone = np.stack([measure.at(k).score(Ranked.of_gains(gains())) for k in _DEPTHS], axis=1)
    at = unequal(curve, alone)
    if at is None:
        return None
    cut = measure.at(_DEPTHS[at[1]])
    return f"the list {written(gains()[at[0]])} has {curve[at]:.9g} on its curve where {cut} scores {alone[at]:.9g}"


def _dependent_beyond_reach(measure: Measure) -> str | None:
    if measure.reach is None:
        return None
    ranked = Ranked.of_gains(gains())
    why = f"whole or cut after {measure.reach}, the deepest rank that it is said to look at"
    return _differs(measure, measure.score(ranked), measure.score(ranked.cut(measure.reach)), why)


def _wrong_when_condensed(measure: Measure) -> str | None:
    if not measure.condensable:
        return None
    holes = np.insert(gains(), [1, 4, DEPTH], np.nan, axis=1)
    condensed = measure.condensed()
    if condensed.condensed() != condensed:
        return f"{condensed} condensed once more is {condensed.condensed()}"
    why = "by itself or condensed from a list with unjudged documents"
    return _differs(measure, _score(condensed, gains()), _score(condensed, holes), why)


def _dependent_on_order(measure: Measure) -> str | None:
    if not measure.unordered:
        return None
    whole = measure.at(DEPTH)
    return _differs(measure, _score(whole, gains()), _score(whole, gains()[:, ::-1]), "as it stands or turned round")


def _unexplained(measure: Measure) -> str | None:
    columns = measure.explain(Ranked.of_gains(gains()))
    lacking = {"rank", "contribution"} - set(columns)
    if lacking:
        return f"its explanation has no column {', '.join(sorted(lacking))}"
    shapes = {np.shape(values) for values in columns.values()}
    return None if len(shapes) == 1 else f"the columns of its explanation have the shapes {sorted(shapes)}"


METRIC = (
    *IDENTITY,
    REFERENCE,
    Law("score", "a score is one floating-point number a topic", _wrong_shape),
    Law("twice", "the same lists score the same, bit by bit", _nondeterministic, ("score",)),
    Law("batch", "a list scores the same by itself and among others", _dependent_on_other_lists, ("score", "twice")),
    Law(
        "zeros",
        "items without gain at the end do not change the score of a product",
        _dependent_on_padding,
        ("score", "twice"),
    ),
    Law("curve", "`curve` gives at each depth the score of `at`", _unlike_its_curve, ("score", "twice")),
    Law("reach", "what lies below `reach` does not change the score", _dependent_beyond_reach, ("score", "twice")),
    Law("condense", "of a condensed list only the judged documents count", _wrong_when_condensed, ("score", "twice")),
    Law("order", "what is `unordered` scores a list the same in any order", _dependent_on_order, ("score", "twice")),
    Law("explanation", "`explain` has a row a rank, with its rank and contribution", _unexplained, ("score",)),
)
