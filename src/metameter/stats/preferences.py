"""Which of two systems does a metric prefer on a topic? Numbers to compare, with ties decided by a tolerance."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from metameter.errors import MetameterError
from metameter.stats.ties import tied_codes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

__all__ = ["Codes", "complete_systems", "ordered_pairs", "preference_codes", "rows_at_a_time"]

Codes: TypeAlias = "NDArray[np.float32]"

_CELLS = 1 << 20  # preferences of all metrics held at a time; far below 2^24, where float32 stops counting


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


def rows_at_a_time(metrics: int, systems: int) -> Iterator[slice]:
    """Slices of the systems, so many at a time that their pairs with all systems fit into the cache.

    Examples
    --------
    >>> list(rows_at_a_time(1024, 512))[:2]
    [slice(0, 2, None), slice(2, 4, None)]
    """
    step = max(1, _CELLS // max(metrics * systems, 1))
    return (slice(start, start + step) for start in range(0, systems, step))


def ordered_pairs(codes: Codes, rows: slice) -> tuple[Codes, Codes]:
    """Where each metric prefers the first of two systems, and where the second: ones, (metrics, rows x systems).

    Examples
    --------
    >>> better, worse = ordered_pairs(preference_codes([[0.5, 0.1]]), slice(0, 2))
    >>> better, worse  # (0,0), (0,1), (1,0), (1,1)
    (array([[0., 1., 0., 0.]], dtype=float32), array([[0., 0., 1., 0.]], dtype=float32))
    """
    first, second = codes[:, rows, None], codes[:, None, :]
    return tuple(  # type: ignore[return-value]
        np.asarray(each, dtype=np.float32).reshape(len(codes), -1) for each in (first > second, first < second)
    )
