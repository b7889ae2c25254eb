"""prec, st_rec, tot_time, r_it and neg_it: simple metrics of relevance, diversity and effort in a session."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.judge.sessions import Sessions
from metameter.metric.classic.base import divide
from metameter.metric.diversity.intent_aware import StRecall
from metameter.metric.session.base import OfficialForm, SessionMetric
from metameter.registry import register


@register("metric", "prec")
@dataclass(frozen=True, repr=False)
class SessionPrecision(SessionMetric):
    r"""A user reads everything that is shown: the share of it that is relevant to any subtopic.

    .. math:: prec@K = \frac{\mbox{relevant documents shown in K iterations}}{\mbox{documents shown in K iterations}}

    The denominator counts the documents that were shown, not those that could have been: a session that ends after 25
    documents, 13 of them relevant, keeps .52 from then on. The simple metric of relevance.

    Parameters
    ----------
    k : int, optional
        The session is cut after k iterations.

    References
    ----------
    albahem2019

    Examples
    --------
    >>> SessionPrecision()([1, 0, 0.5, 0])
    0.5
    """

    reference = "albahem2019"

    def values(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """The share of the documents shown that is relevant."""
        return divide(sessions.until(sessions.on_topic.astype(np.float64), iterations), sessions.stop(iterations))

    def cells(self, sessions: Sessions) -> NDArray[np.float64]:
        """Each relevant document adds one over the number of documents shown."""
        return divide(sessions.on_topic, sessions.length[:, None])


@register("metric", "st_rec")
@dataclass(frozen=True, repr=False)
class SessionSubtopicRecall(OfficialForm):
    r"""A user wants something on every subtopic: the share of subtopics covered by the end of an iteration.

    .. math:: st\_rec@K = \frac{\mbox{subtopics covered after K iterations}}{M}

    where M subtopics have a relevant document. The official form uses the first 5K documents of a TREC session, whose K
    iterations show 5 each, even if iterations showed fewer and these documents belong to later ones. The simple metric
    of diversity.

    Parameters
    ----------
    k : int, optional
        The session is cut after k iterations.
    form : official or corrected
        The first 5K documents of TREC runs, or those of the first K iterations.

    References
    ----------
    albahem2019, zhai2003

    Examples
    --------
    A list without subtopics has one.

    >>> SessionSubtopicRecall()([0, 1]), SessionSubtopicRecall()([0, 0])
    (1.0, 0.0)
    """

    reference = "zhai2003"

    def values(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """The share of the subtopics that is covered."""
        if self.official and sessions.ruled:
            # No subtopic is covered below the end of the list, so deeper cuts need not be computed.
            depths = np.minimum(sessions.page_size * iterations, max(sessions.depth, 1))
            return StRecall().curve(sessions, depths.tolist())
        return np.stack([StRecall().score(sessions.first(int(n))) for n in iterations], axis=1)


# Seconds to read a summary, to read a word and to judge a document; the shares of relevant and of other documents that
# are opened. From the calibration of time-biased gain.
_SUMMARY, _WORD, _JUDGING = 4.4, 0.018, 7.8
_OPENED, _OPENED_NOT_RELEVANT = 0.64, 0.39


@register("metric", "tot_time")
@dataclass(frozen=True, repr=False)
class TotalTime(SessionMetric):
    r"""A user reads every summary and opens some documents, more of the relevant ones: minus the seconds it takes.

    .. math:: tot\_time@K = -\sum_d \left[ 4.4 + P_d \, (0.018 \, words_d + 7.8) \right]

    summed over the documents of the first K iterations; P_d is .64 for a relevant document and .39 for others. The sign
    makes higher scores better, as for all simple metrics (the paper's formula is the positive sum, its scores are
    negative). It needs the lengths of documents; one without a length counts as empty. The simple metric of effort.

    Parameters
    ----------
    k : int, optional
        The session is cut after k iterations.

    References
    ----------
    albahem2019, smucker2012

    Examples
    --------
    Documents have no words: -(4.4 + .64 * 7.8) - (4.4 + .39 * 7.8).

    >>> round(TotalTime()([1, 0]), 3)
    -16.834
    """

    reference = "smucker2012"

    @property
    def needs(self) -> frozenset[str]:
        """The lengths of documents."""
        return frozenset({"lengths"})

    def values(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """Minus the time of all documents shown."""
        return sessions.until(self.cells(sessions), iterations)

    def cells(self, sessions: Sessions) -> NDArray[np.float64]:
        """Minus the time that each document takes."""
        opened = np.where(sessions.on_topic, _OPENED, _OPENED_NOT_RELEVANT)
        seconds = _SUMMARY + opened * (_WORD * np.nan_to_num(sessions.with_lengths().lengths) + _JUDGING)
        return np.where(np.arange(sessions.depth) < sessions.length[:, None], -seconds, 0.0)


@register("metric", "r_it")
@dataclass(frozen=True, repr=False)
class ReciprocalIterations(SessionMetric):
    r"""A user to whom every iteration is an effort: one over the number of iterations.

    .. math:: r\_it@K = 1 / \min(K, iterations)

    A simple metric of effort; 0 for topics that are missing from the run, if they are scored.

    Parameters
    ----------
    k : int, optional
        The session is cut after k iterations.

    References
    ----------
    albahem2019

    Examples
    --------
    A list is a session of one iteration.

    >>> ReciprocalIterations()([1, 0])
    1.0
    """

    reference = "albahem2019"

    def values(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """One over the iterations used so far."""
        return divide(np.ones((len(sessions.length), iterations.size)), sessions.time(iterations))


@register("metric", "neg_it")
@dataclass(frozen=True, repr=False)
class NegativeIterations(SessionMetric):
    r"""A user to whom every iteration is an effort: minus the number of iterations.

    .. math:: neg\_it@K = -\min(K, iterations)

    A simple metric of effort; 0 for topics that are missing from the run, if they are scored.

    Parameters
    ----------
    k : int, optional
        The session is cut after k iterations.

    References
    ----------
    albahem2019

    Examples
    --------
    A list is a session of one iteration.

    >>> NegativeIterations()([1, 0])
    -1.0
    """

    reference = "albahem2019"

    def values(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """Minus the iterations used so far."""
        return np.asarray(0.0 - sessions.time(iterations), dtype=np.float64)
