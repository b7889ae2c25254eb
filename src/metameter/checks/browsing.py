"""Laws of browsing models."""

from __future__ import annotations

from dataclasses import MISSING, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.browse.base import Browsing
from metameter.browse.browsing_state import Tail
from metameter.browse.page import Page
from metameter.checks.identity import IDENTITY, REFERENCE
from metameter.checks.law import Law
from metameter.checks.lists import DEPTH, pages, unequal, written
from metameter.errors import MetameterError
from metameter.metric.examples import DEPTH as EXAMPLE_DEPTH
from metameter.metric.taxonomy.classification import Probes, user_of

# The number of ranks added to lists: so deep, RBP(p=0.99) has no users left, and INSQ one in a million.
_BEYOND = 4096
_DELTA = 0.7
_CLOSE = 1e-7


def _pages_for(model: Browsing) -> list[Page]:
    """The pages of `pages`, cut or extended to the last rank of a model that has one."""
    return [page if model.k is None else page.resized(model.k) for page in pages()]


def _continuation(model: Browsing, page: Page) -> NDArray[np.float64]:
    """The probability of going on from each rank of each list.

    Examples
    --------
    >>> from metameter.browse.rbp import RBP
    >>> _continuation(RBP(p=0.5), Page([1, 0]))
    array([0.5, 0.5])
    """
    return np.broadcast_to(model.reading(page)[1], page.gains.shape)


def _difference(page: Page, one: Any, other: Any, why: str) -> str | None:
    """A sentence on the first rank at which two continuations of a page differ; None if they are equal.

    Examples
    --------
    >>> _difference(Page([[1, 0]]), [[0.5, 0.5]], [[0.5, 0.4]], "before or after lunch")
    'on the list 1 0 the continuation from rank 2 is 0.5 or 0.4, before or after lunch'
    """
    at = unequal(one, other)
    if at is None:
        return None
    first, second = (np.broadcast_to(each, page.gains.shape)[at] for each in (one, other))
    where = f"on {_list(page, at[0])} the continuation from rank {at[-1] + 1}"
    return f"{where} is {first:.6g} or {second:.6g}, {why}"


def _tail(model: Browsing, page: Page) -> Tail | None:
    """The tail of a model; None where it has a last rank, and so no tail."""
    if model.k is not None:
        return None
    try:
        return model.browsing_state(page).tail
    except MetameterError:
        return None


def _left_wrongly(model: Browsing) -> str | None:
    """A list on which the probabilities of leaving sum to more than one, or to less than they should."""
    for page in pages():
        if model.defined_by == "last":
            summed = np.asarray(model.last(page.resized(model.k or page.depth + _BEYOND))).sum(axis=-1)
            if (summed > 1 + _CLOSE).any():
                row = int(np.argmax(summed))
                return f"on {_list(page, row)} the probabilities of leaving sum to {np.ravel(summed)[row]:.6g}"
        tail = _tail(model, page)
        if tail is None:
            continue
        beyond = model.browsing_state(page).beyond
        explicit, still = _explicit(model, page)
        # Users who reach the end of the longer list leave later or never.
        low, high = explicit["last"], explicit["last"] + still
        lost = (beyond - tail.last > _CLOSE) & np.isfinite(tail.view)
        wrong = np.flatnonzero((tail.last < low - _CLOSE) | (tail.last > high + _CLOSE) | lost)
        if wrong.size:
            row = int(wrong[0])
            stated = f"of {beyond[row]:.6g} who get beyond it {tail.last[row]:.6g} are said to leave"
            counted = f"rank by rank it is {low[row]:.6g} of them, and {still[row]:.6g} stay"
            return f"on {_list(page, row)} {stated}; {counted}"
    return None


def _summed_wrongly(model: Browsing) -> str | None:
    """A list whose tail sums differ from the sums over a longer list and its tail."""
    for page in pages():
        tail = _tail(model, page)
        if tail is None:
            continue
        explicit, still = _explicit(model, page)
        rest = _sums(model.browsing_state(page.resized(page.depth + _BEYOND)).tail)
        # If all users have left by then, the sum over the longer list is complete.
        gone = still * (page.depth + _BEYOND) < 1e-12
        rest["discounted_last"] = rest["discounted_last"] * _DELTA**_BEYOND
        for name, value in _sums(tail).items():
            summed = explicit[name] + np.where(gone, 0.0, rest[name])
            wrong = np.flatnonzero(~np.isclose(value, summed, rtol=_CLOSE, atol=_CLOSE))
            if wrong.size:
                row = int(wrong[0])
                return f"on {_list(page, row)} its {name} is {value[row]:.9g}; rank by rank it is {summed[row]:.9g}"
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
    view, continuation = model.reading(page.resized(n + _BEYOND))
    last, m = view[:, n:-1] * (1 - continuation[:, n:]), np.arange(1, _BEYOND + 1)
    sums = {
        "view": view[:, n:-1].sum(axis=-1),
        "last": last.sum(axis=-1),
        "last_per_rank": (last / (n + m)).sum(axis=-1),
        "discounted_last": (last * _DELTA**m).sum(axis=-1),
    }
    return {name: np.broadcast_to(each, len(page.gains)) for name, each in sums.items()}, np.asarray(view[:, -1])


def _list(page: Page, row: int) -> str:
    return f"the list {written(page.gains[row])}"


_FURTHER = 7


def _improbable(model: Browsing) -> str | None:
    for page in _pages_for(model):
        view, continuation = model.reading(page)
        for what, values in (("going on from", continuation), ("viewing", view)):
            wrong = np.argwhere(~((values >= 0) & (values <= 1 + 1e-12)))
            if wrong.size:
                at = tuple(wrong[0])
                return f"the probability of {what} rank {at[-1] + 1} is {values[at]:.6g}"
    return None


def _dependent_on_other_lists(model: Browsing) -> str | None:
    for page in _pages_for(model):
        alone = [_continuation(model, page.select(np.array([row])))[0] for row in range(len(page.gains))]
        if problem := _difference(page, alone, _continuation(model, page), "by itself or among other lists"):
            return problem
    return None


def _dependent_on_padding(model: Browsing) -> str | None:
    for page in _pages_for(model):
        if model.k is not None:
            return None  # its pages all have one length
        longer = _continuation(model, page.resized(page.depth + _FURTHER))[:, : page.depth]
        if problem := _difference(
            page, _continuation(model, page), longer, f"without or with {_FURTHER} zeros at the end"
        ):
            return problem
    return None


def _dependent_on_k(model: Browsing) -> str | None:
    if not model.only_stops_at_k:
        return None
    page = pages()[0].resized(DEPTH)
    few, many = (_continuation(replace(model, k=k), page.resized(k)) for k in (DEPTH // 2, DEPTH))
    above = DEPTH // 2 - 1
    why = f"with k={DEPTH // 2} or k={DEPTH}"
    return _difference(page.resized(above), few[:, :above], many[:, :above], why)


def _ordered(model: Browsing) -> str | None:
    if not model.order_free_view:
        return None
    page = _pages_for(model)[0]
    turned = Page(page.gains[:, ::-1], total_gain=page.total_gain)
    before, after = (model.reading(each)[0][:, -1] for each in (page, turned))
    at = unequal(before, after)
    if at is None:
        return None
    shares = f"{before[at]:.6g}, turned round {after[at]:.6g}"
    return f"of {_list(page, at[0])} the share who get beyond the end is {shares}"


class _Furnished(Probes):
    """The lists of the taxonomy, with costs and a recall base for models that need them."""

    @cached_property
    def graded(self) -> Page:
        return _furnished(super().graded)

    @cached_property
    def other_ends(self) -> Page:
        return _furnished(super().other_ends)


def _furnished(page: Page) -> Page:
    # The recall base depends on the list: a model that uses it knows about later gains.
    return Page(page.gains, costs=np.ones_like(page.gains), total_gain=page.gains.sum(axis=-1) + 1)


def _described_wrongly(model: Browsing) -> str | None:
    """A list on which users react to more than ``user`` says, or their kind if they react to less."""
    return _understated(model) or _overstated(model)


def _understated(model: Browsing) -> str | None:
    if model.user == "clairvoyant":
        return None
    for page in _pages_for(model):
        unchanged = 0 if model.user == "static" else max(1, page.depth // 2)
        gains = page.gains.copy()
        gains[:, unchanged:] = 1 - gains[:, unchanged:]
        other = Page(gains, costs=page.costs, total_gain=page.total_gain)
        # Static users are the same at every rank, others above the first gain that changes.
        compared = page.resized(unchanged or page.depth)
        here, there = (_continuation(model, each)[:, : compared.depth] for each in (page, other))
        where = f"below rank {unchanged}" if unchanged else "anywhere"
        why = f"with these gains or others {where}, but its users are said to be {model.user}"
        if problem := _difference(compared, here, there, why):
            return problem
    return None


def _overstated(model: Browsing) -> str | None:
    # `user` belongs to a class. With some parameters (p = 0, @1) users react to nothing, so typical values are tested.
    typical = _typical(model)
    users = user_of(typical, _Furnished(max(EXAMPLE_DEPTH, typical.k or 0)))
    if users == model.user:
        return None
    return f"its users are said to be {model.user}, but on every list that was tried those of {typical} are {users}"


def _typical(model: Browsing) -> Browsing:
    """The model with the values that its class has by default or as an example."""
    without_default = (each for each in fields(model) if each.default is MISSING and each.default_factory is MISSING)
    required = {each.name: getattr(model, each.name) for each in without_default}
    depth = {"k": EXAMPLE_DEPTH} if model.needs_depth() else {}
    return type(model)(**{**required, **model.example, **depth})


BROWSING = (
    *IDENTITY,
    REFERENCE,
    Law("probability", "the probabilities of viewing a rank and of going on lie in [0, 1]", _improbable),
    Law("batch", "a list is read the same by itself and among others", _dependent_on_other_lists, ("probability",)),
    Law(
        "zeros",
        "items without gain at the end do not change what happens above them",
        _dependent_on_padding,
        ("probability",),
    ),
    Law(
        "user",
        "static users go by ranks and costs, adaptive ones also by what they have seen; who knows more is clairvoyant",
        _described_wrongly,
        ("probability", "batch", "zeros"),
    ),
    Law("stop", "a model that `only_stops_at_k` is the same above k for every k", _dependent_on_k, ("probability",)),
    Law("order", "with `order_free_view` the view below some items is the same for every order", _ordered, ("user",)),
    Law(
        "last",
        "every user leaves at one rank, or never, and then the sum of the view beyond the list is infinite",
        _left_wrongly,
        ("probability", "zeros"),
    ),
    Law("tail", "the sums beyond the list are those over a long list of zeros", _summed_wrongly, ("zeros", "last")),
)
