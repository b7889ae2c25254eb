"""Laws of browsing models."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metameter.browse.base import Browsing
from metameter.browse.page import Page
from metameter.checks.identity import IDENTITY
from metameter.checks.law import Law
from metameter.checks.lists import DEPTH, pages, unequal, written
from metameter.checks.reading import continuation_of, differs, fitting_pages
from metameter.checks.reference import REFERENCE
from metameter.checks.tails import left_wrongly, summed_wrongly
from metameter.checks.users import described_wrongly

__all__ = ["BROWSING"]

_FURTHER = 7


def _improbable(model: Browsing) -> str | None:
    for page in fitting_pages(model):
        view, continuation = model.reading(page)
        for what, values in (("going on from", continuation), ("viewing", view)):
            wrong = np.argwhere(~((values >= 0) & (values <= 1 + 1e-12)))
            if wrong.size:
                at = tuple(wrong[0])
                return f"the probability of {what} rank {at[-1] + 1} is {values[at]:.6g}"
    return None


def _crowded(model: Browsing) -> str | None:
    for page in fitting_pages(model):
        alone = [continuation_of(model, page.select(np.array([row])))[0] for row in range(len(page.gains))]
        shown = differs(page, alone, continuation_of(model, page), "by itself or among other lists")
        if shown:
            return shown
    return None


def _padded(model: Browsing) -> str | None:
    for page in fitting_pages(model):
        if model.k is not None:
            return None  # its pages all have one length
        longer = continuation_of(model, page.resized(page.depth + _FURTHER))[:, : page.depth]
        shown = differs(page, continuation_of(model, page), longer, f"without or with {_FURTHER} zeros at the end")
        if shown:
            return shown
    return None


def _bent(model: Browsing) -> str | None:
    if not model.only_stops_at_k:
        return None
    page = pages()[0].resized(DEPTH)
    few, many = (continuation_of(replace(model, k=k), page.resized(k)) for k in (DEPTH // 2, DEPTH))
    above = DEPTH // 2 - 1
    why = f"with k={DEPTH // 2} or k={DEPTH}"
    return differs(page.resized(above), few[:, :above], many[:, :above], why)


def _ordered(model: Browsing) -> str | None:
    if not model.order_free_view:
        return None
    page = fitting_pages(model)[0]
    turned = Page(page.gains[:, ::-1], total_gain=page.total_gain)
    before, after = (model.reading(each)[0][:, -1] for each in (page, turned))
    at = unequal(before, after)
    if at is None:
        return None
    shown = f"{before[at]:.6g}, turned round {after[at]:.6g}"
    return f"of the list {written(page.gains[at[0]])} the share who get beyond the end is {shown}"


BROWSING = (
    *IDENTITY,
    REFERENCE,
    Law("probability", "the probabilities of viewing a rank and of going on lie in [0, 1]", _improbable),
    Law("batch", "a list is read the same by itself and among others", _crowded, ("probability",)),
    Law("zeros", "items without gain at the end do not change what happens above them", _padded, ("probability",)),
    Law(
        "user",
        "static users go by ranks and costs, adaptive ones also by what they have seen; who knows more is clairvoyant",
        described_wrongly,
        ("probability", "batch", "zeros"),
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
