"""Expected utility: what a user may learn, less what reading costs them. What EU and nEU share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.judge.passages import grouped
from metameter.judge.sessions import Sessions
from metameter.metric.session.base import Officially
from metameter.parameters import Bounds, option

if TYPE_CHECKING:
    from metameter.judge.facets import Facets


@dataclass(frozen=True, repr=False)
class Utility(Officially):
    """A user who reads down each list and stops at some rank; nuggets read again teach less.

    Parameters
    ----------
    k : int, optional
        The session ends after k iterations.
    a : number of at least 0
        What reading a word costs.
    form : official or corrected
        The arithmetic of the official scorer, with its quirks, or without them.
    gamma : number in [0, 1)
        What a nugget is worth when it was read once more before.
    p : number in [0, 1)
        The probability of stopping after a document.
    """

    a: float = option(0.001, bounds=Bounds(0))
    gamma: float = option(0.5, bounds=Bounds(0, 1, high_open=True))
    p: float = option(0.5, bounds=Bounds(0, 1, high_open=True))

    @property
    def needs(self) -> frozenset[str]:
        """How long documents are."""
        return frozenset({"lengths"})

    def gain(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """What is expected to be learnt by the end of each of these iterations: topics x iterations."""
        key = ("expected gain", self.gamma, self.p, self.form)
        by_iteration = sessions.once(key, lambda: self._gain(sessions))
        sums = np.concatenate([np.zeros((len(by_iteration), 1)), np.cumsum(by_iteration, axis=1)], axis=1)
        return np.asarray(sums[:, np.minimum(iterations, sessions.iterations)])

    def _gain(self, sessions: Sessions) -> NDArray[np.float64]:
        """What each iteration adds to it."""
        seen = sessions.seen
        shape = (len(sessions.length), max(sessions.iterations, 1))
        if not seen.topic.size:
            return np.zeros(shape)
        groups = grouped(seen.topic * (int(seen.nugget.max()) + 1) + seen.nugget)
        read = np.asarray((1.0 - self.p) ** (sessions.position[seen.topic, seen.place] - 1), dtype=np.float64)
        times = np.cumsum(groups.spread(read), axis=1)
        # A nugget is worth what its last passage read says.
        worth = groups.spread(seen.ratings(self.rule)) * self._learnt(times)
        added = groups.gathered(np.diff(worth, axis=1, prepend=0.0), seen.topic.size)
        at = seen.topic * shape[1] + sessions.iteration[seen.topic, seen.place] - 1
        sums = np.bincount(at, weights=added, minlength=shape[0] * shape[1])
        return np.asarray(sums.reshape(shape), dtype=np.float64)

    def _learnt(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray((1.0 - self.gamma**times) / (1.0 - self.gamma))

    def costs(self, sessions: Sessions) -> NDArray[np.float64]:
        """The words that are expected to be read by users who stop at each rank: topics x depth."""
        key = ("expected words", self.p, self.form)
        return sessions.once(key, lambda: self._costs(sessions.with_words()))

    def _costs(self, sessions: Sessions) -> NDArray[np.float64]:
        words = np.nan_to_num(sessions.words)
        total = np.concatenate([np.zeros((len(words), 1)), np.cumsum(words, axis=1)], axis=1)
        first = np.arange(1, sessions.depth + 1) - sessions.position
        read = total[:, 1:] - np.take_along_axis(total, first, axis=1)
        is_last = np.zeros(words.shape, np.bool_)
        topic, iteration = np.nonzero(np.diff(sessions.ends, axis=1, prepend=0))
        is_last[topic, sessions.ends[topic, iteration] - 1] = True
        stop = (1.0 - self.p) ** (sessions.position - 1) * np.where(is_last, 1.0, self.p)
        cost = np.where(np.arange(sessions.depth) < sessions.length[:, None], stop * read, 0.0)
        # Of a document without a length the scorer forgets the users who stop there.
        return np.where(np.isnan(sessions.words), 0.0, cost) if self.official else cost

    def utility(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """Gain less costs, by the end of each of these iterations: topics x iterations."""
        return self.gain(sessions, iterations) - self.a * sessions.until(self.costs(sessions), iterations)

    def most_gain(self, facets: Facets, page: int, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """What could be learnt if each nugget's documents stood where they are most read: topics x iterations."""
        topic, rating, documents = facets.once(("nuggets", self.rule), lambda: self._nuggets(facets))
        shown = np.minimum(page * iterations, documents[:, None])
        reading = (1.0 - self.p) ** np.arange(page)
        upto = np.concatenate([[0.0], np.cumsum(reading)])
        times = (shown // page) * reading.sum() + upto[shown % page]
        sums = np.zeros((len(facets.listed), iterations.size))
        np.add.at(sums, topic, rating[:, None] * self._learnt(times))
        return sums

    def _nuggets(self, facets: Facets) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
        """Topic, rating and number of documents of each nugget."""
        truth = facets.passages
        nuggets = int(truth.nugget.max(initial=0)) + 1
        key = truth.topic * nuggets + truth.nugget
        pairs = np.unique(np.stack([key, truth.place]), axis=1)
        keys, documents = np.unique(pairs[0], return_counts=True)
        rating = np.zeros(keys.size)
        rating[np.searchsorted(keys, key[facets.reading])] = truth.ratings(self.rule)[facets.reading]
        return keys // nuggets, rating, documents

    def words_read(self, lengths: NDArray[np.float64], page: int, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """The words expected to be read where the first of these lengths stand where documents are most read.

        The scorer leaves places empty when the last list is full; the corrected form does not.
        """
        return np.array([self._words_read(lengths, page, int(n)) for n in iterations])

    def _words_read(self, lengths: NDArray[np.float64], page: int, n: int) -> float:
        rank, last = np.arange(page), min(lengths.size, page * n) % page
        places = np.where(rank <= last, n, n - 1) if self.official else np.full(page, n)
        weights = np.repeat((1.0 - self.p) ** rank, places)[: lengths.size]
        return float((weights * lengths[: weights.size]).sum())
