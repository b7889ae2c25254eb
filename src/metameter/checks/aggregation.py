"""Laws of aggregations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metameter.aggregate.base import Aggregation
from metameter.browse.page import Page
from metameter.checks.identity import IDENTITY, REFERENCE
from metameter.checks.law import Law
from metameter.checks.lists import DEPTH, gains, unequal, written

_FURTHER = 60


def _aggregate(aggregation: Aggregation, values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.broadcast_to(aggregation.aggregate(Page(values)), values.shape)


def _infinite(aggregation: Aggregation) -> str | None:
    wrong = np.argwhere(~np.isfinite(_aggregate(aggregation, gains())))
    if not len(wrong):
        return None
    row, rank = wrong[0]
    return f"on the list {written(gains()[row])} it has no value at rank {rank + 1}"


def _dependent_on_other_lists(aggregation: Aggregation) -> str | None:
    alone = [aggregation.aggregate(Page(row)) for row in gains()]
    at = unequal(alone, _aggregate(aggregation, gains()))
    return (
        None if at is None else f"the list {written(gains()[at[0]])} gives something else by itself than among others"
    )


def _dependent_on_later_gains(aggregation: Aggregation) -> str | None:
    changed, half = gains().copy(), DEPTH // 2
    changed[:, half:] = 1 - changed[:, half:]
    at = unequal(_aggregate(aggregation, gains())[:, :half], _aggregate(aggregation, changed)[:, :half])
    if at is None:
        return None
    return f"on the list {written(gains()[at[0]])} its value at rank {at[1] + 1} changes with gains below rank {half}"


def _wrong_beyond(aggregation: Aggregation) -> str | None:
    m = np.arange(1, _FURTHER + 1)
    for gain in (0.0, 1.0):
        page = Page(gains())
        rest = aggregation.beyond(page, _aggregate(aggregation, gains()), gain)
        parts = [rest.constant, rest.per_rank, rest.forgotten]
        a, b, c = (np.broadcast_to(part, len(page.gains))[:, None] for part in parts)
        stated = a + rest.growth * m + b / (DEPTH + m) + c * rest.delta**m
        explicit = _aggregate(aggregation, page.resized(DEPTH + _FURTHER, gain).gains)[:, DEPTH:]
        at = unequal(stated, explicit)
        if at:
            values = f"{stated[at]:.6g}, the list continued with gain {gain:g} gives {explicit[at]:.6g}"
            return f"on the list {written(gains()[at[0]])} `beyond` gives at the {at[1] + 1}th further rank {values}"
    return None


def _falling(aggregation: Aggregation) -> str | None:
    if not aggregation.rises_with_gain:
        return None
    before = _aggregate(aggregation, gains())
    for rank in range(DEPTH):
        higher = gains().copy()
        higher[:, rank] = 1.0
        wrong = np.argwhere(_aggregate(aggregation, higher) < before - 1e-9)
        if len(wrong):
            return f"on the list {written(gains()[wrong[0, 0]])} it falls when the gain of rank {rank + 1} rises to 1"
    return None


def _unlike_a_sum(aggregation: Aggregation) -> str | None:
    if not (aggregation.additive or aggregation.rate):
        return None
    at = unequal(_aggregate(aggregation, gains()), np.cumsum(gains(), axis=1))
    return (
        None
        if at is None
        else f"on the list {written(gains()[at[0]])} it is not the sum of the gains down to rank {at[1] + 1}"
    )


AGGREGATION = (
    *IDENTITY,
    REFERENCE,
    Law("value", "it is a finite number at every rank", _infinite),
    Law("batch", "a list gives the same by itself and among others", _dependent_on_other_lists, ("value",)),
    Law(
        "past",
        "what a user takes away from rank i depends on ranks 1 to i alone",
        _dependent_on_later_gains,
        ("value",),
    ),
    Law("beyond", "`beyond` tells what `aggregate` gives on a longer list", _wrong_beyond, ("value", "past")),
    Law("rises", "with `rises_with_gain` it never falls when a gain rises", _falling, ("value",)),
    Law("sum", "what is `additive` or a `rate` aggregates the sum of the gains", _unlike_a_sum, ("value",)),
)
