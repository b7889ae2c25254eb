"""ACT: the average cube test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metameter.judge.sessions import Sessions
from metameter.metric.classic.base import divide
from metameter.metric.session.cube import Cube
from metameter.registry import register

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ACT"]


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
