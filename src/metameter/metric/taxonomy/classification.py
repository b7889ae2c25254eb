"""Classify products, browsing models and aggregations by what they do on random pages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.aggregate.base import Aggregation
from metameter.browse.base import Browsing
from metameter.browse.page import Page
from metameter.metric.product import Product

if TYPE_CHECKING:
    from collections.abc import Callable


_LISTS, _ORDERS, _SEED = 60, 6, 2022
# Sums over thousands of ranks agree to about 1e-12; different metrics differ by far more on some list.
_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Probes:
    """Lists of random gains from a fixed seed, longer than any last rank.

    Some lists are dense and some sparse; half of the gains above 0 are uniform in [0, 1), the others 1.

    Parameters
    ----------
    longest : int
        The largest k of the models that are tried.

    Examples
    --------
    >>> probes = Probes(longest=5)
    >>> probes.graded.depth, sorted({float(gain) for gain in probes.binary.gains.flat})
    (17, [0.0, 1.0])
    """

    longest: int

    @property
    def depth(self) -> int:
        """How long the lists are."""
        return 2 * self.longest + 7

    @cached_property
    def binary(self) -> Page:
        """Lists of gains 0 and 1, each with at least one 1."""
        return Page(self._relevant().astype(np.float64))

    @cached_property
    def graded(self) -> Page:
        """Lists of gains in [0, 1]."""
        rng = np.random.default_rng([_SEED, 1])
        some = rng.random((_LISTS, self.depth))
        return Page(self._relevant() * np.where(rng.random(some.shape) < 0.5, some, 1.0))

    @cached_property
    def shuffled(self) -> Page:
        """Each of the graded lists in several orders: lists x orders x ranks."""
        rng = np.random.default_rng([_SEED, 2])
        return Page(rng.permuted(np.repeat(self.graded.gains[:, None], _ORDERS, axis=1), axis=-1))

    @cached_property
    def other_ends(self) -> Page:
        """The graded lists with other gains from some rank on, which differs from list to list."""
        rng = np.random.default_rng([_SEED, 3])
        return Page(
            np.where(np.arange(self.depth) < self.shared_ranks[:, None], self.graded.gains, rng.random(self._shape))
        )

    @cached_property
    def shared_ranks(self) -> NDArray[np.int64]:
        """The number of ranks at which each list equals that of ``other_ends``."""
        return np.arange(_LISTS) % self.longest

    @property
    def _shape(self) -> tuple[int, int]:
        return _LISTS, self.depth

    def _relevant(self) -> NDArray[np.bool_]:
        rng = np.random.default_rng([_SEED, 0])
        chance = rng.uniform(0.05, 0.8, (_LISTS, 1))
        relevant = rng.random(self._shape) < chance
        relevant[np.arange(_LISTS), rng.integers(0, self.depth, _LISTS)] = True
        return relevant


@cache
def probes_of(longest: int) -> Probes:
    """The probes for a largest k, cached."""
    return Probes(longest)


def same(one: NDArray[np.float64], other: NDArray[np.float64] | float) -> bool:
    """Whether scores agree apart from rounding.

    Examples
    --------
    >>> same(np.array([0.3]), 0.1 + 0.2), same(np.array([0.3]), 0.31)
    (True, False)
    """
    return bool(np.allclose(one, other, rtol=_TOLERANCE, atol=_TOLERANCE, equal_nan=True))


def class_of(product: Product, probes: Probes) -> str:
    """``constant`` if gains do not matter, ``order-insensitive`` if their order does not, else ``metric``.

    Examples
    --------
    >>> from metameter.metric.examples import product
    >>> [class_of(product(*names), Probes(longest=5)) for names in [("RBP", "ERG"), ("RBP", "ERR"), ("AP2", "fin")]]
    ['metric', 'constant', 'order-insensitive']
    """
    scores = product.score_page(probes.shuffled)
    if same(scores, float(scores.flat[0])):
        return "constant"
    return "order-insensitive" if same(scores, scores[:, :1]) else "metric"


def user_of(model: Browsing, probes: Probes) -> str:
    """``static`` if gains do not matter, ``adaptive`` if those seen so far do, ``clairvoyant`` if later ones do.

    Examples
    --------
    >>> from metameter.metric.examples import example
    >>> [user_of(example("browse", name), Probes(longest=5)) for name in ("RBP", "INST", "AP1")]
    ['static', 'adaptive', 'clairvoyant']
    """
    here = model.browsing_state(probes.graded).continuation
    there = model.browsing_state(probes.other_ends).continuation
    if same(here, here[:1]) and same(here, there):
        return "static"
    # Above the first change, users who depend on what they have seen behave alike.
    above = np.arange(here.shape[-1]) < probes.shared_ranks[:, None]
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
    return "yes" if all(np.isfinite(model.browsing_state(page).viewed).all() for page in pages) else "no"


def monotone_of(aggregation: Aggregation, probes: Probes) -> str:
    """Whether the aggregate is ``non-decreasing`` or ``non-increasing`` with every further item, or ``no``.

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


# The aggregate of each of the four model families of Carterette (2011).
_FAMILIES: dict[int, Callable[[Page], NDArray[np.float64]]] = {
    1: lambda page: page.gains,  # expected utility: of the last item viewed
    2: lambda page: page.cumulative_gain,  # expected total utility: of all items viewed
    3: lambda page: np.broadcast_to(1 / page.ranks, page.gains.shape),  # expected effort: of getting there
    4: lambda page: page.cumulative_gain / page.ranks,  # expected average utility: of the items viewed
}


def carterette_of(aggregation: Aggregation, probes: Probes) -> int | None:
    """The number of the model family of Carterette (2011) with this aggregate; None if there is none.

    Examples
    --------
    >>> from metameter.metric.examples import example
    >>> [carterette_of(example("aggregate", name), Probes(longest=5)) for name in ("fin", "ETG", "ERR", "avg", "max")]
    [1, 2, 3, 4, None]
    """
    if aggregation.rate:
        # A quotient of two expectations, since it is divided by the expected number of items viewed, matches none.
        return None
    aggregated = aggregation.aggregate(probes.graded)
    return next((number for number, family in _FAMILIES.items() if same(aggregated, family(probes.graded))), None)
