"""EU and nEU: expected utility, what a user is expected to learn minus the cost of reading."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from metameter.judge.passages import group_rows
from metameter.judge.sessions import Sessions
from metameter.metric.classic.base import divide
from metameter.metric.session.base import OfficialForm
from metameter.parameters import Bounds, option
from metameter.registry import register

if TYPE_CHECKING:
    from metameter.judge.facets import Facets


@dataclass(frozen=True, repr=False)
class Utility(OfficialForm):
    """The base of EU and nEU: a user who reads down each list, stops at some rank and learns less from repetition.

    Parameters
    ----------
    k : int, optional
        The session is cut after k iterations.
    a : number of at least 0
        The cost of reading one word.
    form : official or corrected
        As the official scorer computes it, with its quirks, or without them.
    gamma : number in [0, 1)
        The factor by which each reading of a nugget lowers the value of the next.
    p : number in [0, 1)
        The probability of stopping after a document.
    """

    a: float = option(0.001, bounds=Bounds(0))
    gamma: float = option(0.5, bounds=Bounds(0, 1, high_open=True))
    p: float = option(0.5, bounds=Bounds(0, 1, high_open=True))

    @property
    def needs(self) -> frozenset[str]:
        """The lengths of documents."""
        return frozenset({"lengths"})

    def gain(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """The expected gain by the end of each of these iterations: topics x iterations."""
        key = ("expected gain", self.gamma, self.p, self.form)
        by_iteration = sessions.once(key, lambda: self._gain(sessions))
        sums = np.concatenate([np.zeros((len(by_iteration), 1)), np.cumsum(by_iteration, axis=1)], axis=1)
        return np.asarray(sums[:, np.minimum(iterations, sessions.iterations)])

    def _gain(self, sessions: Sessions) -> NDArray[np.float64]:
        """The expected gain that each iteration adds."""
        seen = sessions.seen
        shape = (len(sessions.length), max(sessions.iterations, 1))
        if not seen.topic.size:
            return np.zeros(shape)
        groups = group_rows(seen.topic * (int(seen.nugget.max()) + 1) + seen.nugget)
        read = np.asarray((1.0 - self.p) ** (sessions.position[seen.topic, seen.position] - 1), dtype=np.float64)
        times = np.cumsum(groups.spread(read), axis=1)
        # The rating of a nugget is that of the last passage read.
        worth = groups.spread(seen.ratings(self.rule)) * self._discounted_readings(times)
        added = groups.to_rows(np.diff(worth, axis=1, prepend=0.0), seen.topic.size)
        at = seen.topic * shape[1] + sessions.iteration[seen.topic, seen.position] - 1
        sums = np.bincount(at, weights=added, minlength=shape[0] * shape[1])
        return np.asarray(sums.reshape(shape), dtype=np.float64)

    def _discounted_readings(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray((1.0 - self.gamma**times) / (1.0 - self.gamma))

    def costs(self, sessions: Sessions) -> NDArray[np.float64]:
        """The number of words read by users who stop at each rank, times their share: topics x depth."""
        key = ("expected words", self.p, self.form)
        return sessions.once(key, lambda: self._costs(sessions.with_lengths()))

    def _costs(self, sessions: Sessions) -> NDArray[np.float64]:
        lengths = np.nan_to_num(sessions.lengths)
        total = np.concatenate([np.zeros((len(lengths), 1)), np.cumsum(lengths, axis=1)], axis=1)
        first = np.arange(1, sessions.depth + 1) - sessions.position
        read = total[:, 1:] - np.take_along_axis(total, first, axis=1)
        is_last = np.zeros(lengths.shape, np.bool_)
        topic, iteration = np.nonzero(np.diff(sessions.stops, axis=1, prepend=0))
        is_last[topic, sessions.stops[topic, iteration] - 1] = True
        stop = (1.0 - self.p) ** (sessions.position - 1) * np.where(is_last, 1.0, self.p)
        cost = np.where(np.arange(sessions.depth) < sessions.length[:, None], stop * read, 0.0)
        # The official scorer leaves out the users who stop at a document without a length.
        return np.where(np.isnan(sessions.lengths), 0.0, cost) if self.official else cost

    def utility(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """Gain minus cost by the end of each of these iterations: topics x iterations."""
        return self.gain(sessions, iterations) - self.a * sessions.until(self.costs(sessions), iterations)

    def most_gain(self, facets: Facets, page: int, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """The gain if each nugget's documents stood at the most-read ranks: topics x iterations."""
        topic, rating, documents = facets.once(("nuggets", self.rule), lambda: self._nuggets(facets))
        documents_shown = np.minimum(page * iterations, documents[:, None])
        reading = (1.0 - self.p) ** np.arange(page)
        upto = np.concatenate([[0.0], np.cumsum(reading)])
        times = (documents_shown // page) * reading.sum() + upto[documents_shown % page]
        sums = np.zeros((len(facets.listed), iterations.size))
        np.add.at(sums, topic, rating[:, None] * self._discounted_readings(times))
        return sums

    def _nuggets(self, facets: Facets) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
        """Topic, rating and number of documents of each nugget."""
        truth = facets.passages
        nuggets = int(truth.nugget.max(initial=0)) + 1
        key = truth.topic * nuggets + truth.nugget
        pairs = np.unique(np.stack([key, truth.position]), axis=1)
        keys, documents = np.unique(pairs[0], return_counts=True)
        rating = np.zeros(keys.size)
        rating[np.searchsorted(keys, key[facets.reading])] = truth.ratings(self.rule)[facets.reading]
        return keys // nuggets, rating, documents

    def words_read(self, lengths: NDArray[np.float64], page: int, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """The expected number of words read if documents of these lengths, in order, stand at the most-read ranks.

        The official scorer leaves ranks empty when the last list is full; the corrected form does not.
        """
        return np.array([self._words_read(lengths, page, int(n)) for n in iterations])

    def _words_read(self, lengths: NDArray[np.float64], page: int, n: int) -> float:
        rank, last = np.arange(page), min(lengths.size, page * n) % page
        lists = np.where(rank <= last, n, n - 1) if self.official else np.full(page, n)
        weights = np.repeat((1.0 - self.p) ** rank, lists)[: lengths.size]
        return float((weights * lengths[: weights.size]).sum())


@register("metric")
@dataclass(frozen=True, repr=False)
class EU(Utility):
    r"""A user reads down each list and stops after each document with probability p: expected gain minus reading cost.

    .. math:: EU@K = \sum_{nuggets} rating \, \frac{1 - \gamma^{m}}{1 - \gamma}
              - a \sum_{lists} \sum_s P(stop = s) \, words(1..s)

    where m is the expected number of times that a nugget is read in the first K iterations: each passage with it counts
    (1-p)^(i-1) at rank i of its list. EU needs the lengths of documents; the official scorer leaves out users who stop
    at a document without one, the corrected form counts it as empty.

    Parameters
    ----------
    k : int, optional
        The session is cut after k iterations.
    a : number of at least 0
        The cost of reading one word.
    form : official or corrected
        As the official scorer of 2017 computes it, with its quirks, or without them.
    gamma : number in [0, 1)
        The factor by which each reading of a nugget lowers the value of the next.
    p : number in [0, 1)
        The probability of stopping after a document.

    References
    ----------
    yang2009

    Examples
    --------
    Documents have no words, and half of the users read the nugget at rank 2: (1 - .5^.5) / .5.

    >>> round(EU()([0, 1]), 4)
    0.5858
    """

    reference = "yang2009"

    def values(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """The expected gain minus the expected cost."""
        return self.utility(sessions, iterations)


@register("metric", "nEU")
@dataclass(frozen=True, repr=False)
class NEU(Utility):
    r"""A user learns from what they read, at a cost: expected utility, scaled from the lowest to the highest possible.

    .. math:: nEU@K = \frac{EU@K - low_K}{high_K - low_K}

    high: each nugget's documents stand at the most-read ranks, and cost as much as the shortest documents of the
    collection; low: no gain, at the cost of the longest documents; both for K full iterations. A full session does not
    reach 1, since no list meets both conditions. A session that ended early may exceed 1, since it costs less than
    high assumes, and one that showed nothing is above 0. Since the costs are those of the whole collection, scores on
    large collections are all close to 1. The official scorer leaves some ranks of a full last list empty when it counts
    costs, so scores slightly below 0 occur; the corrected form does not.

    Parameters
    ----------
    k : int, optional
        The session is cut after k iterations.
    a : number of at least 0
        The cost of reading one word.
    form : official or corrected
        As the official scorer of 2017 computes it, with its quirks, or without them.
    gamma : number in [0, 1)
        The factor by which each reading of a nugget lowers the value of the next.
    p : number in [0, 1)
        The probability of stopping after a document.

    References
    ----------
    tang2017, yang2009

    Examples
    --------
    The only nugget is at rank 1, the most-read one, and documents have no words.

    >>> NEU()([1, 0]), NEU()([0, 0])
    (1.0, 0.0)
    """

    reference = "tang2017"

    def values(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """The utility, scaled to its bounds."""
        low, high = self.bounds_after(sessions, iterations)
        return divide(self.utility(sessions, iterations) - low, high - low)

    def bounds_after(
        self, sessions: Sessions, iterations: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The lowest and the highest utility after each of these iterations: topics x iterations."""
        rising = cast("NDArray[np.float64]", sessions.with_lengths().collection_lengths)
        page = sessions.page_size
        least, most = (self.words_read(lengths, page, iterations) for lengths in (rising, rising[::-1]))
        gain = self.most_gain(sessions.facets, page, iterations)
        return np.broadcast_to(-self.a * most, gain.shape), gain - self.a * least
