"""CT, ACT and nCT: the cube test. Documents are water poured into a cube with one compartment per subtopic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.judge.passages import Covers
from metameter.judge.sessions import Sessions
from metameter.metric.classic.base import above, divide
from metameter.metric.session.base import Officially
from metameter.parameters import Bounds, option
from metameter.registry import register

if TYPE_CHECKING:
    from metameter.judge.facets import Facets


@dataclass(frozen=True, repr=False)
class Cube(Officially):
    """What the metrics of the cube test share: how it is filled, and how full it could be.

    Parameters
    ----------
    k : int, optional
        The session ends after k iterations.
    H : number above 0
        How much a subtopic holds; what is more is lost.
    form : official or corrected
        The arithmetic of the official scorer, with its quirks, or without them.
    gamma : number in [0, 1]
        What a document on a subtopic is worth when one more was read before.
    passages : sum or log
        The ratings of a document's passages are added (2017), or the i-th best counts 1 / log2(i + 1) of it (2016).
    """

    gamma: float = option(0.5, bounds=Bounds(0, 1))
    H: float = above(0, default=5)
    passages: str = option("sum", choices=("sum", "log"))

    def poured(self, sessions: Sessions) -> NDArray[np.float64]:
        """By how much each document fills the cube, as a share of it: topics x depth."""
        key = ("poured", self.gamma, self.H, self.passages, self.form)
        return sessions.once(key, lambda: self._poured(sessions))

    def _poured(self, sessions: Sessions) -> NDArray[np.float64]:
        covers = sessions.seen.covers(self.rule, falling=self.passages == "log")
        groups = covers.by_subtopic()
        before = np.arange(groups.member.shape[1])
        # The scorer discounts the first document on a subtopic as if one had been read before.
        water = groups.spread(covers.rating) * self.gamma ** (before + self.official)
        height = np.cumsum(water, axis=1)
        full = np.maximum.accumulate(height, axis=1) >= self.H
        rise = np.diff(np.where(full, self.H, height), axis=1, prepend=0.0)
        cells = covers.added(groups.gathered(rise, covers.size), len(sessions.length), sessions.depth)
        return divide(cells, (sessions.facets.listed * self.H)[:, None])

    def bound(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """The share that could be filled by the end of each iteration, over time: topics x iterations."""
        if not self.official:
            # The best list of as many iterations as the user went through.
            time = sessions.time(iterations)
            filled = self.ideal(sessions.facets, sessions.page * int(iterations.max()))
            shown = np.minimum(sessions.page * time, filled.shape[1] - 1)
            return divide(np.take_along_axis(filled, shown, axis=1), time)
        heights = sessions.facets.once(("cube heights", self.gamma, self.passages), lambda: self._heights(sessions))
        topic, each = heights
        # One document more than there is room for: the scorer's.
        last = np.minimum(sessions.page * iterations + 1, each.shape[1])
        heights_at = np.minimum(np.where(last > 0, each[:, last - 1], 0.0), self.H)
        sums = np.zeros((len(sessions.length), iterations.size))
        np.add.at(sums, topic, heights_at)
        return divide(sums, (sessions.facets.listed * self.H)[:, None]) / iterations

    def _heights(self, sessions: Sessions) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Of each subtopic its topic, and how high its best documents fill it, one after another."""
        covers = sessions.facets.passages.covers(self.rule, falling=self.passages == "log")
        groups = covers.by_subtopic()
        if not covers.size:
            return np.zeros(0, np.int64), np.zeros((0, 1))
        there = groups.member >= 0
        best = -np.sort(-np.where(there, groups.spread(covers.rating), -np.inf), axis=1)
        water = np.where(there, best, 0.0) * self.gamma ** np.arange(best.shape[1])
        return covers.topic[groups.member[:, 0]], np.cumsum(water, axis=1)

    def ideal(self, facets: Facets, depth: int) -> NDArray[np.float64]:
        """How full the best documents make the cube, taken greedily: topics x (0 to ``depth``) documents."""
        key = ("cube ideal", self.gamma, self.H, self.passages)
        known: NDArray[np.float64] | None = facets.memo.get(key)
        if known is None or known.shape[1] <= depth:
            covers = facets.passages.covers(self.rule, falling=self.passages == "log")
            known = np.zeros((len(facets.listed), depth + 1))
            for topic in range(len(facets.listed)):
                poured = best_documents(covers, topic, int(facets.listed[topic]), depth, self.gamma, self.H)[1]
                known[topic, 1:] = np.cumsum(np.pad(poured, (0, depth - poured.size)))
            facets.memo[key] = known
        return known


def best_documents(
    covers: Covers, topic: int, subtopics: int, depth: int, gamma: float, lid: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The documents of a topic, each time the one that fills most of what is left; and by which share of the cube.

    Examples
    --------
    Two subtopics that hold 5 each. The first document fills 5 of 10; of the others one adds 2, then one .5 * 4 = 2.

    >>> zero = np.zeros(4, dtype=np.int64)
    >>> covers = Covers(zero, np.array([0, 0, 1, 2]), np.array([0, 1, 1, 0]), np.array([3.0, 2.0, 2.0, 4.0]))
    >>> best_documents(covers, 0, 2, 5, 0.5, 5)
    (array([0, 2, 1]), array([0.5, 0.2, 0.1]))
    """
    mine = np.flatnonzero(covers.topic == topic)
    documents, row = np.unique(covers.place[mine], return_inverse=True)
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
    r"""A professional gathers material on every subtopic; how much of the need is filled, per iteration spent.

    .. math:: CT@K = \frac{1}{t} \sum_{d} \frac{1}{M H} \sum_s \min(\gamma^{c_s + 1}\, rating(d, s),\; H - h_s)

    over the documents of the first K iterations, in order; t of them took place (t = K, or fewer if the session ended).
    A subtopic s holds H, of which h_s is filled by the c_s documents on it so far; M subtopics are listed. The official
    scorer discounts the first document on a subtopic already; the corrected form does not (γ to the power c_s).

    Parameters
    ----------
    k : int, optional
        The session ends after k iterations.
    H : number above 0
        How much a subtopic holds; what is more is lost.
    form : official or corrected
        The arithmetic of the official scorer of 2017, with its quirks, or without them.
    gamma : number in [0, 1]
        What a document on a subtopic is worth when one more was read before.
    passages : sum or log
        The ratings of a document's passages are added (2017), or the i-th best counts 1 / log2(i + 1) of it (2016).

    References
    ----------
    luo2013

    Examples
    --------
    One iteration, one subtopic that holds 5: .5 * 1 + .25 * 1 of 5.

    >>> round(CT()([1, 0, 1]), 9), round(CT(form="corrected")([1, 0, 1]), 9)
    (0.15, 0.3)
    """

    reference = "luo2013"

    def values(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """The share of the cube that is filled, over time."""
        return divide(sessions.until(self.poured(sessions), iterations), sessions.time(iterations))

    def cells(self, sessions: Sessions) -> NDArray[np.float64]:
        """By how much each document fills the cube, over the time of the whole session."""
        return divide(self.poured(sessions), sessions.used[:, None])


@register("metric")
@dataclass(frozen=True, repr=False)
class ACT(Cube):
    r"""A professional who may stop after any document; the cube test at the moment of stopping, on average.

    .. math:: ACT@K = \frac{1}{n} \sum_{i=1}^{n} CT_i

    over the n documents of the first K iterations, where CT_i is the cube test just after document i.

    Parameters
    ----------
    k : int, optional
        The session ends after k iterations.
    H : number above 0
        How much a subtopic holds; what is more is lost.
    form : official or corrected
        The arithmetic of the official scorer of 2017, with its quirks, or without them.
    gamma : number in [0, 1]
        What a document on a subtopic is worth when one more was read before.
    passages : sum or log
        The ratings of a document's passages are added (2017), or the i-th best counts 1 / log2(i + 1) of it (2016).

    References
    ----------
    yang2016dd, luo2013

    Examples
    --------
    After the first document a tenth of the only subtopic is filled, and so after the second.

    >>> ACT()([1, 0])
    0.1
    """

    reference = "yang2016dd"

    def values(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """The mean over documents of how full the cube was, over time, when they were read."""
        return divide(sessions.until(self._full(sessions), iterations), sessions.end(iterations))

    def _full(self, sessions: Sessions) -> NDArray[np.float64]:
        return np.asarray(np.cumsum(self.poured(sessions), axis=1) / sessions.iteration)

    def cells(self, sessions: Sessions) -> NDArray[np.float64]:
        """The cube test after each document, over their number."""
        listed = np.arange(sessions.depth) < sessions.length[:, None]
        return divide(self._full(sessions) * listed, sessions.length[:, None])


@register("metric", "nCT")
@dataclass(frozen=True, repr=False)
class NCT(Cube):
    r"""A professional gathers material on every subtopic; the cube test against what the best documents would give.

    .. math:: nCT@K = CT@K / bound_K

    The official bound fills every subtopic with its own best documents, as if they took no room from each other, does
    not discount the first, and divides by K even if the session ended earlier: scores may exceed 1 (8.375 occurs among
    those of TREC 2016). The corrected form divides by the cube test of the best list of as many iterations as there
    were, which takes, one after another, the document that fills most. That is no more than a good guess: a list that
    is better (of relevant documents of TREC 2016 in random order 1.8% are, by up to 6%) scores 1, too. Without a
    relevant document the score is 0.

    Parameters
    ----------
    k : int, optional
        The session ends after k iterations.
    H : number above 0
        How much a subtopic holds; what is more is lost.
    form : official or corrected
        The arithmetic of the official scorer of 2017, with its quirks, or without them.
    gamma : number in [0, 1]
        What a document on a subtopic is worth when one more was read before.
    passages : sum or log
        The ratings of a document's passages are added (2017), or the i-th best counts 1 / log2(i + 1) of it (2016).

    References
    ----------
    tang2017, luo2013

    Examples
    --------
    The scorer fills .5 + .25 where 1 + .5 could be; without its quirks the list is as good as can be.

    >>> round(NCT()([1, 1]), 9), NCT(form="corrected")([1, 1])
    (0.5, 1.0)
    """

    reference = "tang2017"

    def values(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """The share of the cube that is filled, over time, against the best."""
        ct = divide(sessions.until(self.poured(sessions), iterations), sessions.time(iterations))
        score = divide(ct, self.bound(sessions, iterations))
        return score if self.official else np.minimum(score, 1.0)
