"""Laws of what happens beyond the end of a list, against lists that are continued with zeros rank by rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from metameter.browse.base import Browsing
from metameter.browse.journey import Tail
from metameter.browse.page import Page
from metameter.checks.lists import pages, written
from metameter.errors import MetameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["left_wrongly", "summed_wrongly"]

# So far are lists continued; there RBP(p=0.99) has no users left, and INSQ has one in a million.
_FURTHER = 4096
_DELTA = 0.7
_CLOSE = 1e-7


def _tail(model: Browsing, page: Page) -> Tail | None:
    """The model's tail; None where it wants a last rank, and so has none."""
    if model.k is not None:
        return None
    try:
        return model.journey(page).tail
    except MetameterError:
        return None


def left_wrongly(model: Browsing) -> str | None:
    """A list on which users leave more than once, or are lost without reading on for ever."""
    for page in pages():
        if model.defined_by == "last":
            summed = np.asarray(model.last(page.resized(model.k or page.depth + _FURTHER))).sum(axis=-1)
            if (summed > 1 + _CLOSE).any():
                row = int(np.argmax(summed))
                return f"on {_shown(page, row)} the probabilities of leaving sum to {np.ravel(summed)[row]:.6g}"
        tail = _tail(model, page)
        if tail is None:
            continue
        beyond = model.journey(page).beyond
        explicit, still = _explicit(model, page)
        # Who is still there at the end of the longer list leaves later or never.
        low, high = explicit["last"], explicit["last"] + still
        lost = (beyond - tail.last > _CLOSE) & np.isfinite(tail.view)
        wrong = np.flatnonzero((tail.last < low - _CLOSE) | (tail.last > high + _CLOSE) | lost)
        if wrong.size:
            row = int(wrong[0])
            shown = f"of {beyond[row]:.6g} who get beyond it {tail.last[row]:.6g} are said to leave"
            return (
                f"on {_shown(page, row)} {shown}; rank by rank it is {low[row]:.6g} of them, and {still[row]:.6g} stay"
            )
    return None


def summed_wrongly(model: Browsing) -> str | None:
    """A list whose tail sums differ from the sums over a longer list and its tail."""
    for page in pages():
        tail = _tail(model, page)
        if tail is None:
            continue
        explicit, still = _explicit(model, page)
        rest = _sums(model.journey(page.resized(page.depth + _FURTHER)).tail)
        # Whose users have all left by then: the sum over the longer list is the whole.
        gone = still * (page.depth + _FURTHER) < 1e-12
        rest["discounted_last"] = rest["discounted_last"] * _DELTA**_FURTHER
        for name, value in _sums(tail).items():
            wanted = explicit[name] + np.where(gone, 0.0, rest[name])
            wrong = np.flatnonzero(~np.isclose(value, wanted, rtol=_CLOSE, atol=_CLOSE))
            if wrong.size:
                row = int(wrong[0])
                return f"on {_shown(page, row)} its {name} is {value[row]:.9g}; rank by rank it is {wanted[row]:.9g}"
    return None


def _sums(tail: Tail) -> dict[str, NDArray[np.float64]]:
    return {
        "view": tail.view,
        "last_per_rank": tail.last_per_rank,
        "discounted_last": tail.discounted_last(_DELTA),
    }


def _explicit(model: Browsing, page: Page) -> tuple[dict[str, NDArray[np.float64]], NDArray[np.float64]]:
    """The sums over further items without gain, and the share of users who go on past them."""
    n = page.depth
    view, continuation = model.reading(page.resized(n + _FURTHER))
    last, m = view[:, n:-1] * (1 - continuation[:, n:]), np.arange(1, _FURTHER + 1)
    sums = {
        "view": view[:, n:-1].sum(axis=-1),
        "last": last.sum(axis=-1),
        "last_per_rank": (last / (n + m)).sum(axis=-1),
        "discounted_last": (last * _DELTA**m).sum(axis=-1),
    }
    return {name: np.broadcast_to(each, len(page.gains)) for name, each in sums.items()}, np.asarray(view[:, -1])


def _shown(page: Page, row: int) -> str:
    return f"the list {written(page.gains[row])}"
