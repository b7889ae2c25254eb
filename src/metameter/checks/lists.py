"""The lists of gains on which every law is tested, the same ones every time.

Thirty lists of twelve gains: all zero, all one, a single one at the first or the last rank, rising, falling, and the
rest drawn from 0, 0.25, 0.5 and 1 with a fixed seed, some sparse and some dense.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.browse.page import Page

COUNT, DEPTH, SEED = 30, 12, 2022


@cache
def gains() -> NDArray[np.float64]:
    """The lists, one per row.

    Examples
    --------
    >>> gains().shape, gains()[:2, 0].tolist()
    ((30, 12), [0.0, 1.0])
    """
    rng = np.random.default_rng(SEED)
    chance = rng.uniform(0.1, 0.9, (COUNT, 1))
    lists = np.where(rng.random((COUNT, DEPTH)) < chance, rng.choice([0.25, 0.5, 1.0], (COUNT, DEPTH)), 0.0)
    rising = np.linspace(0, 1, DEPTH)
    first = (rising == 0) * 1.0
    lists[:6] = np.stack([np.zeros(DEPTH), np.ones(DEPTH), first, first[::-1], rising, rising[::-1]])
    lists.setflags(write=False)
    return lists


def pages() -> list[Page]:
    """The lists as pages: one page with equal costs of items, one with different costs."""
    values = gains()
    costs = np.random.default_rng(SEED + 1).choice([0.5, 1.0, 3.0], values.shape)
    # The collection holds one perfect item that no list has.
    base = values.sum(axis=1) + 1
    return [Page(values, costs=np.ones_like(values), total_gain=base), Page(values, costs=costs, total_gain=base)]


def written(values: Any) -> str:
    """A list as text.

    Examples
    --------
    >>> written([1, 0.5, 0])
    '1 0.5 0'
    """
    return " ".join(f"{value:.4g}" for value in values)


def unequal(one: Any, other: Any, tolerance: float = 1e-9) -> tuple[int, ...] | None:
    """The first index at which two arrays differ by more than rounding; None if they are equal.

    Examples
    --------
    >>> unequal([1.0, 2.0], [1.0, 2.1]), unequal([0.3], [0.1 + 0.2])
    ((1,), None)
    """
    one, other = np.broadcast_arrays(np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64))
    apart = np.argwhere(~np.isclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True))
    return tuple(map(int, apart[0])) if len(apart) else None
