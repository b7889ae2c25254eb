"""Scores of result pages: every distinct list of grades once, by every metric."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.judge.ranked import ABSENT, BEYOND, JUDGED, POOLED, Judgments, Ranked
from metameter.metric.base import Measure
from metameter.metric.product import Product
from metameter.notices import notice
from metameter.parameters import Bounds
from metameter.scoring.measures import in_numbers, refuse_grades

if TYPE_CHECKING:
    from metameter.types.labelled_pages import GradeLists, Labelled


#: What a page provides besides its grades: their total, which is the page's own recall base.
_ON_A_PAGE = frozenset({"total_gain"})
#: What metrics need that a page has not.
_NEEDED = {
    "pool": "the runs that made the pool",
    "lengths": "the lengths of documents",
    "costs": "what it costs to look at each document",
}
#: Scores closer than this share of the largest are ties.
_TIED = 1e-12
_EVIDENCE = {"Faceted": "subtopics", "Sessions": "sessions"}


def scale_of(pages: Labelled, max_grade: float | None, name: str = "max_grade") -> float:
    """Return the top of the grade scale: ``max_grade``, or the highest grade that occurs, with a notice.

    Grades above the top are refused. ``name`` is what the option is called where judgments have a ``max_grade``, too.
    """
    if max_grade is None:
        notice(f"{name} is not given: the highest grade in {pages.source}, {pages.highest:g}, is taken")
        return pages.highest
    if not Bounds(0, low_open=True).contain(max_grade):
        raise MetameterError(
            f"{name} is no positive number", given=max_grade, fix="Give the highest grade of the scale."
        )
    if pages.highest > max_grade:
        fix = f"Raise {name}, or correct the grade."
        raise MetameterError(
            f"a grade is above {name}",
            where=pages.source,
            given=pages.highest,
            allowed=f"at most {max_grade:g}",
            fix=fix,
        )
    return float(max_grade)


def ranked_pages(lists: GradeLists, max_grade: float) -> Ranked:
    """Return pages as evidence for metrics: the judged documents are those on the page itself.

    So the ideal list is the page's own results in falling order, and recall is that of the page.

    Examples
    --------
    >>> import polars as pl
    >>> from metameter.types.labelled_pages import GradeLists
    >>> ranked_pages(GradeLists.of(pl.Series([[1.0, None], [2.0]])), 2).status
    array([[ 2,  0],
           [ 2, -1]], dtype=int8)
    """
    # A grade below 0 is no judgment, as in qrels: the document is known, its relevance is not.
    with np.errstate(invalid="ignore"):
        judged, pooled = lists.grades >= 0, lists.grades < 0
    beyond = np.arange(judged.shape[1]) >= lists.length[:, None]
    status = np.select([beyond, judged, pooled], [BEYOND, JUDGED, POOLED], ABSENT).astype(np.int8)
    ideal = -np.sort(-np.where(judged, lists.grades, -1.0), axis=1)
    names = tuple(str(number + 1) for number in range(len(judged)))
    judgments = Judgments(names, ideal, max_grade)
    return Ranked("pages", judgments, np.where(judged, lists.grades, 0.0), status, lists.length)


def require_pages(measures: Iterable[Measure]) -> None:
    """Refuse metrics that need more than the grades on a page: a pool of runs, subtopics, sessions, costs.

    Models of users with costs of their own for each document take 1 for each, as they do for runs without costs.

    Examples
    --------
    >>> from metameter.metric.compose import parse_metric
    >>> require_pages([parse_metric("nDCG@5"), parse_metric("RBP(p=0.8)*max")])
    """
    for measure in measures:
        needs = set(measure.needs) | set(measure.model.needs if isinstance(measure, Product) else ())
        missing = sorted(_NEEDED.get(each, each) for each in needs - _ON_A_PAGE)
        if not issubclass(Ranked, measure.evidence):
            missing = [_EVIDENCE.get(measure.evidence.__name__, measure.evidence.__name__)]
        if missing:
            raise MetameterError(
                f"{measure.name} needs {' and '.join(missing)}: a result page with grades is not enough",
                fix=f"Leave {measure.name} out; metrics of one list, such as nDCG@5 or RBP(p=0.8)*max, are possible.",
            )


def list_scores(pages: Labelled, measures: Sequence[Measure], max_grade: float) -> NDArray[np.float64]:
    """Return the scores of the distinct lists, (metrics, lists); metrics that a page is not enough for are refused."""
    require_pages(measures)
    grades = pages.lists[0].grades
    refuse_grades(measures, np.append(grades[grades >= 0], max_grade), where=pages.source)
    ranked = ranked_pages(pages.lists[0], max_grade)
    scored = (in_numbers(each, partial(each.score, ranked)) for each in measures)
    return np.stack([np.asarray(scores, dtype=np.float64) for scores in scored])


def item_scores(pages: Labelled, measures: Sequence[Measure], max_grade: float) -> NDArray[np.float64]:
    """Return the scores of all items, (metrics, items): of a page its score, of a pair the second's less the first's.

    Two scores that differ only by rounding count as equal.
    """
    scores, lists = list_scores(pages, measures, max_grade), pages.lists[1]
    if lists.shape[1] == 1:
        return scores[:, lists[:, 0]]
    equal = np.stack([_without_rounding(each) for each in scores])
    return np.asarray(equal[:, lists[:, 1]] - equal[:, lists[:, 0]])


def _without_rounding(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return scores with nearly equal ones made equal."""
    order = np.argsort(scores, kind="stable")
    ascending = scores[order]
    tolerance = _TIED * float(np.abs(ascending).max(initial=0.0))
    group = np.cumsum(np.diff(ascending, prepend=ascending[:1]) > tolerance)
    equal = np.empty_like(scores)
    equal[order] = ascending[np.searchsorted(group, group)]
    return equal


def leans_on_recall(pages: Labelled, measures: Sequence[Measure], max_grade: float) -> list[str]:
    """Return the names of metrics whose scores would change if a further relevant document were judged.

    Examples
    --------
    >>> import polars as pl
    >>> from metameter.metric.compose import parse_metrics
    >>> from metameter.types import Pages
    >>> pages = Pages.of(pl.DataFrame({"grades": [[1, 0]], "satisfaction": [1]}))
    >>> leans_on_recall(pages, parse_metrics(["nDCG@2", "RR", "RBP(p=0.8)*max", "AP1*ERG"]), 1)
    ['nDCG@2']
    """
    ranked = ranked_pages(pages.lists[0], max_grade)
    ideal = np.column_stack([np.full(len(ranked.judgments.ideal), max_grade), ranked.judgments.ideal])
    more = replace(ranked, judgments=replace(ranked.judgments, ideal=ideal))
    return [each.name for each in measures if not np.array_equal(each.score(ranked), each.score(more), equal_nan=True)]
