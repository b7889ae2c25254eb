"""Ties with a tolerance: integer codes that tied scores share, average ranks, counts of codes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metameter.stats.checks import RELATIVE_TOLERANCE, Floats, as_finite

_BITS = 53  # scores become integers of this many bits, the precision of float64, relative to the largest score
_ROWS = 256  # vectors sorted at a time: keeps the work in the cache
_PACKED = 512  # for up to this many scores, score and position fit into 62 bits


def tied_codes(scores: ArrayLike) -> NDArray[np.int64]:
    """Return the rank of each score among the distinct values, 0 for the lowest.

    Two scores are tied when they are closer than 1e-12 times the largest absolute score; ties are chained over
    neighbours after sorting. Codes are exact integers: what is computed from them needs no tolerance.

    Parameters
    ----------
    scores : array-like, (..., n)
        Any number of vectors, along the last axis.

    Returns
    -------
    ndarray of int, (..., n)

    Examples
    --------
    >>> tied_codes([0.5, 0.1, 0.1 + 1e-15, 0.9])
    array([1, 0, 0, 2])
    """
    array = as_finite(scores)
    codes = np.zeros(array.shape, dtype=np.int64)
    if array.size:
        rows, out = array.reshape(-1, array.shape[-1]), codes.reshape(-1, array.shape[-1])
        for start in range(0, len(rows), _ROWS):
            out[start : start + _ROWS] = _codes(rows[start : start + _ROWS])
    return codes


def _codes(rows: Floats) -> NDArray[np.int64]:
    order, ascending = _sorted(_fixed_point(rows))
    # A gap of exactly the tolerance is a tie: if all scores are zero, the tolerance is zero and they are tied.
    apart = np.diff(ascending, axis=-1) > RELATIVE_TOLERANCE * 2.0**_BITS
    codes = np.zeros(rows.shape, dtype=np.int64)
    np.cumsum(apart, axis=-1, out=codes[:, 1:])
    out = np.empty(rows.size, dtype=np.int64)
    order += np.arange(0, rows.size, rows.shape[1])[:, None]
    out[order.reshape(-1)] = codes.reshape(-1)
    return out.reshape(rows.shape)


def _fixed_point(rows: Floats) -> NDArray[np.int64]:
    # Sorting integers is several times faster than argsort of floats, see _sorted.
    largest = np.maximum(rows.max(axis=-1, keepdims=True), -rows.min(axis=-1, keepdims=True))
    largest[largest == 0] = 1.0
    scaled = rows / largest
    scaled *= 2.0**_BITS
    np.rint(scaled, out=scaled)
    return np.asarray(scaled, dtype=np.int64)


def _sorted(fixed: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    # Positions in ascending order of score, and the scores in that order.
    n = fixed.shape[-1]
    if n > _PACKED:
        order = np.argsort(fixed, axis=-1, kind="stable")
        return order, np.take_along_axis(fixed, order, axis=-1)
    bits = max(n - 1, 1).bit_length()
    keys = np.left_shift(fixed, bits, out=fixed)
    keys |= np.arange(n)
    keys.sort(axis=-1)
    order = keys & ((1 << bits) - 1)
    keys >>= bits
    return order, keys


def average_ranks(scores: ArrayLike) -> Floats:
    """Return the ranks of scores along the last axis, 1 for the lowest; tied scores share their average rank.

    Examples
    --------
    >>> average_ranks([10, 30, 10, 20])
    array([1.5, 4. , 1.5, 3. ])
    """
    codes = tied_codes(scores)
    rows = codes.reshape(math.prod(codes.shape[:-1]), codes.shape[-1])
    counts = code_counts(rows)
    below = np.cumsum(counts, axis=-1) - counts
    middle = below + (counts + 1) / 2.0
    return np.asarray(np.take_along_axis(middle, rows, axis=-1).reshape(codes.shape))


def code_counts(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how often each code occurs per row: (rows, n) codes below n give (rows, n) counts.

    Examples
    --------
    >>> code_counts(np.array([[0, 0, 1]]))
    array([[2, 1, 0]])
    """
    count, n = rows.shape
    flat = rows + (np.arange(count) * n)[:, None]
    return np.bincount(flat.reshape(-1), minlength=count * n).reshape(count, n)
