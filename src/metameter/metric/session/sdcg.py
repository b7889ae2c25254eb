"""sDCG: session discounted cumulated gain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metameter.judge.sessions import Sessions
from metameter.metric.session.discounted import Discounted
from metameter.registry import register

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SessionDCG"]


@register("metric", "sDCG")
@dataclass(frozen=True, repr=False)
class SessionDCG(Discounted):
    r"""A user whose attention falls with every rank, and with every further query of the session.

    .. math:: sDCG@K = \sum_{q \le K} \sum_j \frac{gain(d_{qj})}{(1 + \log_b j)(1 + \log_{bq} q)}

    where the gain of a document is the sum of the ratings of all its passages, whatever their subtopics.

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
    jarvelin2008

    Examples
    --------
    The second document counts half: 1 + log2(2) = 2.

    >>> SessionDCG()([1, 1])
    1.5
    """

    reference = "jarvelin2008"

    def values(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """The discounted gain of all documents shown."""
        return sessions.until(self.discounted(sessions), iterations)

    def cells(self, sessions: Sessions) -> NDArray[np.float64]:
        """The discounted gain of each document."""
        return self.discounted(sessions)
