"""r_it: one over the iterations used."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.judge.sessions import Sessions
from metameter.metric.classic.base import divide
from metameter.metric.session.base import SessionMetric
from metameter.registry import register


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


@register("metric", "neg_it")
@dataclass(frozen=True, repr=False)
class NegativeIterations(SessionMetric):
    r"""A user to whom every iteration is an effort: minus how many there were.

    .. math:: neg\_it@K = -\min(K, iterations)

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

    >>> NegativeIterations()([1, 0])
    -1.0
    """

    reference = "albahem2019"

    def values(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """Minus the iterations used so far."""
        return np.asarray(0.0 - sessions.time(iterations), dtype=np.float64)
