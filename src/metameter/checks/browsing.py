"""Laws of browsing models."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.browse.base import Browsing
from metameter.browse.page import Page
from metameter.checks.identity import IDENTITY
from metameter.checks.law import Law
from metameter.checks.lists import DEPTH, pages, unequal, written
from metameter.checks.tails import left_wrongly, summed_wrongly

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BROWSING"]

_FURTHER = 7


def _fitting(model: Browsing, page: Page) -> Page:
    return page if model.k is None else page.resized(model.k)


def _continuation(model: Browsing, page: Page) -> NDArray[np.float64]:
    return np.broadcast_to(model.reading(page)[1], page.gains.shape)


def _improbable(model: Browsing) -> str | None:
    for page in pages():
        view, continuation = model.reading(_fitting(model, page))
        for what, values in (("going on from", continuation), ("viewing", view)):
            wrong = np.argwhere(~((values >= 0) & (values <= 1 + 1e-12)))
            if wrong.size:
                at = tuple(wrong[0])
                return f"the probability of {what} rank {at[-1] + 1} is {values[at]:.6g}"
    return None


def _differs(page: Page, one: Any, other: Any, why: str) -> str | None:
    at = unequal(one, other)
    if at is None:
        return None
    shown = f"{np.broadcast_to(one, page.gains.shape)[at]:.6g} or {np.broadcast_to(other, page.gains.shape)[at]:.6g}"
    return f"on the list {written(page.gains[at[0]])} the continuation from rank {at[-1] + 1} is {shown}, {why}"


def _crowded(model: Browsing) -> str | None:
    for page in (_fitting(model, page) for page in pages()):
        alone = [_continuation(model, page.select(np.array([row])))[0] for row in range(len(page.gains))]
        shown = _differs(page, alone, _continuation(model, page), "by itself or among other lists")
        if shown:
            return shown
    return None


def _padded(model: Browsing) -> str | None:
    for page in (_fitting(model, page) for page in pages()):
        if model.k is not None:
            return None  # its pages all have one length
        longer = _continuation(model, page.resized(page.depth + _FURTHER))[:, : page.depth]
        shown = _differs(page, _continuation(model, page), longer, f"without or with {_FURTHER} zeros at the end")
        if shown:
            return shown
    return None


def _misdescribed(model: Browsing) -> str | None:
    if model.user == "clairvoyant":
        return None
    for page in (_fitting(model, page) for page in pages()):
        here, kept = _continuation(model, page), page.depth // 2
        gains = page.gains.copy()
        changed = slice(None) if model.user == "static" else slice(kept, None)
        gains[:, changed] = 1 - gains[:, changed]
        there = _continuation(model, Page(gains, costs=page.costs, total_gain=page.total_gain))
        # Whom the gains seen so far move may change where the gains do.
        shown = page if model.user == "static" else page.resized(kept)
        depth = shown.depth
        why = f"with these gains or others {'anywhere' if model.user == 'static' else f'below rank {kept}'}"
        told = _differs(shown, here[:, :depth], there[:, :depth], f"{why}, but its users are said to be {model.user}")
        if told:
            return told
    return None


def _bent(model: Browsing) -> str | None:
    if not model.only_stops_at_k:
        return None
    page = pages()[0].resized(DEPTH)
    few, many = (_continuation(replace(model, k=k), page.resized(k)) for k in (DEPTH // 2, DEPTH))
    above = DEPTH // 2 - 1
    why = f"with k={DEPTH // 2} or k={DEPTH}"
    return _differs(page.resized(above), few[:, :above], many[:, :above], why)


def _ordered(model: Browsing) -> str | None:
    if not model.order_free_view:
        return None
    page = _fitting(model, pages()[0])
    turned = Page(page.gains[:, ::-1], total_gain=page.total_gain)
    before, after = (model.reading(each)[0][:, -1] for each in (page, turned))
    at = unequal(before, after)
    if at is None:
        return None
    shown = f"{before[at]:.6g}, turned round {after[at]:.6g}"
    return f"of the list {written(page.gains[at[0]])} the share who get beyond the end is {shown}"


BROWSING = (
    *IDENTITY,
    Law("probability", "the probabilities of viewing a rank and of going on lie in [0, 1]", _improbable),
    Law("batch", "a list is read the same by itself and among others", _crowded, ("probability",)),
    Law("zeros", "items without gain at the end do not change what happens above them", _padded, ("probability",)),
    Law(
        "user",
        "static users go by ranks and costs, adaptive ones by what they have seen; who knows more is clairvoyant",
        _misdescribed,
        ("probability", "zeros"),
    ),
    Law("stop", "a model that `only_stops_at_k` is the same above k for every k", _bent, ("probability",)),
    Law("order", "with `order_free_view` the view below some items is the same for every order", _ordered, ("user",)),
    Law(
        "last",
        "every user leaves at one rank, or never, and then the sum of the view beyond the list is infinite",
        left_wrongly,
        ("probability", "zeros"),
    ),
    Law("tail", "the sums beyond the list are those over a long list of zeros", summed_wrongly, ("zeros", "last")),
)
