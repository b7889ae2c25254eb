"""The lists on which everything is tried: the same ones every time.

Thirty lists of twelve gains: without gain, of nothing but perfect items, one perfect item first or last, rising
and falling gains, and the rest drawn with a fixed seed, some sparse and some dense, from 0, 0.25, 0.5 and 1.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.browse.base import Browsing
from metameter.browse.page import Page

COUNT, DEPTH, SEED = 30, 12, 2022


@cache
def gains() -> NDArray[np.float64]:
    """The lists, a row each.

    Examples
    --------
    >>> gains().shape, gains()[:2, 0].tolist()
    ((30, 12), [0.0, 1.0])
    """
    rng = np.random.default_rng(SEED)
    chance = rng.uniform(0.1, 0.9, (COUNT, 1))
    drawn = np.where(rng.random((COUNT, DEPTH)) < chance, rng.choice([0.25, 0.5, 1.0], (COUNT, DEPTH)), 0.0)
    rising = np.linspace(0, 1, DEPTH)
    first = (rising == 0) * 1.0
    drawn[:6] = np.stack([np.zeros(DEPTH), np.ones(DEPTH), first, first[::-1], rising, rising[::-1]])
    drawn.setflags(write=False)
    return drawn


def pages() -> list[Page]:
    """The lists as users meet them: where items cost the same, and where they do not."""
    values = gains()
    costs = np.random.default_rng(SEED + 1).choice([0.5, 1.0, 3.0], values.shape)
    # The collection holds one perfect item that no list has.
    base = values.sum(axis=1) + 1
    return [Page(values, costs=np.ones_like(values), total_gain=base), Page(values, costs=costs, total_gain=base)]


def written(values: Any) -> str:
    """A list as people write it.

    Examples
    --------
    >>> written([1, 0.5, 0])
    '1 0.5 0'
    """
    return " ".join(f"{value:.4g}" for value in values)


def unequal(one: Any, other: Any, tolerance: float = 1e-9) -> tuple[int, ...] | None:
    """Where two arrays differ first, but for rounding; None if nowhere.

    Examples
    --------
    >>> unequal([1.0, 2.0], [1.0, 2.1]), unequal([0.3], [0.1 + 0.2])
    ((1,), None)
    """
    one, other = np.broadcast_arrays(np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64))
    apart = np.argwhere(~np.isclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True))
    return tuple(map(int, apart[0])) if len(apart) else None


def fitting_pages(model: Browsing) -> list[Page]:
    """The pages on which everything is tried, as long as the model's last rank wants them."""
    return [page if model.k is None else page.resized(model.k) for page in pages()]


def continuation_of(model: Browsing, page: Page) -> NDArray[np.float64]:
    """The probability of going on from each rank of each list.

    Examples
    --------
    >>> from metameter.browse.rbp import RBP
    >>> continuation_of(RBP(p=0.5), Page([1, 0]))
    array([0.5, 0.5])
    """
    return np.broadcast_to(model.reading(page)[1], page.gains.shape)


def differs(page: Page, one: Any, other: Any, why: str) -> str | None:
    """The first rank at which two continuations of a page differ, in words; None if there is none.

    Examples
    --------
    >>> differs(Page([[1, 0]]), [[0.5, 0.5]], [[0.5, 0.4]], "before or after lunch")
    'on the list 1 0 the continuation from rank 2 is 0.5 or 0.4, before or after lunch'
    """
    at = unequal(one, other)
    if at is None:
        return None
    shown = f"{np.broadcast_to(one, page.gains.shape)[at]:.6g} or {np.broadcast_to(other, page.gains.shape)[at]:.6g}"
    return f"on the list {written(page.gains[at[0]])} the continuation from rank {at[-1] + 1} is {shown}, {why}"
