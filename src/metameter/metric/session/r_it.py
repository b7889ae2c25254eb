"""r_it: one over the iterations used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metameter.judge.sessions import Sessions
from metameter.metric.classic.base import divide
from metameter.metric.session.base import SessionMetric
from metameter.registry import register

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ReciprocalIterations"]


@register("metric", "r_it")
@dataclass(frozen=True, repr=False)
class ReciprocalIterations(SessionMetric):
    r"""A user to whom every iteration is an effort: one over how many there were.

    .. math:: r\_it@K = 1 / \min(K, iterations)

    A simple metric of effort; 0 for a topic that the run lacks, if that is scored at all.

    Parameters
    ----------
    k : int, optional
        The session ends after k iterations.

    References
    ----------
    albahem2019

    Examples
    --------
    A list is a session of one iteration.

    >>> ReciprocalIterations()([1, 0])
    1.0
    """

    reference = "albahem2019"

    def values(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """One over the iterations used so far."""
        return divide(np.ones((len(sessions.length), iterations.size)), sessions.time(iterations))
