"""The metrics to score: parsed, refused where a grade has no gain, and computed without overflow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.judge.ranked import Ranked
from metameter.metric.base import Measure, require_evidence
from metameter.metric.compose import MetricLike, parse_metrics, several
from metameter.metric.presets import preset as metrics_of
from metameter.notices import notice
from metameter.read.qrels import location_of_judgment

if TYPE_CHECKING:
    from metameter.types import Qrels


T = TypeVar("T")

#: The metric of `score` and `compare` where none is named.
DEFAULT_METRIC = "nDCG@10"
_MOST_GRADES, _MOST_METRICS = 5, 8


def measure_of(metric: MetricLike, *, condensed: bool = False, evidence: type = Ranked) -> Measure:
    """Return the one metric that is named; refuse several, and one of another kind of ``evidence``.

    Examples
    --------
    >>> measure_of("RBP(p=0.8)")
    RBP(p=0.8)*ERG
    """
    measures = measures_of(metric, condensed=condensed, evidence=evidence)
    if len(measures) > 1:
        raise MetameterError("several metrics are given", given=metric, allowed="one metric", fix="Name one metric.")
    return measures[0]


def measures_of(
    metrics: MetricLike | Iterable[MetricLike],
    preset: str | Iterable[str] | None = None,
    *,
    condensed: bool = False,
    evidence: type = Ranked,
) -> list[Measure]:
    """Return the metrics that are named and those of the presets, each once, in order.

    A metric of another kind of ``evidence`` is refused.

    Examples
    --------
    >>> measures_of(["nDCG@10", "RBP(p=0.8)", "nDCG@10"])
    [nDCG@10, RBP(p=0.8)*ERG]
    >>> len(measures_of("AP", ["lu-2016", "moffat-2022"]))
    62
    """
    chosen = [metric for each in several(preset) for metric in metrics_of(each)]
    named = [*parse_metrics(metrics), *parse_metrics(chosen)]
    if not named:
        raise MetameterError("no metric is named", fix="Name one in metrics, such as nDCG@10, or choose a preset.")
    unique: dict[str, Measure] = {}
    for each in named:
        measure = each.condensed() if condensed else each
        unique.setdefault(measure.name, measure)
    require_evidence(unique.values(), evidence)
    return list(unique.values())


def or_default(metrics: Any, preset: Any) -> Any:
    """Return the metrics; nDCG@10, with a notice, if neither a metric nor a preset is named.

    Examples
    --------
    >>> or_default("AP", None), or_default((), "lu-2016")
    ('AP', ())
    """
    if several(metrics) or several(preset):
        return metrics
    notice(f"no metric is named: {DEFAULT_METRIC} is used; name others in metrics (-m)")
    return DEFAULT_METRIC


def check_grades(measures: Sequence[Measure], qrels: Qrels, max_grade: float) -> None:
    """Refuse grades that a metric has no gain for; give a notice of those that binary metrics do not count."""
    refuse_judged_grades(measures, qrels, max_grade)
    notice_uncounted_grades(measures, qrels)


def notice_uncounted_grades(measures: Iterable[Measure], qrels: Qrels) -> None:
    """Give a notice of grades between 0 and 1, which binary metrics count as not relevant unless ``rel`` is lower.

    Examples
    --------
    >>> from metameter.metric.compose import parse_metrics
    >>> from metameter.notices import collecting_notices
    >>> from metameter.read.qrels import read_qrels
    >>> qrels = read_qrels({"1": {"a": 0.5, "b": 0.25, "c": 1, "d": 0.5, "e": 0}})
    >>> with collecting_notices() as notices:
    ...     notice_uncounted_grades(parse_metrics(["AP", "nDCG@10", "P@10", "RR(rel=0.5)"]), qrels)
    >>> print(*notices)
    qrels: 3 of 4 grades above 0 are below 1 (0.25, 0.5), and AP, P@10 count only grades of 1 and above as relevant; set
    rel to count lower ones: AP(rel=0.5)
    """
    grade = qrels.rows.value
    above, below = int((grade > 0).sum()), grade[(grade > 0) & (grade < 1)]
    binary: list[Any] = [each for each in measures if each.evidence is Ranked and getattr(each, "rel", None) == 1]
    if not below.size or not binary:
        return
    rising = np.sort(below)
    grades = np.append(rising[:1], rising[1:][rising[1:] != rising[:-1]]).tolist()
    listed = ", ".join(f"{each:g}" for each in grades)
    listed = listed if len(grades) <= _MOST_GRADES else f"{grades[0]:g} to {grades[-1]:g}"
    names = [measure.name for measure in binary[:_MOST_METRICS]]
    more = len(binary) - len(names)
    names[-1:] = [names[-1] + (f" and {more} more" if more else "")]
    counts = "count" if len(binary) > 1 else "counts"
    notice(
        f"{qrels.source}: {below.size:,} of {above:,} grades above 0 are below 1 ({listed}), and {', '.join(names)} "
        f"{counts} only grades of 1 and above as relevant; set rel to count lower ones: {replace(binary[0], rel=0.5)}"
    )


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
            topic, doc, grade_of_doc = qrels.table.row(int((grade == unvalued[-1]).argmax()))
            what = f"document {doc!r} of topic {topic!r} has a grade that {measure.name} has no gain for"
            raise _refusal(measure, what, grade_of_doc, location_of_judgment(qrels, topic, doc))
    refuse_grades(measures, np.array([max_grade]) if grades.size else grades, "the top of the scale is")


def refuse_grades(
    measures: Iterable[Measure], grades: NDArray[np.float64], what: str = "a grade is", where: str | None = None
) -> None:
    """Refuse grades, given without their documents, that one of the metrics has no gain for."""
    for measure in measures:
        unvalued = grades[~measure.knows(grades)] if measure.scaled or where else grades[:0]
        if unvalued.size:
            raise _refusal(measure, f"{what} one that {measure.name} has no gain for", float(unvalued.max()), where)


def _refusal(measure: Measure, what: str, grade: float, where: str | None) -> MetameterError:
    fix = "Correct the grade, or choose another gain."
    return MetameterError(what, where=where, given=grade, allowed=measure.grades_allowed, fix=fix)


def in_numbers(measure: Measure, compute: Callable[[], T]) -> T:
    """Return the result of ``compute``; refuse the metric by its name if a step overflows or is undefined.

    NumPy would only warn and go on with infinity or NaN, and a score could be wrong without being empty.

    Examples
    --------
    >>> from metameter.metric.compose import parse_metric
    >>> in_numbers(parse_metric("nDCG"), lambda: np.float64(1e200) * 1e200)
    Traceback (most recent call last):
    metameter.errors.MetameterError: nDCG: there is no number for its score: overflow encountered in scalar multiply.
    Choose smaller grades, gains or parameters.
    """
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            return compute()
    except FloatingPointError as error:
        what = f"{measure.name}: there is no number for its score: {error}"
        raise MetameterError(what, fix="Choose smaller grades, gains or parameters.") from error
