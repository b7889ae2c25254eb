r"""C/W/L/A: the equations of the framework.

A browsing model gives C(i), hence V(i), W(i) and L(i); an aggregation gives A(i). Their product is the metric

.. math:: M = \sum_{i=1}^{\infty} L(i) A(i).

Beyond the end n of a list every gain is 0 (for an upper bound: 1), and every aggregation has the form
``A(n+m) = a + b/(n+m) + c delta^m + d m``; so the infinite rest is the aggregation's coefficients times the browsing
model's tail sums, exactly.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from metameter.aggregate.base import Aggregation, Coefficients
from metameter.browse.base import Browsing
from metameter.browse.browsing_state import BrowsingState, Tail, one_for_all
from metameter.browse.page import Cuts, Page
from metameter.judge.sums import at_each, sum_down, sum_where


def expected_aggregate(
    state: BrowsingState,
    page: Page,
    aggregation: Aggregation,
    gain: float = 0.0,
    A: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """M, the expected aggregate, for each list of the page; every item beyond it has gain ``gain``.

    ``A`` may be passed if A(i) is known already; additive aggregations do not need it.

    Examples
    --------
    >>> from metameter.aggregate.total_gain import ERG
    >>> from metameter.browse.rbp import RBP
    >>> page = Page([1, 0, 1])
    >>> float(expected_aggregate(RBP(p=0.5).browsing_state(page), page, ERG()))
    0.625
    """
    V, tail = state.view, state.tail
    if aggregation.additive:
        if aggregation.rate:
            # Beyond the end the rate is the gain there; the deviation of the list from it is a finite sum.
            return np.asarray(gain + _gain_seen(V, page, gain) / state.viewed)
        # sum L(i) sum_{j<=i} r_j = sum V(i) r_i: no tail is needed. Users who never leave take nothing away.
        gain_seen = _gain_seen(V, page) - page.list_gain * (state.beyond - tail.last)
        return np.asarray(gain_seen + gain * tail.view if gain else gain_seen)
    A = aggregation.aggregate(page) if A is None else A
    return _with_tail(sum_down(state.last_by_rank * A), tail, aggregation.beyond(page, A, gain))


def _gain_seen(V: NDArray[np.float64], page: Page, gain: float = 0.0) -> NDArray[np.float64]:
    """The expected gain seen in the list, relative to the gain of further items."""
    if gain:
        return sum_down(V * (page.gains - gain))
    return sum_where(V * page.gains, lambda: page.where_gain)


def _with_tail(total: NDArray[np.float64], tail: Tail, rest: Coefficients) -> NDArray[np.float64]:
    # Sums with coefficient 0 are not computed.
    if _counts(rest.constant):
        total = total + rest.constant * tail.last
    if _counts(rest.per_rank):
        total = total + rest.per_rank * tail.last_per_rank
    if rest.growth:
        total = total + rest.growth * tail.view
    if rest.delta:
        total = total + rest.forgotten * tail.discounted_last(rest.delta)
    return np.asarray(total)


def _counts(coefficient: NDArray[np.float64] | float) -> bool:
    return not isinstance(coefficient, float | int) or coefficient != 0


def expected_at_cuts(
    model: Browsing, page: Page, aggregation: Aggregation, depths: NDArray[np.int64]
) -> NDArray[np.float64]:
    """M of the page cut after each depth, for users who do not depend on what follows.

    Examples
    --------
    >>> from metameter.aggregate.total_gain import ERG
    >>> from metameter.browse.rbp import RBP
    >>> expected_at_cuts(RBP(p=0.5), Page([1, 0, 1]), ERG(), np.array([1, 2, 3]))
    array([0.5  , 0.5  , 0.625])
    """
    V, C = (one_for_all(each) for each in model.reading(page))
    seen, beyond = V[..., :-1], at_each(V[..., 1:], depths)
    tail = model.tails(page, beyond, depths)
    if aggregation.additive:
        M = at_each(_cumulate_in_place(seen * page.gains), depths)
        if aggregation.rate:
            always = model.viewed_always()
            M = M / (at_each(np.cumsum(seen, axis=-1), depths) + tail.view if always is None else always)
        else:
            M = M - at_each(page.cumulative_gain, depths) * (beyond - tail.last)
    else:
        A = aggregation.aggregate(page)
        M = at_each(_cumulate_in_place(_aggregate_leaving(seen, C, A)), depths)
        M = _with_tail(M, tail, _rest_at_cuts(page, A, aggregation, depths))
    return by_convention(model, page, np.asarray(M), depths)


def _cumulate_in_place(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The cumulative sums, computed in place."""
    return np.cumsum(values, axis=-1, out=values)


def _aggregate_leaving(V: NDArray[np.float64], C: NDArray[np.float64], A: NDArray[np.float64]) -> NDArray[np.float64]:
    """The aggregate times the share of users who leave at each rank."""
    leaving = np.asarray(V * (1.0 - C))
    return np.multiply(leaving, A, out=leaving if leaving.shape == A.shape else None)


def _rest_at_cuts(
    page: Page, A: NDArray[np.float64], aggregation: Aggregation, depths: NDArray[np.int64]
) -> Coefficients:
    if aggregation.rests_at_once:
        # Aggregations use the last rank only, which here is the last one of each cut.
        return aggregation.beyond(cast("Page", Cuts(page, depths)), at_each(A, depths)[..., None])
    each = [aggregation.beyond(page.resized(int(k)), A[..., : int(k)]) for k in depths]
    lists = page.gains.shape[:-1]

    def stack(name: str) -> NDArray[np.float64]:
        return np.stack([np.broadcast_to(getattr(rest, name), lists) for rest in each], axis=-1)

    parts = {name: stack(name) for name in ("constant", "per_rank", "forgotten")}
    return Coefficients(**parts, delta=each[0].delta, growth=each[0].growth)


def by_convention(
    model: Browsing, page: Page, scores: NDArray[np.float64], depths: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The scores at each depth, replaced by convention on lists for which the model's formulas have no value."""
    if type(model).apply_convention is Browsing.apply_convention:
        return scores
    each = [model.apply_convention(page.resized(int(k)), scores[..., at]) for at, k in enumerate(depths)]
    return np.stack(each, axis=-1)


def expected_at_stops(
    model: Browsing, page: Page, aggregation: Aggregation, depths: NDArray[np.int64]
) -> NDArray[np.float64]:
    """M of users who stop at each depth at the latest; model and page are those of the deepest.

    Examples
    --------
    >>> from metameter.aggregate.total_gain import ERG
    >>> from metameter.browse.prec import Prec
    >>> expected_at_stops(Prec(k=4), Page([1, 0, 1, 0]), ERG(), np.array([1, 2, 4]))
    array([1. , 0.5, 0.5])
    """
    V, C = (one_for_all(each) for each in model.reading(page))
    seen = V[..., :-1]
    if aggregation.additive:
        M = at_each(_cumulate_in_place(seen * page.gains), depths)
        if aggregation.rate:
            M = M / at_each(np.cumsum(seen, axis=-1), depths)
    else:
        A = aggregation.aggregate(page)
        # All users who reach the last rank leave there.
        M = seen * A
        M[..., 1:] += _cumulate_in_place(_aggregate_leaving(seen, C, A)[..., :-1])
        M = at_each(M, depths)
    return by_convention(model, page, np.asarray(M), depths)
