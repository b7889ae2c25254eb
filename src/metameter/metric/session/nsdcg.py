"""nsDCG: session discounted cumulated gain against the best session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metameter.judge.sessions import Sessions
from metameter.metric.classic.base import divide
from metameter.metric.session.discounted import Discounted
from metameter.registry import register

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NSessionDCG"]


@register("metric", "nsDCG")
@dataclass(frozen=True, repr=False)
class NSessionDCG(Discounted):
    r"""A user whose attention falls with rank and query; what they gain, against the best session of all.

    .. math:: nsDCG@K = sDCG@K / sDCG^*@K

    The best session has the documents with the most gain in the places with the most attention, of K iterations that
    show as many documents as an iteration can (5 in TREC Dynamic Domain). Without a relevant document the score is 0.

    Parameters
    ----------
    k : int, optional
        The session ends after k iterations.
    b : number above 1
        The base of the logarithm that discounts ranks.
    bq : number above 1
        The base of the logarithm that discounts iterations.
    form : official or corrected
        A rating of -1 as the official scorer of 2017 takes it, or, like 0, as marginally relevant (1).

    References
    ----------
    tang2017, jarvelin2008

    Examples
    --------
    The wrong way round: (.5 + 1/2) / (1 + .5/2).

    >>> NSessionDCG()([0.5, 1])
    0.8
    """

    reference = "tang2017"

    def values(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """The discounted gain of all documents shown, against the best."""
        return divide(sessions.until(self.discounted(sessions), iterations), self.best(sessions, iterations))
