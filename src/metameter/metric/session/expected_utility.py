"""EU and nEU: expected utility, what a user is expected to learn minus the cost of reading."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from metameter.judge.passages import grouped
from metameter.judge.sessions import Sessions
from metameter.metric.classic.base import divide
from metameter.metric.session.base import Officially
from metameter.parameters import Bounds, option
from metameter.registry import register

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
