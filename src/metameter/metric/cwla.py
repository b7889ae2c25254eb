r"""C/W/L/A: the one place where the framework's equations stand.

A browsing model gives C(i), hence V(i), W(i) and L(i); an aggregation gives A(i). Their product is the metric

.. math:: M = \sum_{i=1}^{\infty} L(i) A(i).

Beyond the end n of a list every gain is 0 (for an upper bound: 1), and every aggregation has the form
``A(n+m) = a + b/(n+m) + c delta^m + d m``; so the infinite rest is the aggregation's coefficients times the browsing
model's tail sums, exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from metameter.aggregate.base import Aggregation
from metameter.browse.base import Browsing
from metameter.browse.journey import Journey, Tail
from metameter.browse.page import Page

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["expected_aggregate", "expected_at_cuts", "expected_at_stops"]


def expected_aggregate(
    journey: Journey,
    page: Page,
    aggregation: Aggregation,
    gain: float = 0.0,
    A: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """M, the aggregate that users take away on average, for each list of the page; beyond it every gain is the same.

    A(i) of the page may be given where it is known already; additive aggregations do without.

    Examples
    --------
    >>> from metameter.aggregate.erg import ERG
    >>> from metameter.browse.rbp import RBP
    >>> page = Page([1, 0, 1])
    >>> float(expected_aggregate(RBP(p=0.5).journey(page), page, ERG()))
    0.625
    """
    V, L, tail = journey.view, journey.last, journey.tail
    if aggregation.additive:
        if aggregation.rate:
            # The rate beyond the end is the gain there; how far the list departs from it is a finite sum.
            return np.asarray(gain + np.einsum("...i,...i->...", V, page.gains - gain) / journey.viewed)
        # sum L(i) sum_{j<=i} r_j = sum V(i) r_i: no tail. Only those who never leave take nothing away.
        gathered = np.einsum("...i,...i->...", V, page.gains) - page.list_gain * (journey.beyond - tail.last)
        return np.asarray(gathered + gain * tail.view if gain else gathered)
    A = aggregation.aggregate(page) if A is None else A
    return _with_tail(np.einsum("...i,...i->...", L, A), tail, page, A, aggregation, gain)


def _with_tail(
    total: NDArray[np.float64],
    tail: Tail,
    page: Page,
    A: NDArray[np.float64],
    aggregation: Aggregation,
    gain: float = 0.0,
) -> NDArray[np.float64]:
    rest = aggregation.beyond(page, A, gain)
    total = total + rest.constant * tail.last + rest.per_rank * tail.last_per_rank
    if rest.growth:
        total = total + rest.growth * tail.view
    if rest.delta:
        total = total + rest.forgotten * tail.discounted_last(rest.delta)
    return np.asarray(total)


def expected_at_cuts(
    model: Browsing, page: Page, aggregation: Aggregation, depths: Sequence[int]
) -> list[NDArray[np.float64]]:
    """M of the page cut after each depth, for users who go by what they have seen: what follows cannot move them.

    Examples
    --------
    >>> from metameter.aggregate.erg import ERG
    >>> from metameter.browse.rbp import RBP
    >>> [float(M) for M in expected_at_cuts(RBP(p=0.5), Page([1, 0, 1]), ERG(), [1, 2, 3])]
    [0.5, 0.5, 0.625]
    """
    V, C = model.reading(page)
    r, A = page.gains, aggregation.aggregate(page)
    viewed, gained = np.cumsum(V, axis=-1), np.cumsum(V[..., :-1] * r, axis=-1)
    aggregated = np.cumsum(V[..., :-1] * (1.0 - C) * A, axis=-1)
    scores = []
    for k in depths:
        cut, beyond = page.resized(k), V[..., k]
        tail = model.tail(cut, beyond)
        if aggregation.additive and aggregation.rate:
            M = gained[..., k - 1] / (viewed[..., k - 1] + tail.view)
        elif aggregation.additive:
            M = gained[..., k - 1] - cut.list_gain * (beyond - tail.last)
        else:
            M = _with_tail(aggregated[..., k - 1], tail, cut, A[..., :k], aggregation)
        scores.append(model.apply_convention(cut, np.asarray(M)))
    return scores


def expected_at_stops(
    model: Browsing, page: Page, aggregation: Aggregation, depths: Sequence[int]
) -> list[NDArray[np.float64]]:
    """M of users who stop at each depth at the latest; the model is that of the deepest, which ends the page.

    Examples
    --------
    >>> from metameter.aggregate.erg import ERG
    >>> from metameter.browse.prec import Prec
    >>> [float(M) for M in expected_at_stops(Prec(k=4), Page([1, 0, 1, 0]), ERG(), [1, 2, 4])]
    [1.0, 0.5, 0.5]
    """
    V, C = model.reading(page)
    V, r, A = V[..., :-1], page.gains, aggregation.aggregate(page)
    viewed, gained = np.cumsum(V, axis=-1), np.cumsum(V * r, axis=-1)
    left = np.cumsum(V * (1.0 - C) * A, axis=-1)
    scores = []
    for k in depths:
        if aggregation.additive:
            M = gained[..., k - 1] / viewed[..., k - 1] if aggregation.rate else gained[..., k - 1]
        else:
            M = V[..., k - 1] * A[..., k - 1] + (left[..., k - 2] if k > 1 else 0.0)
        scores.append(model.apply_convention(page.resized(k), np.asarray(M)))
    return scores
