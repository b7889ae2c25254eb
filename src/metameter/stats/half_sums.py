"""Sums of scores over two halves of the topics, for many splits and metrics at once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.stats.sums import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats

__all__ = ["HalfSums"]

_COLUMNS = 1024  # summed at a time, to stay in the cache
# Two sums of T parts, added in another order, differ by 4 T units in the last place at most. With the total no more
# than this over T times the second half, that is less than a tenth of the tolerance of ties.
_SAFE = 250.0


class HalfSums:
    """Sum scores (metrics, topics, systems) over either half of the topics.

    Splits of the same topics share a total, from which the first half is taken away to give the second. That rounds
    otherwise than adding up the second half itself; where the difference might matter, it is added up.

    Parameters
    ----------
    weights : ndarray of int, (trials, 2, topics)
        How often each topic is in either half.

    Examples
    --------
    >>> splits = np.array([[[1, 0, 1], [0, 1, 0]], [[0, 1, 1], [1, 0, 0]]])
    >>> first, second = HalfSums(splits)(np.array([[[1.0], [10.0], [100.0]]]))
    >>> first.ravel(), second.ravel()
    (array([101., 110.]), array([10.,  1.]))
    """

    def __init__(self, weights: NDArray[Any]) -> None:
        self.trials, _, topics = weights.shape
        self._weights, self._first = weights, sparse(weights[:, 0])
        whole = weights.sum(axis=1)
        begins = np.append(True, (whole[1:] != whole[:-1]).any(axis=1))
        self._least = topics / _SAFE
        self._shared = 2 * np.count_nonzero(begins) <= self.trials and self._least < 1
        if self._shared:
            self._whole, self._which = sparse(whole[begins]), np.cumsum(begins) - 1

    @cached_property
    def _second(self) -> Any:
        return sparse(self._weights[:, 1])

    def __call__(self, scores: Floats) -> tuple[Floats, Floats]:
        """The sums over the first halves and over the second ones, (trials, metrics, systems) each."""
        metrics, _, systems = scores.shape
        step = max(1, _COLUMNS // systems)
        if metrics <= step:
            return self._summed(scores)
        first, second = np.empty((2, self.trials, metrics, systems))
        for start in range(0, metrics, step):
            some = slice(start, start + step)
            first[:, some], second[:, some] = self._summed(scores[some])
        return first, second

    def _summed(self, scores: Floats) -> tuple[Floats, Floats]:
        metrics, topics, systems = scores.shape
        columns, shape = scores.swapaxes(0, 1).reshape(topics, -1), (-1, metrics, systems)
        first = np.asarray(self._first @ columns).reshape(shape)
        if self._shared and scores.min() >= 0:
            total = np.asarray(self._whole @ columns).reshape(shape)
            rest = total[self._which]
            rest -= first
            if (rest.max(axis=-1) >= self._least * total.max(axis=-1)[self._which]).all():
                return first, rest
        return first, np.asarray(self._second @ columns).reshape(shape)
