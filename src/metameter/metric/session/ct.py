"""CT: the cube test."""

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

__all__ = ["CT"]


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
