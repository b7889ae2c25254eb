"""Sums over ranks, always from the top, so that the sum of a cut list is a partial sum of the whole list.

NumPy's ``sum`` adds in pairs, in an order that depends on the length; ``cumsum`` adds rank by rank. Curves over depths
use ``cumsum``, and equal the scores at each depth to the last bit only if these do so, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: Cells of an array, lists x ranks: their positions in the flat array, and the list that each belongs to.
Cells: TypeAlias = "tuple[NDArray[np.int64], NDArray[np.int64]]"

#: Below this many cells plain sums are the fastest.
FEW = 4096
# Zeros are skipped if fewer than one cell in so many is not 0.
_SPARSE = 8


def sum_down(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of each list, added from the top: the last value of ``np.cumsum``.

    Examples
    --------
    >>> sum_down(np.array([[1.0, 2.0], [3.0, 4.0]])), sum_down(np.empty((2, 0)))
    (array([3., 7.]), array([0., 0.]))
    """
    if not values.shape[-1]:
        return np.zeros(values.shape[:-1])
    if values.size < FEW or values.ndim != 2 or len(values) < 2:
        return np.asarray(values.cumsum(axis=-1)[..., -1])
    # With the ranks first, NumPy adds one rank of all lists after the other: the same sums, several lists at a time.
    return np.asarray(np.add.reduce(np.ascontiguousarray(values.T), axis=0))


def by_rank(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the same values, in memory rank by rank where that makes `sum_down` of products faster.

    Examples
    --------
    >>> by_rank(np.ones((100, 50))).flags.f_contiguous
    True
    """
    if values.size < FEW or values.ndim != 2 or not values.strides[0]:
        return values
    return np.asfortranarray(values)


def where_not_zero(values: NDArray[Any]) -> Cells:
    """Return the cells that are not 0.

    Examples
    --------
    >>> where_not_zero(np.array([[0.0, 2.0], [3.0, 4.0]]))
    (array([1, 2, 3]), array([0, 1, 1]))
    """
    cells = np.flatnonzero(values)
    return cells, cells // max(values.shape[-1], 1)


def sum_where(values: NDArray[np.float64], nonzero: Callable[[], Cells | None]) -> NDArray[np.float64]:
    """Return the result of `sum_down`, faster if few cells are not 0, since adding a 0 changes nothing.

    Examples
    --------
    >>> values = np.array([[0.0, 2.0], [3.0, 4.0]])
    >>> sum_where(values, lambda: where_not_zero(values))
    array([2., 7.])
    """
    if values.size < FEW or values.ndim != 2:
        return sum_down(values)
    known = nonzero()
    if known is None or known[0].size * _SPARSE > values.size:
        return sum_down(values)
    cells, lists = known
    # bincount adds in the order of its arguments, which is that of the ranks.
    return np.asarray(np.bincount(lists, weights=values.ravel()[cells], minlength=len(values)), dtype=np.float64)


def at_each(values: NDArray[Any], depths: NDArray[np.int64]) -> NDArray[Any]:
    """Return ``values`` (... x ranks) at each depth; below the last rank, the last value.

    Examples
    --------
    >>> at_each(np.array([[5, 6, 7]]), np.array([1, 2])), at_each(np.array([[5, 6, 7]]), np.array([3, 9, 1]))
    (array([[5, 6]]), array([[7, 7, 5]]))
    """
    count = depths.size
    if count and depths[0] == 1 and depths[-1] == count <= values.shape[-1] and (np.diff(depths) == 1).all():
        return values[..., :count]  # every depth from the first on
    return np.take(values, depths - 1, axis=-1, mode="clip")
