"""What several simple metrics say together about two systems: all prefer one, none contradicts, a weighted vote."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.stats.preferences import Codes

__all__ = ["Dimensions", "Ties", "all_prefer", "all_tied", "none_contradicts", "others", "vote"]

Ties: TypeAlias = Literal["strict", "agree"]


@dataclass(frozen=True)
class Dimensions:
    """Sets of simple metrics.

    Attributes
    ----------
    sets : tuple of tuple of int
        The positions of the simple metrics of each set.
    weights : tuple of float, optional
        How much each simple metric counts in a vote, by position; None if nobody asks for votes.

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
        """How many simple metrics the largest set has; 0 without weights, when no metric is counted alone."""
        return max(map(len, self.sets), default=0) if self.weights is not None else 0

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The weights of the metrics of each set, as shares of their sum, (sets, widest)."""
        shares = np.zeros((len(self.sets), self.widest))
        for row, members in zip(shares, self.sets if self.weights else (), strict=False):
            row[: len(members)] = [self.weights[member] for member in members]  # type: ignore[index]
            row /= row.sum()
        return shares


def all_prefer(simple: Codes, rows: slice) -> NDArray[np.bool_]:
    """Where every metric prefers the first of two systems, (rows, systems).

    Examples
    --------
    >>> all_prefer(np.array([[1, 0, 0], [2, 1, 0]], dtype=np.float32), slice(0, 1))
    array([[False,  True,  True]])
    """
    return np.asarray((simple[:, rows, None] > simple[:, None, :]).all(axis=0))


def none_contradicts(simple: Codes, rows: slice) -> NDArray[np.bool_]:
    """Where no metric prefers the second of two systems: all prefer the first or see a tie; no system with itself.

    Examples
    --------
    >>> none_contradicts(np.array([[1, 1, 2]], dtype=np.float32), slice(0, 1))
    array([[False,  True, False]])
    """
    return _with_others(np.asarray((simple[:, rows, None] >= simple[:, None, :]).all(axis=0)), rows)


def all_tied(simple: Codes, rows: slice) -> NDArray[np.bool_]:
    """Where every metric sees a tie between two different systems.

    Examples
    --------
    >>> all_tied(np.array([[1, 1, 2]], dtype=np.float32), slice(0, 1))
    array([[False,  True, False]])
    """
    return _with_others(np.asarray((simple[:, rows, None] == simple[:, None, :]).all(axis=0)), rows)


def others(simple: Codes, rows: slice) -> NDArray[np.bool_]:
    """All pairs of different systems.

    Examples
    --------
    >>> others(np.array([[1, 1, 2]], dtype=np.float32), slice(0, 1))
    array([[False,  True,  True]])
    """
    return _with_others(np.ones((len(range(*rows.indices(simple.shape[1]))), simple.shape[1]), dtype=np.bool_), rows)


def vote(simple: Codes, rows: slice, shares: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Where the metrics that prefer the first of two systems have more weight than those that prefer the second.

    Examples
    --------
    >>> vote(np.array([[1, 0], [0, 1]], dtype=np.float32), slice(0, 2), np.array([0.75, 0.25]))
    array([[False,  True],
           [False, False]])
    """
    signs = np.sign(simple[:, rows, None] - simple[:, None, :])
    # Weights such as .1 + .2 against .3 must tie.
    return np.asarray(np.tensordot(shares, signs, axes=1) > 1e-9)


def _with_others(relation: NDArray[np.bool_], rows: slice) -> NDArray[np.bool_]:
    own = np.arange(*rows.indices(relation.shape[1]))
    relation[np.arange(len(own)), own] = False
    return relation
