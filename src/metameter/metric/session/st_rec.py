"""st_rec: the share of subtopics that were covered by the end of an iteration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metameter.judge.sessions import Sessions
from metameter.metric.diversity.st_recall import StRecall
from metameter.metric.session.base import Officially
from metameter.registry import register

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SessionSubtopicRecall"]


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
