"""prec: the share of relevant documents among all that were shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metameter.judge.sessions import Sessions
from metameter.metric.classic.base import divide
from metameter.metric.session.base import SessionMetric
from metameter.registry import register

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SessionPrecision"]


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
