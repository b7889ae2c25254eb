"""EU: expected utility."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metameter.judge.sessions import Sessions
from metameter.metric.session.utility import Utility
from metameter.registry import register

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["EU"]


@register("metric")
@dataclass(frozen=True, repr=False)
class EU(Utility):
    r"""A user reads down each list and stops after any document with probability p: what they learn, less words read.

    .. math:: EU@K = \sum_{nuggets} rating \, \frac{1 - \gamma^{m}}{1 - \gamma}
              - a \sum_{lists} \sum_s P(stop = s) \, words(1..s)

    m is how often a nugget is expected to be read in the first K iterations: each passage that says it counts
    (1-p)^(i-1) at rank i of its list. It needs the lengths of documents; the official scorer forgets users who stop at
    a document without one, the corrected form takes it as empty.

    Parameters
    ----------
    k : int, optional
        The session ends after k iterations.
    a : number of at least 0
        What reading a word costs.
    form : official or corrected
        The arithmetic of the official scorer of 2017, with its quirks, or without them.
    gamma : number in [0, 1)
        What a nugget is worth when it was read once more before.
    p : number in [0, 1)
        The probability of stopping after a document.

    References
    ----------
    yang2009

    Examples
    --------
    Documents without words; the nugget at rank 2 is read by half of the users: (1 - .5^.5) / .5.

    >>> round(EU()([0, 1]), 4)
    0.5858
    """

    reference = "yang2009"

    def values(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """What is learnt less what it costs."""
        return self.utility(sessions, iterations)
