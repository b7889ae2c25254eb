"""EU: expected utility."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from metameter.judge.sessions import Sessions
from metameter.metric.classic.base import divide
from metameter.metric.session.utility import Utility
from metameter.registry import register


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


@register("metric", "nEU")
@dataclass(frozen=True, repr=False)
class NEU(Utility):
    r"""A user who learns from what they read, at a cost: the expected utility, between the worst and the best there is.

    .. math:: nEU@K = \frac{EU@K - low_K}{high_K - low_K}

    high: every nugget's documents where they are most read, at the cost of the shortest documents of the collection;
    low: nothing learnt, at the cost of the longest; both for K iterations that show as many documents as they can. A
    full session does not reach 1, since no list has both; a session that ended early may exceed it, since it costs less
    than high charges, and one that showed nothing is above 0. As the costs are those of the whole collection, scores of
    large collections are all close to 1. The official scorer leaves some places of a full last list empty when it
    counts costs, so that scores slightly below 0 occur; the corrected form fills them.

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
    tang2017, yang2009

    Examples
    --------
    The only nugget at rank 1, where it is most read; documents without words.

    >>> NEU()([1, 0]), NEU()([0, 0])
    (1.0, 0.0)
    """

    reference = "tang2017"

    def values(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """The utility between its bounds."""
        low, high = self.bounds_after(sessions, iterations)
        return divide(self.utility(sessions, iterations) - low, high - low)

    def bounds_after(
        self, sessions: Sessions, iterations: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The lowest and the highest utility after each of these iterations: topics x iterations."""
        rising = cast("NDArray[np.float64]", sessions.with_words().lengths)
        page = sessions.page
        least, most = (self.words_read(lengths, page, iterations) for lengths in (rising, rising[::-1]))
        gain = self.most_gain(sessions.facets, page, iterations)
        return np.broadcast_to(-self.a * most, gain.shape), gain - self.a * least
