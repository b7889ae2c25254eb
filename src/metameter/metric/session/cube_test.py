"""CT: the cube test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.judge.sessions import Sessions
from metameter.metric.classic.base import divide
from metameter.metric.session.cube import Cube
from metameter.registry import register


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
