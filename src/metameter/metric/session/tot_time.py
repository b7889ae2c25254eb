"""tot_time: minus the time that reading takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.judge.sessions import Sessions
from metameter.metric.session.base import SessionMetric
from metameter.registry import register

# Seconds to read a summary, to read a word, and to judge a document; how many of the relevant and of the other
# documents are opened. From the calibration of time-biased gain.
_SUMMARY, _WORD, _JUDGING = 4.4, 0.018, 7.8
_OPENED, _OPENED_IN_VAIN = 0.64, 0.39


@register("metric", "tot_time")
@dataclass(frozen=True, repr=False)
class TotalTime(SessionMetric):
    r"""A user reads every summary, and opens some documents, more of the relevant ones: minus the seconds that takes.

    .. math:: tot\_time@K = -\sum_d \left[ 4.4 + P_d \, (0.018 \, words_d + 7.8) \right]

    over the documents of the first K iterations; P_d is .64 for a relevant document and .39 for others. It is negative
    so that higher is better, as of all simple metrics (the paper prints the positive sum, its scores are negative). It
    needs the lengths of documents; one without a length counts as empty. The simple metric of effort.

    Parameters
    ----------
    k : int, optional
        The session ends after k iterations.

    References
    ----------
    albahem2019, smucker2012

    Examples
    --------
    Documents without words: 4.4 + .64 * 7.8, and 4.4 + .39 * 7.8.

    >>> round(TotalTime()([1, 0]), 3)
    -16.834
    """

    reference = "smucker2012"

    @property
    def needs(self) -> frozenset[str]:
        """How long documents are."""
        return frozenset({"lengths"})

    def values(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """Minus the time of all documents shown."""
        return sessions.until(self.cells(sessions), iterations)

    def cells(self, sessions: Sessions) -> NDArray[np.float64]:
        """Minus the time that each document takes."""
        opened = np.where(sessions.on_topic, _OPENED, _OPENED_IN_VAIN)
        seconds = _SUMMARY + opened * (_WORD * np.nan_to_num(sessions.with_words().words) + _JUDGING)
        return np.where(np.arange(sessions.depth) < sessions.length[:, None], -seconds, 0.0)
