"""What several simple metrics say together about two systems: all prefer one, none contradicts, a weighted vote."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metameter.stats.dimensions.preferences import Preferences, Word64s, pack_bits, unpack_bits

Ties: TypeAlias = Literal["strict", "agree"]
#: Pairs of systems of which the metrics side with the first, and with the second.
Sides: TypeAlias = tuple[Word64s, Word64s]

_TIE = 1e-9


@dataclass(frozen=True)
class Dimensions:
    """Sets of simple metrics.

    Attributes
    ----------
    sets : tuple of tuple of int
        The positions of the simple metrics of each set.
    weights : tuple of float, optional
        The weight of each simple metric in a vote, by position; None unless votes are requested.

    Examples
    --------
    >>> Dimensions(((0,), (0, 1)), (0.5, 0.25)).shares
    array([[1.        , 0.        ],
           [0.66666667, 0.33333333]])
    """

    sets: tuple[tuple[int, ...], ...]
    weights: tuple[float, ...] | None = None

    @property
    def widest(self) -> int:
        """The number of simple metrics in the largest set; 0 without weights, when no metric is counted alone."""
        return max(map(len, self.sets), default=0) if self.weights is not None else 0

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The weights of the metrics of each set, as shares of their sum, (sets, widest)."""
        shares = np.zeros((len(self.sets), self.widest))
        for row, members in zip(shares, self.sets if self.weights else (), strict=False):
            # The metric of a set of one has a share of 1, even if its weight is 0.
            row[: len(members)] = [self.weights[each] for each in members] if len(members) > 1 else 1.0  # type: ignore[index]
            row /= row.sum()
        return shares


def all_prefer(simple: Preferences) -> Sides:
    """The pairs of which every metric prefers the first, and those of which every metric prefers the second.

    Examples
    --------
    >>> from metameter.stats.dimensions.preferences import iterate_preferences
    >>> [one] = iterate_preferences(np.array([[1, 0, 0], [2, 1, 0]], dtype=np.float32))
    >>> [unpack_bits(side)[:3].tolist() for side in all_prefer(one)]  # (0,1), (1,2), (2,0)
    [[True, False, False], [False, False, True]]
    """
    return _all(simple.first), _all(simple.second)


def none_contradicts(simple: Preferences) -> Sides:
    """The pairs of which no metric prefers the second, and those of which no metric prefers the first.

    Examples
    --------
    >>> from metameter.stats.dimensions.preferences import iterate_preferences
    >>> [one] = iterate_preferences(np.array([[1, 1, 2]], dtype=np.float32))
    >>> [unpack_bits(side)[:3].tolist() for side in none_contradicts(one)]
    [[True, False, True], [True, True, False]]
    """
    return _all(simple.first | simple.level), _all(simple.second | simple.level)


def all_tied(simple: Preferences) -> Word64s:
    """The pairs of systems that every metric scores equally.

    Examples
    --------
    >>> from metameter.stats.dimensions.preferences import iterate_preferences
    >>> [one] = iterate_preferences(np.array([[1, 1, 2]], dtype=np.float32))
    >>> unpack_bits(all_tied(one))[:3].tolist()
    [True, False, False]
    """
    return _all(simple.level)


def vote(simple: Preferences, shares: NDArray[np.float64]) -> Sides:
    """The pairs whose first system has more weight of metrics that prefer it, and those whose second system has.

    Examples
    --------
    >>> from metameter.stats.dimensions.preferences import iterate_preferences
    >>> [one] = iterate_preferences(np.array([[1, 0, 0], [0, 1, 0]], dtype=np.float32))
    >>> [unpack_bits(side)[:3].tolist() for side in vote(one, np.array([0.75, 0.25]))]
    [[True, True, False], [False, False, True]]
    """
    balance = np.tensordot(shares, unpack_bits(simple.first).astype(np.int8) - unpack_bits(simple.second), axes=1)
    # Weights such as .1 + .2 against .3 must tie.
    return pack_bits(np.asarray(balance > _TIE)), pack_bits(np.asarray(balance < -_TIE))


def _all(word64s: Word64s) -> Word64s:
    return np.asarray(np.bitwise_and.reduce(word64s, axis=0))
