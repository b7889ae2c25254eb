"""CT, ACT and nCT: the cube test. Documents are water poured into a cube with one compartment per subtopic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.judge.passages import Covers
from metameter.judge.sessions import Sessions
from metameter.metric.classic.base import above, divide
from metameter.metric.session.base import OfficialForm
from metameter.parameters import Bounds, option
from metameter.registry import register

if TYPE_CHECKING:
    from metameter.judge.facets import Facets


@dataclass(frozen=True, repr=False)
class Cube(OfficialForm):
    """The base of the cube test metrics: how far documents fill the cube, and how far they could.

    Parameters
    ----------
    k : int, optional
        The session is cut after k iterations.
    H : number above 0
        The capacity of a subtopic; what exceeds it is lost.
    form : official or corrected
        As the official scorer computes it, with its quirks, or without them.
    gamma : number in [0, 1]
        The factor by which each document read on a subtopic lowers the value of the next.
    passages : sum or log
        Sum the ratings of a document's passages (2017), or discount the i-th best by 1 / log2(i + 1) (2016).
    """

    gamma: float = option(0.5, bounds=Bounds(0, 1))
    H: float = above(0, default=5)
    passages: str = option("sum", choices=("sum", "log"))

    def poured(self, sessions: Sessions) -> NDArray[np.float64]:
        """The share of the cube that each document fills: topics x depth."""
        key = ("poured", self.gamma, self.H, self.passages, self.form)
        return sessions.once(key, lambda: self._poured(sessions))

    def _poured(self, sessions: Sessions) -> NDArray[np.float64]:
        covers = sessions.seen.covers(self.rule, falling=self.passages == "log")
        groups = covers.by_subtopic()
        before = np.arange(groups.member.shape[1])
        # The official scorer discounts the first document on a subtopic as if it were the second.
        water = groups.spread(covers.rating) * self.gamma ** (before + self.official)
        height = np.cumsum(water, axis=1)
        full = np.maximum.accumulate(height, axis=1) >= self.H
        rise = np.diff(np.where(full, self.H, height), axis=1, prepend=0.0)
        cells = covers.sum_by_document(groups.to_rows(rise, covers.size), len(sessions.length), sessions.depth)
        return divide(cells, (sessions.facets.listed * self.H)[:, None])

    def bound(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """The share that could be filled by the end of each iteration, divided by time: topics x iterations."""
        if not self.official:
            # The best list with as many iterations as took place.
            time = sessions.time(iterations)
            filled = self.ideal(sessions.facets, sessions.page_size * int(iterations.max()))
            documents = np.minimum(sessions.page_size * time, filled.shape[1] - 1)
            return divide(np.take_along_axis(filled, documents, axis=1), time)
        heights = sessions.facets.once(("cube heights", self.gamma, self.passages), lambda: self._heights(sessions))
        topic, each = heights
        # The official scorer counts one document more than the iterations can show.
        last = np.minimum(sessions.page_size * iterations + 1, each.shape[1])
        heights_at = np.minimum(np.where(last > 0, each[:, last - 1], 0.0), self.H)
        sums = np.zeros((len(sessions.length), iterations.size))
        np.add.at(sums, topic, heights_at)
        return divide(sums, (sessions.facets.listed * self.H)[:, None]) / iterations

    def _heights(self, sessions: Sessions) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The topic of each subtopic, and how high its best documents fill it, cumulated."""
        covers = sessions.facets.passages.covers(self.rule, falling=self.passages == "log")
        groups = covers.by_subtopic()
        if not covers.size:
            return np.zeros(0, np.int64), np.zeros((0, 1))
        there = groups.member >= 0
        best = -np.sort(-np.where(there, groups.spread(covers.rating), -np.inf), axis=1)
        water = np.where(there, best, 0.0) * self.gamma ** np.arange(best.shape[1])
        return covers.topic[groups.member[:, 0]], np.cumsum(water, axis=1)

    def ideal(self, facets: Facets, depth: int) -> NDArray[np.float64]:
        """How full the cube is after the first 0 to ``depth`` documents of the greedily best list: topics x counts."""

        def make() -> NDArray[np.float64]:
            covers = facets.passages.covers(self.rule, falling=self.passages == "log")
            filled = np.zeros((len(facets.listed), depth + 1))
            for topic in range(len(facets.listed)):
                poured = best_documents(covers, topic, int(facets.listed[topic]), depth, self.gamma, self.H)[1]
                filled[topic, 1:] = np.cumsum(np.pad(poured, (0, depth - poured.size)))
            return filled

        return facets.once_to_depth(("cube ideal", self.gamma, self.H, self.passages), depth + 1, make)


def best_documents(
    covers: Covers, topic: int, subtopics: int, depth: int, gamma: float, lid: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Order the documents of a topic greedily by how much they fill; and return the share of the cube for each.

    Examples
    --------
    Two subtopics hold 5 each. The first document fills 5 of 10, the next .5 * 4 = 2, the last .5 * 2 = 1.

    >>> zero = np.zeros(4, dtype=np.int64)
    >>> covers = Covers(zero, np.array([0, 0, 1, 2]), np.array([0, 1, 1, 0]), np.array([3.0, 2.0, 2.0, 4.0]))
    >>> best_documents(covers, 0, 2, 5, 0.5, 5)
    (array([0, 2, 1]), array([0.5, 0.2, 0.1]))
    """
    mine = np.flatnonzero(covers.topic == topic)
    documents, row = np.unique(covers.position[mine], return_inverse=True)
    rating = np.zeros((documents.size, max(subtopics, 1)))
    rating[row, covers.subtopic[mine]] = covers.rating[mine]
    covered = rating != 0
    height, worth = np.zeros(rating.shape[1]), np.ones(rating.shape[1])
    left = np.ones(documents.size, np.bool_)
    chosen, poured = [], []
    for _ in range(min(depth, documents.size)):
        gain = np.minimum(rating * worth, lid - height).sum(axis=1)
        best = int(np.argmax(np.where(left, gain, -np.inf)))
        chosen.append(int(documents[best]))
        poured.append(float(gain[best]) / (lid * max(subtopics, 1)))
        height += np.minimum(rating[best] * worth, lid - height)
        worth[covered[best]] *= gamma
        left[best] = False
    return np.array(chosen, dtype=np.int64), np.array(poured)


@register("metric")
@dataclass(frozen=True, repr=False)
class CT(Cube):
    r"""A professional gathers material on every subtopic: the share of the need that is filled, per iteration.

    .. math:: CT@K = \frac{1}{t} \sum_{d} \frac{1}{M H} \sum_s \min(\gamma^{c_s + 1}\, rating(d, s),\; H - h_s)

    summed over the documents of the first K iterations in order, of which t took place (t < K if the session ended).
    A subtopic s holds H, of which the c_s documents on it so far have filled h_s; the topic has M subtopics. The
    official scorer discounts even the first document on a subtopic; the corrected form does not (γ to the power c_s).

    Parameters
    ----------
    k : int, optional
        The session is cut after k iterations.
    H : number above 0
        The capacity of a subtopic; what exceeds it is lost.
    form : official or corrected
        As the official scorer of 2017 computes it, with its quirks, or without them.
    gamma : number in [0, 1]
        The factor by which each document read on a subtopic lowers the value of the next.
    passages : sum or log
        Sum the ratings of a document's passages (2017), or discount the i-th best by 1 / log2(i + 1) (2016).

    References
    ----------
    luo2013

    Examples
    --------
    One iteration, one subtopic that holds 5: (.5 + .25) / 5; without the discount of the first, (1 + .5) / 5.

    >>> round(CT()([1, 0, 1]), 9), round(CT(form="corrected")([1, 0, 1]), 9)
    (0.15, 0.3)
    """

    reference = "luo2013"

    def values(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """The share of the cube that is filled, divided by time."""
        return divide(sessions.until(self.poured(sessions), iterations), sessions.time(iterations))

    def cells(self, sessions: Sessions) -> NDArray[np.float64]:
        """The share of the cube that each document fills, divided by the time of the session."""
        return divide(self.poured(sessions), sessions.used[:, None])


@register("metric")
@dataclass(frozen=True, repr=False)
class ACT(Cube):
    r"""A professional who may stop after any document: the mean of the cube test over all stopping points.

    .. math:: ACT@K = \frac{1}{n} \sum_{i=1}^{n} CT_i

    over the n documents of the first K iterations, where CT_i is the cube test right after document i.

    Parameters
    ----------
    k : int, optional
        The session is cut after k iterations.
    H : number above 0
        The capacity of a subtopic; what exceeds it is lost.
    form : official or corrected
        As the official scorer of 2017 computes it, with its quirks, or without them.
    gamma : number in [0, 1]
        The factor by which each document read on a subtopic lowers the value of the next.
    passages : sum or log
        Sum the ratings of a document's passages (2017), or discount the i-th best by 1 / log2(i + 1) (2016).

    References
    ----------
    yang2016dd, luo2013

    Examples
    --------
    A tenth of the only subtopic is filled after the first document, and still after the second.

    >>> ACT()([1, 0])
    0.1
    """

    reference = "yang2016dd"

    def values(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """The mean over documents of the share of the cube filled, divided by time, when each was read."""
        return divide(sessions.until(self._full(sessions), iterations), sessions.stop(iterations))

    def _full(self, sessions: Sessions) -> NDArray[np.float64]:
        return np.asarray(np.cumsum(self.poured(sessions), axis=1) / sessions.iteration)

    def cells(self, sessions: Sessions) -> NDArray[np.float64]:
        """The cube test after each document, divided by the number of documents."""
        listed = np.arange(sessions.depth) < sessions.length[:, None]
        return divide(self._full(sessions) * listed, sessions.length[:, None])


@register("metric", "nCT")
@dataclass(frozen=True, repr=False)
class NCT(Cube):
    r"""A professional gathers material on every subtopic: the cube test relative to that of the best documents.

    .. math:: nCT@K = CT@K / bound_K

    The official bound fills every subtopic with its own best documents, as if they did not compete for ranks, does not
    discount the first, and divides by K even if the session ended earlier; so scores may exceed 1 (8.375 occurs in TREC
    2016). The corrected form divides by the cube test of a greedy best list, which takes the document that fills most
    at each rank, over as many iterations as took place. The greedy list is not always the best one: better lists also
    score 1 (1.8% of random orders of relevant documents of TREC 2016 are better, by up to 6%). Without a relevant
    document the score is 0.

    Parameters
    ----------
    k : int, optional
        The session is cut after k iterations.
    H : number above 0
        The capacity of a subtopic; what exceeds it is lost.
    form : official or corrected
        As the official scorer of 2017 computes it, with its quirks, or without them.
    gamma : number in [0, 1]
        The factor by which each document read on a subtopic lowers the value of the next.
    passages : sum or log
        Sum the ratings of a document's passages (2017), or discount the i-th best by 1 / log2(i + 1) (2016).

    References
    ----------
    tang2017, luo2013

    Examples
    --------
    The official scorer compares .5 + .25 with 1 + .5; without its quirks this list is the best one.

    >>> round(NCT()([1, 1]), 9), NCT(form="corrected")([1, 1])
    (0.5, 1.0)
    """

    reference = "tang2017"

    def values(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """The share of the cube that is filled, divided by time, relative to the bound."""
        ct = divide(sessions.until(self.poured(sessions), iterations), sessions.time(iterations))
        score = divide(ct, self.bound(sessions, iterations))
        return score if self.official else np.minimum(score, 1.0)
