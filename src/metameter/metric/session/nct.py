"""nCT: the cube test against the best documents."""

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

__all__ = ["NCT"]


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
