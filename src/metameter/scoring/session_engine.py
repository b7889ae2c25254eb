"""Runs in iterations meet judgments by subtopic: metrics x topics x iterations, one run at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from metameter.judge.facets import Facets, document_qrels, facets_of
from metameter.judge.index import Index, index_judgments
from metameter.judge.sessions import Sessions, align_session
from metameter.judge.words import Words
from metameter.metric.base import Measure
from metameter.metric.session.base import SessionMetric
from metameter.scoring.grades import refuse_judged_grades
from metameter.scoring.numbers import in_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.types import SessionRun, Truth

__all__ = ["PreparedSessions", "score_session"]


@dataclass(frozen=True, eq=False)
class PreparedSessions:
    """What is shared by all runs.

    Attributes
    ----------
    index, facets
        The judgments: of documents, and by subtopic.
    words : Words, optional
        How long documents are.
    page : int
        How many documents an iteration can show.
    """

    index: Index
    facets: Facets
    words: Words | None
    page: int

    @classmethod
    def of(cls, truth: Truth, words: Words | None, page: int, measures: Iterable[Measure] = ()) -> PreparedSessions:
        """Prepare the judgments; grades that one of the metrics has no gain for are refused."""
        qrels = document_qrels(truth)
        refuse_judged_grades(measures, qrels, qrels.max_grade)
        return cls(index_judgments(qrels), facets_of(truth, qrels), words, page)


def score_session(
    run: SessionRun,
    *,
    prepared: PreparedSessions,
    measures: list[Measure],
    after: NDArray[np.int64],
    missing: str,
    form: str,
) -> NDArray[np.float64]:
    """The scores of one run: metrics x topics x iterations."""
    sessions = align_session(run, prepared.index, prepared.facets, prepared.words, prepared.page)
    scores = _scored(measures, sessions, after, ahead=form == "official" and sessions.ruled)
    return np.where((sessions.used == 0)[:, None], np.nan, scores) if missing == "skip" else scores


def _scored(
    measures: list[Measure], sessions: Sessions, iterations: NDArray[np.int64], *, ahead: bool
) -> NDArray[np.float64]:
    """Metrics x topics x iterations; where lists look ahead, documents are counted, wherever iterations end."""
    scores = np.empty((len(measures), len(sessions.length), iterations.size))
    of_lists = [(row, measure) for row, measure in enumerate(measures) if not isinstance(measure, SessionMetric)]
    for row, measure in enumerate(measures):
        if isinstance(measure, SessionMetric):
            scores[row] = in_numbers(measure, partial(measure.after, sessions, iterations))
        elif ahead:
            cuts = _cuts(measure, sessions, iterations).tolist()
            scores[row] = in_numbers(measure, partial(measure.curve, sessions, cuts))
    for place, number in enumerate(iterations.tolist() if of_lists and not ahead else []):
        # Documents of further iterations are not there yet, even where these iterations showed fewer than they could.
        listed = sessions.first(number)
        for row, measure in of_lists:
            cut = int(_cuts(measure, sessions, iterations)[place])
            scores[row, :, place] = in_numbers(measure, partial(measure.at(cut).score, listed))
    return scores


def _cuts(measure: Measure, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.int64]:
    """After how many documents the list is cut: as many as can be shown, or as the metric itself says."""
    own = getattr(measure, "k", None) or getattr(measure, "cut", None)
    shown = sessions.page * iterations
    return shown if own is None else np.minimum(shown, own)
