"""A permutation test of two metrics: their roles are exchanged at random on whole topics.

The cases of a topic share its systems and its judgments, so they are not independent of each other; topics are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.parallel import Workers
from metameter.stats.checks import Floats, require_at_least
from metameter.stats.resampling.replicates import RandomReplicates, Replicates, Stream, map_blocks
from metameter.stats.significance.tukey import count_at_least

_TIE = 1e-9  # sums that are equal on paper differ in their last digits; exact ties must count
_CELLS = 1 << 20


@dataclass(frozen=True, eq=False)
class TopicSwaps:
    """Result of `topic_swaps`.

    Attributes
    ----------
    strength : ndarray, (rows,)
        The sum over topics of each row's differences, over the root of the sum of their squares.
    pvalue : ndarray, (rows,)
        (b + 1) / (trials + 1), where b is the number of trials that reach the strength of the row.
    maxima : ndarray, (trials,)
        The greatest strength of all rows in each trial.
    """

    strength: Floats
    pvalue: Floats
    maxima: Floats

    def familywise(self, maxima: Floats | None = None) -> Floats:
        """Familywise p-values, (b + 1) / (trials + 1): b trials have a row that reaches the strength of this row.

        Parameters
        ----------
        maxima : ndarray, (trials,), optional
            The greatest strengths of a larger family; by default of these rows.
        """
        largest = self.maxima if maxima is None else maxima
        return np.asarray((count_at_least(largest + _TIE, self.strength) + 1) / (len(largest) + 1))


def topic_swaps(
    differences: Floats, *, trials: int = 2000, seed: int = 0, jobs: int | Workers | None = 1
) -> TopicSwaps:
    """Compare sums over topics with their distribution under random signs of each topic's differences.

    Parameters
    ----------
    differences : ndarray of whole numbers, (topics, rows)
        Each topic's evidence for the first of two metrics over the second: cases for it less cases against it.
        All rows have the same signs.
    trials, seed : int
    jobs : int or Workers, optional

    Examples
    --------
    >>> swaps = topic_swaps(np.array([[3.0, 1.0], [2.0, -1.0], [4.0, 1.0], [1.0, -1.0]]), trials=6400)
    >>> swaps.pvalue.round(1)  # all four on one side: 2 of 16 sign patterns; a draw: all of them
    array([0.1, 1. ])
    """
    exact = np.asarray(differences, dtype=np.float64)
    inverse = _inverse(exact)
    strength = np.abs(exact.sum(axis=0)) * inverse
    flips = sign_flips(len(exact), trials, seed)
    blocks = map_blocks(_block, flips, jobs, differences=exact, inverse=inverse, strength=strength)
    reached, maxima = zip(*blocks, strict=True)
    return TopicSwaps(strength, (np.sum(reached, axis=0) + 1) / (trials + 1), np.concatenate(maxima))


def _inverse(differences: Floats) -> Floats:
    # No flip changes a square.
    norm = np.sqrt((differences**2).sum(axis=0))
    return np.asarray(np.divide(1.0, norm, out=np.zeros_like(norm), where=norm > 0))


def _block(
    number: int, *, replicates: Replicates, differences: Floats, inverse: Floats, strength: Floats
) -> tuple[NDArray[np.int64], Floats]:
    """Return how many flips of a block reach each row's strength, and the greatest strength of each flip."""
    flips = replicates.block(number).astype(np.float64)
    reached, maxima = np.zeros(len(strength), dtype=np.int64), np.zeros(len(flips))
    step = max(1, _CELLS // len(flips))
    for some in (slice(start, start + step) for start in range(0, len(strength), step)):
        # Sums of whole numbers are exact in any order.
        flipped = np.abs(flips @ differences[:, some])
        flipped *= inverse[some]
        reached[some] = (flipped + _TIE >= strength[some]).sum(axis=0)
        np.maximum(maxima, flipped.max(axis=1, initial=0.0), out=maxima)
    return reached, maxima


def sign_flips(topics: int, trials: int = 2000, seed: int = 0) -> RandomReplicates:
    """Draw a sign for each topic: replicates (topics,) of 1 and -1, the same sign for all pairs of systems.

    Examples
    --------
    >>> block = sign_flips(5).block(0)
    >>> block.shape, sorted(set(block.ravel().tolist()))
    ((64, 5), [-1, 1])
    """
    require_at_least(topics, 1, "topics")
    return RandomReplicates(trials, partial(_draw_signs, topics=topics), Stream.SIGN_FLIP, seed)


def _draw_signs(rng: np.random.Generator, count: int, *, topics: int) -> NDArray[Any]:
    return 2 * rng.integers(0, 2, size=(count, topics), dtype=np.int8) - 1
