"""Which of two systems does a metric prefer on a topic? Numbers to compare, with ties decided by a tolerance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from metameter.errors import MetameterError
from metameter.stats.bit_products import packed
from metameter.stats.ties import tied_codes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import ArrayLike, NDArray

__all__ = ["Codes", "complete_systems", "ordered_pairs", "preference_codes", "rows_at_a_time"]

Codes: TypeAlias = "NDArray[np.float32]"

_CELLS = 1 << 20  # truth values held at a time


def preference_codes(values: ArrayLike) -> Codes:
    """Number the scores along the last axis by size: the metric prefers the system with the higher number.

    Scores closer than 1e-12 times the largest one share a number. A missing score is NaN and stays NaN, so that
    no comparison with it is ever true.

    Parameters
    ----------
    values : array-like, (..., systems)

    Examples
    --------
    >>> preference_codes([0.5, 0.1, np.nan, 0.1 + 1e-15, 0.9])
    array([ 1.,  0., nan,  0.,  2.], dtype=float32)
    """
    array = np.asarray(values, dtype=np.float64)
    missing = np.isnan(array)
    if np.isinf(array).any():
        raise MetameterError("a score is infinite", fix="Give finite scores, or leave the cell empty.")
    if not missing.any():
        return tied_codes(array).astype(np.float32)
    # In the place of a missing score stands one that is there, so that nothing is tied through it.
    present = np.where(missing, -np.inf, array).max(axis=-1, keepdims=True, initial=-np.inf)
    filled = np.where(missing, np.where(np.isinf(present), 0.0, present), array)
    codes = tied_codes(filled).astype(np.float32)
    codes[missing] = np.nan
    return codes


def complete_systems(codes: Codes) -> NDArray[np.bool_]:
    """Which systems have a score from every one of these metrics, (metrics, systems) to (systems,).

    Examples
    --------
    >>> complete_systems(preference_codes([[1, 2, 3], [1, np.nan, 3]]))
    array([ True, False,  True])
    """
    return np.asarray(~np.isnan(codes).any(axis=0))


def rows_at_a_time(matrices: int, systems: int) -> Iterator[slice]:
    """Slices of the systems, so many at a time that all matrices of their pairs with all systems are of bounded size.

    Examples
    --------
    >>> list(rows_at_a_time(1024, 512))[:2]
    [slice(0, 2, None), slice(2, 4, None)]
    """
    step = max(1, _CELLS // max(matrices * systems, 1))
    return (slice(start, start + step) for start in range(0, systems, step))


def ordered_pairs(codes: Codes, rows: slice, compare: Callable[..., Any] = np.greater) -> NDArray[np.uint64]:
    """Of which ordered pairs of systems each metric prefers the first: one bit a pair, (metrics, words).

    Parameters
    ----------
    codes : ndarray, (metrics, systems)
    rows : slice
        Which systems come first in the pairs.
    compare : callable
        By default greater: the metric prefers the first.

    Examples
    --------
    >>> np.unpackbits(ordered_pairs(preference_codes([[0.5, 0.1]]), slice(0, 2)).view(np.uint8))[:4]
    array([0, 1, 0, 0], dtype=uint8)
    """
    return packed(compare(codes[:, rows, None], codes[:, None, :]).reshape(len(codes), -1))
