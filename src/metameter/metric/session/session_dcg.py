"""sDCG: session discounted cumulated gain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.judge.sessions import Sessions
from metameter.metric.classic.base import above, divide
from metameter.metric.session.base import OfficialForm
from metameter.registry import register


@dataclass(frozen=True, repr=False)
class Discounted(OfficialForm):
    """The base of sDCG and nsDCG: gain discounted by rank and iteration.

    Parameters
    ----------
    k : int, optional
        The session is cut after k iterations.
    b, bq : number above 1
        The bases of the logarithms that discount ranks and iterations.
    form : official or corrected
        Whether a rating of -1 is used as a number, as by the official scorer, or counts as marginally relevant.
    """

    b: float = above(1, default=2)
    bq: float = above(1, default=4)

    def attention(self, position: NDArray[np.int64], iteration: NDArray[np.int64]) -> NDArray[np.float64]:
        """The discount factor at this rank of this iteration."""
        rank = 1.0 + np.log(position) / np.log(self.b)
        return np.asarray(1.0 / (rank * (1.0 + np.log(iteration) / np.log(self.bq))))

    def discounted(self, sessions: Sessions) -> NDArray[np.float64]:
        """The discounted gain of each document: topics x depth."""
        seen, shape = sessions.seen, sessions.grade.shape
        cell = seen.topic * shape[1] + seen.position
        gain = np.bincount(cell, weights=seen.ratings(self.rule), minlength=shape[0] * shape[1]).reshape(shape)
        return gain * self.attention(np.maximum(sessions.position, 1), sessions.iteration)

    def best(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """The sDCG of the best session after each of these iterations: topics x iterations."""
        gains = sessions.facets.once(("best gains", self.rule), lambda: self._gains(sessions))
        return np.stack([self._best(gains, sessions.page_size, int(n)) for n in iterations], axis=1)

    def _best(self, gains: NDArray[np.float64], page: int, n: int) -> NDArray[np.float64]:
        documents = gains.shape[1]
        # At least j * q - 1 positions are better than rank j of iteration q, so few documents do not reach it.
        iteration = np.arange(1, min(n, documents) + 1)
        ranks = np.minimum(page, documents // iteration)
        position = np.arange(1, ranks.sum() + 1) - np.repeat(np.cumsum(ranks) - ranks, ranks)
        attention = -np.sort(-self.attention(position, np.repeat(iteration, ranks)))[:documents]
        return np.asarray((gains[:, : attention.size] * attention).sum(axis=1))

    def _gains(self, sessions: Sessions) -> NDArray[np.float64]:
        """The gains of all documents of each topic, in descending order."""
        truth = sessions.facets.passages
        document, first = np.unique(truth.position, return_index=True)
        gain = np.bincount(
            np.searchsorted(document, truth.position), weights=truth.ratings(self.rule), minlength=document.size
        )
        topic = truth.topic[first]
        order = np.lexsort((-gain, topic))
        count = np.bincount(topic, minlength=len(sessions.length))
        gains = np.zeros((count.size, int(count.max(initial=0))))
        at = np.arange(topic.size) - np.repeat(np.cumsum(count) - count, count)
        gains[topic[order], at] = gain[order]
        return gains


@register("metric", "sDCG")
@dataclass(frozen=True, repr=False)
class SessionDCG(Discounted):
    r"""A user whose attention falls with every rank and with every further query: the discounted gain of the session.

    .. math:: sDCG@K = \sum_{q \le K} \sum_j \frac{gain(d_{qj})}{(1 + \log_b j)(1 + \log_{bq} q)}

    where the gain of a document is the sum of the ratings of all its passages, whatever their subtopics.

    Parameters
    ----------
    k : int, optional
        The session is cut after k iterations.
    b : number above 1
        The base of the logarithm that discounts ranks.
    bq : number above 1
        The base of the logarithm that discounts iterations.
    form : official or corrected
        Use a rating of -1 as it is, like the official scorer of 2017, or count it as marginally relevant (1), like 0.

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


@register("metric", "nsDCG")
@dataclass(frozen=True, repr=False)
class NSessionDCG(Discounted):
    r"""A user whose attention falls with rank and query: the discounted gain, relative to the best possible session.

    .. math:: nsDCG@K = sDCG@K / sDCG^*@K

    The best session puts the documents with the most gain at the positions with the most attention, in K iterations of
    as many documents as an iteration can show (5 in TREC Dynamic Domain). Without a relevant document the score is 0.

    Parameters
    ----------
    k : int, optional
        The session is cut after k iterations.
    b : number above 1
        The base of the logarithm that discounts ranks.
    bq : number above 1
        The base of the logarithm that discounts iterations.
    form : official or corrected
        Use a rating of -1 as it is, like the official scorer of 2017, or count it as marginally relevant (1), like 0.

    References
    ----------
    tang2017, jarvelin2008

    Examples
    --------
    The two documents are in the wrong order: (.5 + 1/2) / (1 + .5/2).

    >>> NSessionDCG()([0.5, 1])
    0.8
    """

    reference = "tang2017"

    def values(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """The discounted gain of all documents shown, divided by that of the best session."""
        return divide(sessions.until(self.discounted(sessions), iterations), self.best(sessions, iterations))
