"""Scores of result pages: every distinct list of grades once, by every metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from metameter.errors import MetameterError
from metameter.judge.ranked import ABSENT, BEYOND, JUDGED, Judgments, Ranked
from metameter.metric.base import Measure
from metameter.notices import notice

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.types.pages import GradeLists, Labelled

__all__ = ["item_scores", "ranked_pages", "scale_of"]


def scale_of(pages: Labelled, max_grade: float | None) -> float:
    """The top of the grade scale: as given, or the highest grade that occurs, with a notice.

    Grades above the top are refused.
    """
    if max_grade is None:
        notice(f"max_grade is not given: the highest grade in {pages.source}, {pages.highest:g}, is taken")
        return pages.highest
    if not np.isfinite(max_grade) or max_grade <= 0:
        raise MetameterError(
            "max_grade is no positive number", given=max_grade, fix="Give the highest grade of the scale."
        )
    if pages.highest > max_grade:
        fix = "Raise max_grade, or correct the grade."
        raise MetameterError(
            "a grade is above max_grade",
            where=pages.source,
            given=pages.highest,
            allowed=f"at most {max_grade:g}",
            fix=fix,
        )
    return float(max_grade)


def ranked_pages(lists: GradeLists, max_grade: float) -> Ranked:
    """Pages as the evidence that metrics see: what is judged is what stands on the page itself.

    So the best possible list is the page's own results in falling order, and recall is that of the page.

    Examples
    --------
    >>> import polars as pl
    >>> from metameter.types.pages import GradeLists
    >>> ranked_pages(GradeLists.of(pl.Series([[1.0, None], [2.0]])), 2).status
    array([[ 2,  0],
           [ 2, -1]], dtype=int8)
    """
    known = ~np.isnan(lists.grades)
    # A grade below 0 is one for no gain at all, as in qrels.
    grade = np.where(known, np.maximum(lists.grades, 0.0), 0.0)
    beyond = np.arange(grade.shape[1]) >= lists.length[:, None]
    status = np.select([beyond, known], [BEYOND, JUDGED], ABSENT).astype(np.int8)
    ideal = -np.sort(-np.where(known, grade, -1.0), axis=1)
    names = tuple(str(number + 1) for number in range(len(grade)))
    return Ranked("pages", Judgments(names, ideal, max_grade), grade, status, lists.length)


def list_scores(pages: Labelled, measures: Sequence[Measure], max_grade: float) -> NDArray[np.float64]:
    """The scores of the distinct lists, (metrics, lists)."""
    ranked = ranked_pages(pages.lists[0], max_grade)
    return np.stack([np.asarray(measure.score(ranked), dtype=np.float64) for measure in measures])


def item_scores(pages: Labelled, measures: Sequence[Measure], max_grade: float) -> NDArray[np.float64]:
    """The scores of all items, (metrics, items): of a page its score, of a pair that of the second less the first's."""
    scores, shown = list_scores(pages, measures, max_grade), pages.lists[1]
    if shown.shape[1] == 1:
        return scores[:, shown[:, 0]]
    return np.asarray(scores[:, shown[:, 1]] - scores[:, shown[:, 0]])
