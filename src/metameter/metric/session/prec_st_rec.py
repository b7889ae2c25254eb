"""prec: the share of relevant documents among all that were shown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.judge.sessions import Sessions
from metameter.metric.classic.base import divide
from metameter.metric.diversity.st_recall import StRecall
from metameter.metric.session.base import Officially, SessionMetric
from metameter.registry import register


@register("metric", "prec")
@dataclass(frozen=True, repr=False)
class SessionPrecision(SessionMetric):
    r"""A user reads all that is shown; how much of it is relevant to any subtopic.

    .. math:: prec@K = \frac{\mbox{relevant documents shown in K iterations}}{\mbox{documents shown in K iterations}}

    What counts below the line are documents that were shown, not those that could have been: a session that ended
    after 25 documents, 13 of them relevant, has .52 ever after. The simple metric of relevance.

    Parameters
    ----------
    k : int, optional
        The session ends after k iterations.

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
        """Relevant documents shown, of all documents shown."""
        return divide(sessions.until(sessions.on_topic.astype(np.float64), iterations), sessions.end(iterations))

    def cells(self, sessions: Sessions) -> NDArray[np.float64]:
        """Each relevant document, of all shown."""
        return divide(sessions.on_topic, sessions.length[:, None])


@register("metric", "st_rec")
@dataclass(frozen=True, repr=False)
class SessionSubtopicRecall(Officially):
    r"""A user wants something on every subtopic; how many have been covered by the end of an iteration.

    .. math:: st\_rec@K = \frac{\mbox{subtopics covered after K iterations}}{M}

    M subtopics have a relevant document. In its official form it looks at the first 5K documents of a TREC session (of
    K iterations that show 5 each), even where iterations showed fewer and further ones have come into view. The simple
    metric of diversity.

    Parameters
    ----------
    k : int, optional
        The session ends after k iterations.
    form : official or corrected
        Of TREC runs the first 5K documents, or those of the first K iterations.

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
        """Subtopics covered, of all that could be."""
        if self.official and sessions.ruled:
            # Below the list there is nothing to cover, however many iterations are asked for.
            shown = np.minimum(sessions.page * iterations, max(sessions.depth, 1))
            return StRecall().curve(sessions, shown.tolist())
        return np.stack([StRecall().score(sessions.first(int(n))) for n in iterations], axis=1)
