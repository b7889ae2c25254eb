"""Grades that a metric has no gain for: refused before the first run is read, with the document that has one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from metameter.errors import MetameterError
from metameter.metric.base import Measure
from metameter.read.judgment_places import place_of_judgment

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.types import Qrels

__all__ = ["refuse_grades", "refuse_judged_grades"]


def refuse_judged_grades(measures: Iterable[Measure], qrels: Qrels, max_grade: float) -> None:
    """Refuse judgments with a grade, or a scale with a top, that one of the metrics has no gain for.

    Examples
    --------
    >>> from metameter.metric.compose import parse_metrics
    >>> from metameter.read.qrels import read_qrels
    >>> refuse_judged_grades(parse_metrics(["nDCG", "ERR@10"]), read_qrels({"1": {"d": 2000}}), 2000)
    Traceback (most recent call last):
    metameter.errors.MetameterError: qrels: document 'd' of topic '1' has a grade that ERR*ERR@10 has no gain for (given
    2000.0, allowed: grades up to 1000 with exponential gain). Correct the grade, or choose another gain.
    """
    grade = qrels.rows.value
    rising = np.sort(grade[grade >= 0])  # np.unique imports all of numpy.ma
    grades = np.append(rising[:1], rising[1:][rising[1:] != rising[:-1]])
    for measure in measures:
        unvalued = grades[~measure.knows(grades)]
        if unvalued.size:
            topic, doc, given = qrels.table.row(int((grade == unvalued[-1]).argmax()))
            what = f"document {doc!r} of topic {topic!r} has a grade that {measure.name} has no gain for"
            raise _refusal(measure, what, given, place_of_judgment(qrels, topic, doc))
    refuse_grades(measures, np.array([max_grade]) if grades.size else grades, "the top of the scale is")


def refuse_grades(
    measures: Iterable[Measure], grades: NDArray[np.float64], what: str = "a grade is", where: str | None = None
) -> None:
    """Refuse grades, of which no more is known, that one of the metrics has no gain for."""
    for measure in measures:
        unvalued = grades[~measure.knows(grades)] if measure.scaled or where else grades[:0]
        if unvalued.size:
            raise _refusal(measure, f"{what} one that {measure.name} has no gain for", float(unvalued.max()), where)


def _refusal(measure: Measure, what: str, given: float, where: str | None) -> MetameterError:
    fix = "Correct the grade, or choose another gain."
    return MetameterError(what, where=where, given=given, allowed=measure.grades_allowed, fix=fix)
