"""The law of what moves users: they know no more than their model says, and no less."""

from __future__ import annotations

from dataclasses import MISSING, fields
from functools import cached_property
from typing import Any

import numpy as np

from metameter.browse.base import Browsing
from metameter.browse.page import Page
from metameter.checks.lists import continuation_of, differs, fitting_pages
from metameter.metric.examples import DEPTH
from metameter.metric.taxonomy.classification import Probes, user_of


class _Furnished(Probes):
    """The lists of the taxonomy, with costs and a recall base for models that need them."""

    @cached_property
    def graded(self) -> Page:
        return _furnished(super().graded)

    @cached_property
    def other_ends(self) -> Page:
        return _furnished(super().other_ends)


def _furnished(page: Page) -> Page:
    # The recall base follows the list: who goes by it knows of gains that are still to come.
    return Page(page.gains, costs=np.ones_like(page.gains), total_gain=page.gains.sum(axis=-1) + 1)


def described_wrongly(model: Browsing) -> str | None:
    """A list on which users are moved by more than ``user`` says, or what they are if they are moved by less."""
    return _understated(model) or _overstated(model)


def _understated(model: Browsing) -> str | None:
    if model.user == "clairvoyant":
        return None
    for page in fitting_pages(model):
        kept = 0 if model.user == "static" else max(1, page.depth // 2)
        gains = page.gains.copy()
        gains[:, kept:] = 1 - gains[:, kept:]
        other = Page(gains, costs=page.costs, total_gain=page.total_gain)
        # Static users are the same at every rank, others above the first gain that changes.
        shown = page.resized(kept or page.depth)
        here, there = (continuation_of(model, each)[:, : shown.depth] for each in (page, other))
        where = f"below rank {kept}" if kept else "anywhere"
        why = f"with these gains or others {where}, but its users are said to be {model.user}"
        if told := differs(shown, here, there, why):
            return told
    return None


def _overstated(model: Browsing) -> str | None:
    # `user` is said of a class. Some values leave nothing to be moved by (p = 0, @1), so others stand for the class.
    typical = _typical(model)
    users = user_of(typical, _Furnished(max(DEPTH, typical.k or 0)))
    if users == model.user:
        return None
    return f"its users are said to be {model.user}, but on every list that was tried those of {typical} are {users}"


def _typical(model: Browsing) -> Browsing:
    """The model with the values that its class has by default or as an example."""
    required = [each.name for each in fields(model) if each.default is MISSING and each.default_factory is MISSING]
    values: dict[str, Any] = {name: getattr(model, name) for name in required} | model.example
    if model.needs_depth():
        values["k"] = DEPTH
    return type(model)(**values)
