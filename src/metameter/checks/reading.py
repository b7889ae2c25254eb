"""How the lists are read by the users of a browsing model, and where two readings differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.browse.base import Browsing
from metameter.browse.page import Page
from metameter.checks.lists import pages, unequal, written

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["continuation_of", "differs", "fitting_pages"]


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
