"""Consistency and power where systems are drawn with replacement: copies of a system are no pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.stats.checks import tolerance
from metameter.stats.kendall import tau_b_of_codes
from metameter.stats.split_half import half_means
from metameter.stats.studentized_range import studentized_range_quantile
from metameter.stats.sums import weighted_sums
from metameter.stats.ties import tied_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats

__all__ = ["SystemSums", "taus_of_drawn"]

_MANY = 1e6  # degrees of freedom, as good as infinite: the range of shuffled means is that of normal variates


def taus_of_drawn(matrix: Floats, weights: NDArray[Any], copies: NDArray[Any]) -> Floats:
    """Tau_b between the two halves of the topics, among the systems drawn: (trials, metrics).

    Copies of a system are tied exactly, and tau_b leaves out what is tied in both halves.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    weights : ndarray of int, (trials, 2, topics)
        How often each topic is in either half.
    copies : ndarray of int, (trials, systems)
        How often each system was drawn.

    Examples
    --------
    >>> matrix = np.array([[[0.1, 0.2, 0.3], [0.2, 0.1, 0.4]]])  # the halves disagree about the first two systems
    >>> halves = np.array([[[1, 0], [0, 1]]])
    >>> [taus_of_drawn(matrix, halves, np.array([copies])).tolist() for copies in ([1, 1, 0], [0, 2, 1])]
    [[[-1.0]], [[1.0]]]
    """
    means = half_means(matrix, weights)
    taus = np.empty(means.shape[1:-1])
    sizes = copies.sum(axis=1)
    for size in np.unique(sizes):
        rows = np.flatnonzero(sizes == size)
        drawn = _written_out(copies[rows])
        some = np.take_along_axis(means[:, rows], drawn[None, :, None, :], axis=-1)
        first, second = tied_codes(some).reshape(2, -1, int(size))
        taus[rows] = tau_b_of_codes(first, second).reshape(len(rows), -1)
    return taus


def _written_out(copies: NDArray[Any]) -> NDArray[np.intp]:
    """The systems of rows of copies, all with the same sum: (rows, sum)."""
    rows, systems = copies.shape
    return np.repeat(np.tile(np.arange(systems), rows), copies.reshape(-1)).reshape(rows, -1)


@dataclass(frozen=True, eq=False)
class SystemSums:
    """Scores prepared once for the power of any drawn topics and systems.

    Attributes
    ----------
    scores : ndarray, (metrics, topics, systems)
        Without the mean of their topic, which cancels but would cost digits.
    zero : ndarray, (metrics,)
        The tolerance below which a difference counts as zero.
    """

    scores: Floats
    zero: Floats

    @classmethod
    def of(cls, matrix: Floats) -> SystemSums:
        """Prepare ``matrix[metric, topic, system]``."""
        return cls(matrix - matrix.mean(axis=-1, keepdims=True), tolerance(matrix, axes=2)[:, 0, 0])

    def power(self, topics: NDArray[Any], systems: NDArray[Any], alpha: float) -> Floats:
        """Share of pairs of different systems that the randomised test tells apart, by its normal approximation.

        Parameters
        ----------
        topics, systems : ndarray of int, (trials, topics), (trials, systems)
            How often each was drawn.
        alpha : float

        Returns
        -------
        ndarray, (trials, metrics)

        Examples
        --------
        >>> matrix = np.array([[[1.0, 2, 9], [2, 1, 9], [1, 2, 9], [2, 1, 9], [1, 2, 9], [2, 1, 9]]])
        >>> once = np.ones((1, 6), dtype=int)
        >>> SystemSums.of(matrix).power(once, np.array([[1, 1, 1]]), 0.05).round(4)  # two pairs of three
        array([[0.6667]])
        """
        metrics, count, size = self.scores.shape
        columns = np.moveaxis(self.scores, 1, 0).reshape(count, -1)
        means = weighted_sums(topics, columns).reshape(-1, metrics, size) / topics.sum(axis=1)[:, None, None]
        variance = self._variance(topics, systems)
        drawn = systems.sum(axis=1)
        quantile = np.array([studentized_range_quantile(alpha, int(each), _MANY) for each in drawn])
        required = quantile[:, None] * np.sqrt(variance / topics.sum(axis=1)[:, None])
        pairs = (drawn**2 - (systems**2).sum(axis=1)) / 2
        return np.asarray(_weight_apart(means, systems, np.maximum(required, self.zero)) / pairs[:, None])

    def _variance(self, topics: NDArray[Any], systems: NDArray[Any]) -> Floats:
        """Mean square of scores about the mean of their topic over the systems drawn, (trials, metrics)."""
        metrics, count, size = self.scores.shape
        drawn = systems.sum(axis=1)[:, None]
        by_system = np.moveaxis(self.scores, -1, 0).reshape(size, -1)
        sums = weighted_sums(systems, by_system).reshape(-1, metrics, count)
        squares = weighted_sums(systems, by_system**2).reshape(-1, metrics, count)
        within = np.maximum(squares - sums**2 / drawn[:, :, None], 0.0)
        total = (within * topics[:, None, :]).sum(axis=-1)
        return np.asarray(total / ((drawn - 1) * topics.sum(axis=1)[:, None]))


def _weight_apart(means: Floats, copies: NDArray[Any], required: Floats) -> Floats:
    """How many pairs of drawn systems are further apart than required: (trials, metrics)."""
    order = np.argsort(means, axis=-1, kind="stable")
    sorted_means = np.take_along_axis(means, order, axis=-1)
    weights = np.take_along_axis(np.broadcast_to(copies[:, None, :], means.shape), order, axis=-1)
    below = np.concatenate([np.zeros((*weights.shape[:-1], 1), dtype=np.int64), weights.cumsum(axis=-1)], axis=-1)
    apart = np.empty(required.shape)
    for place in np.ndindex(required.shape):
        row = sorted_means[place]
        not_above = row.searchsorted(row + required[place], side="right")
        apart[place] = weights[place] @ (below[place][-1] - below[place][not_above])
    return apart
