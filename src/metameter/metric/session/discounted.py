"""Gain discounted by rank and by iteration: what sDCG and nsDCG share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metameter.judge.sessions import Sessions
from metameter.metric.classic.base import above
from metameter.metric.session.base import Officially

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Discounted"]


@dataclass(frozen=True, repr=False)
class Discounted(Officially):
    """A metric of gain that falls with rank and iteration.

    Parameters
    ----------
    k : int, optional
        The session ends after k iterations.
    b, bq : number above 1
        The bases of the logarithms that discount ranks and iterations.
    form : official or corrected
        The arithmetic of the official scorer, or ratings of -1 as marginal, too.
    """

    b: float = above(1, default=2)
    bq: float = above(1, default=4)

    def attention(self, position: NDArray[np.int64], iteration: NDArray[np.int64]) -> NDArray[np.float64]:
        """What is left of a gain at this rank of this iteration."""
        rank = 1.0 + np.log(position) / np.log(self.b)
        return np.asarray(1.0 / (rank * (1.0 + np.log(iteration) / np.log(self.bq))))

    def discounted(self, sessions: Sessions) -> NDArray[np.float64]:
        """What each document is worth where it stands: topics x depth."""
        seen, shape = sessions.seen, sessions.grade.shape
        cell = seen.topic * shape[1] + seen.place
        gain = np.bincount(cell, weights=seen.ratings(self.rule), minlength=shape[0] * shape[1]).reshape(shape)
        return gain * self.attention(np.maximum(sessions.position, 1), sessions.iteration)

    def best(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """The best documents in the best places, after each of these iterations: topics x iterations."""
        gains = sessions.facets.once(("best gains", self.rule), lambda: self._gains(sessions))
        return np.stack([self._best(gains, sessions.page, int(n)) for n in iterations], axis=1)

    def _best(self, gains: NDArray[np.float64], page: int, n: int) -> NDArray[np.float64]:
        documents = gains.shape[1]
        # Rank j of iteration q is worse than j * q - 1 other places: with fewer documents nothing stands there.
        iteration = np.arange(1, min(n, documents) + 1)
        ranks = np.minimum(page, documents // iteration)
        position = np.arange(1, ranks.sum() + 1) - np.repeat(np.cumsum(ranks) - ranks, ranks)
        attention = -np.sort(-self.attention(position, np.repeat(iteration, ranks)))[:documents]
        return np.asarray((gains[:, : attention.size] * attention).sum(axis=1))

    def _gains(self, sessions: Sessions) -> NDArray[np.float64]:
        """The gains of all documents of each topic, falling."""
        truth = sessions.facets.passages
        place, first = np.unique(truth.place, return_index=True)
        gain = np.bincount(np.searchsorted(place, truth.place), weights=truth.ratings(self.rule), minlength=place.size)
        topic = truth.topic[first]
        order = np.lexsort((-gain, topic))
        count = np.bincount(topic, minlength=len(sessions.length))
        gains = np.zeros((count.size, int(count.max(initial=0))))
        at = np.arange(topic.size) - np.repeat(np.cumsum(count) - count, count)
        gains[topic[order], at] = gain[order]
        return gains
