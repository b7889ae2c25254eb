"""What moves the users of a model, and what they make of what they saw: tried out on pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.aggregate.base import Aggregation
from metameter.browse.base import Browsing
from metameter.browse.page import Page
from metameter.metric.taxonomy.probing import Probes, same

if TYPE_CHECKING:
    from collections.abc import Callable


def user_of(model: Browsing, probes: Probes) -> str:
    """``static``: gains do not move them; ``adaptive``: those seen so far do; ``clairvoyant``: those to come too.

    Examples
    --------
    >>> from metameter.metric.examples import example
    >>> [user_of(example("browse", name), Probes(longest=5)) for name in ("RBP", "INST", "AP1")]
    ['static', 'adaptive', 'clairvoyant']
    """
    here = model.journey(probes.graded).continuation
    there = model.journey(probes.other_ends).continuation
    if same(here, here[:1]) and same(here, there):
        return "static"
    # Only ranks above the first change: a user who goes by what they have seen is the same user there.
    above = np.arange(here.shape[-1]) < probes.kept[:, None]
    return "adaptive" if same(here[above], there[above]) else "clairvoyant"


def finite_of(model: Browsing, probes: Probes) -> str:
    """Whether the expected number of items viewed is finite on every page: ``yes``, ``no`` or ``only with @k``.

    Examples
    --------
    >>> from metameter.metric.examples import example
    >>> [finite_of(example("browse", name), Probes(longest=5)) for name in ("RBP", "DCG", "ERR")]
    ['yes', 'only with @k', 'no']
    """
    if model.needs_depth():
        return "only with @k"
    pages = (probes.graded, probes.binary, Page(np.zeros((1, probes.depth))))
    return "yes" if all(np.isfinite(model.journey(page).viewed).all() for page in pages) else "no"


def monotone_of(aggregation: Aggregation, probes: Probes) -> str:
    """Whether what is taken away only grows with every further item, or only falls: which way, or ``no``.

    Examples
    --------
    >>> from metameter.metric.examples import example
    >>> [monotone_of(example("aggregate", name), Probes(longest=5)) for name in ("max", "ERR", "fin")]
    ['non-decreasing', 'non-increasing', 'no']
    """
    steps = np.diff(aggregation.aggregate(probes.graded), axis=-1)
    if (steps >= -1e-12).all():
        return "non-decreasing"
    return "non-increasing" if (steps <= 1e-12).all() else "no"


# What a user takes away in each of the four families of Carterette (2011).
_FAMILIES: dict[int, Callable[[Page], NDArray[np.float64]]] = {
    1: lambda page: page.gains,  # expected utility: of the last item viewed
    2: lambda page: page.cumulative_gain,  # expected total utility: of all items viewed
    3: lambda page: np.broadcast_to(1 / page.ranks, page.gains.shape),  # expected effort: of getting there
    4: lambda page: page.cumulative_gain / page.ranks,  # expected average utility: of the items viewed
}


def carterette_of(aggregation: Aggregation, probes: Probes) -> int | None:
    """The number of the model of Carterette (2011) whose users take that away; None if it matches none.

    Examples
    --------
    >>> from metameter.metric.examples import example
    >>> [carterette_of(example("aggregate", name), Probes(longest=5)) for name in ("fin", "ETG", "ERR", "avg", "max")]
    [1, 2, 3, 4, None]
    """
    if aggregation.rate:
        # Divided by the expected number of items viewed: a quotient of two expectations matches none of the four.
        return None
    aggregated = aggregation.aggregate(probes.graded)
    return next((number for number, family in _FAMILIES.items() if same(aggregated, family(probes.graded))), None)
