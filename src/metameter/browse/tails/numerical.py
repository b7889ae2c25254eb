"""Numerical tail sums, for models without a closed form: ranks are added until no users are left."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.browse.browsing_state import (
    Tail,
    check_probabilities,
    continuation_of_view,
    view_of_continuation,
    view_of_last,
)
from metameter.browse.tails.geometric import geometric_tail
from metameter.errors import MetameterError

if TYPE_CHECKING:
    from metameter.browse.page import Page


_TOLERANCE = 1e-12
# The most ranks that are summed, the same for one list as for many; fewer with gain beyond the end, where the
# continuation soon becomes constant.
_DEEPEST, _DEEPEST_WITH_GAIN = 2**17, 2**13
# Lists x ranks in memory at a time.
_CELLS = 2**21


def numerical_tail(model: Any, page: Page, gain: float = 0.0) -> Tail:
    """Sum a browsing model's tail until less than 1e-12 of the users are left; refuse if that never happens.

    Every item beyond the end has gain ``gain``. If it is not 0, users may hardly ever leave; then the last continuation
    is assumed to stay constant. Each list is summed as far as its own users go, so its sums do not depend on other
    lists.

    Examples
    --------
    >>> from metameter.browse.page import Page
    >>> from metameter.browse.rbp import RBP
    >>> float(numerical_tail(RBP(p=0.5), Page([1, 0])).view.round(9))
    0.5
    """
    shape, lists = page.gains.shape[:-1], page.flat()
    parts: list[tuple[NDArray[np.int64], Tail]] = []
    pending, reach = np.arange(len(lists.gains)), max(256, 2 * page.depth)
    while pending.size:
        deepest = reach >= max(_DEEPEST_WITH_GAIN if gain else _DEEPEST, 2 * page.depth)
        unfinished = []
        for block in np.array_split(pending, math.ceil(pending.size * reach / _CELLS)):
            view = _beyond(model, lists.select(block), reach, gain)
            # Where the view fades like 1/i^2, the expected number of items still to view is reach times what is left.
            done = view[:, -1] * reach <= _TOLERANCE
            if deepest and not gain and not done.all():
                raise _endless(model)
            for tail_of, which in ((_summed, done), (_at_constant_rate, ~done)):
                if which.any() and (deepest or tail_of is _summed):
                    recompute = partial(_beyond, model, lists.select(block[which]), reach, gain)
                    parts.append((block[which], tail_of(view[which], page.depth, recompute)))
            unfinished.append(block[~done])
        pending, reach = np.concatenate(unfinished[: 0 if deepest else None] or [pending[:0]]), 2 * reach
    return _joined(parts, len(lists.gains), shape)


def _endless(model: Any) -> MetameterError:
    return MetameterError(
        f"{model}: too many users read on beyond the end of the list for a numerical sum",
        fix=f"Give it a last rank: {model}@1000, say; or define its `tail`.",
    )


def _beyond(model: Any, page: Page, reach: int, gain: float) -> NDArray[np.float64]:
    view = _view(model, page.resized(reach, gain))
    # A static model may return one row for all lists.
    return np.broadcast_to(view, (len(page.gains), view.shape[-1]))[:, page.depth :]


def _view(model: Any, page: Page) -> NDArray[np.float64]:
    if model.defined_by == "continuation":
        continuation = model.continuation(page)
        check_probabilities(continuation, model)
        return view_of_continuation(continuation)
    if model.defined_by == "last":
        return view_of_last(model.last(page))
    weight = model.weight(page.resized(page.depth + 1))
    return np.asarray(weight / weight[..., :1])


def _summed(view: NDArray[np.float64], start: int, recompute: Callable[[], NDArray[np.float64]]) -> Tail:
    last, steps = _last(view)
    return Tail(
        view=view[..., :-1].sum(axis=-1),
        last=view[..., 0].copy(),
        last_per_rank=(last / (start + steps)).sum(axis=-1),
        # Few aggregations need it, so the view is computed again rather than kept for every rank of every list.
        discounted_last=lambda delta: _discounted_sum(recompute(), delta),
        error=view[..., -1] * (start + view.shape[-1]),
    )


def _last(view: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return view[..., :-1] * (1.0 - continuation_of_view(view)), np.arange(1.0, view.shape[-1])


def _discounted_sum(view: NDArray[np.float64], delta: float) -> NDArray[np.float64]:
    last, steps = _last(view)
    return np.asarray((last * delta**steps).sum(axis=-1))


def _at_constant_rate(view: NDArray[np.float64], start: int, recompute: Callable[[], NDArray[np.float64]]) -> Tail:
    near = _summed(view, start, recompute)
    steps = view.shape[-1] - 1
    leaving = 1.0 - continuation_of_view(view[..., -2:])[..., 0]
    far = geometric_tail(view[..., -1], start + steps, leaving)
    return Tail(
        view=near.view + far.view,
        last=view[..., 0].copy(),
        last_per_rank=near.last_per_rank + far.last_per_rank,
        discounted_last=lambda delta: near.discounted_last(delta) + delta**steps * far.discounted_last(delta),
        error=view[..., -1].copy(),
    )


def _joined(parts: list[tuple[NDArray[np.int64], Tail]], count: int, shape: tuple[int, ...]) -> Tail:
    def join(part: Callable[[Tail], NDArray[np.float64] | float]) -> NDArray[np.float64]:
        whole = np.zeros(count)
        for rows, tail in parts:
            whole[rows] = part(tail)
        return whole.reshape(shape)

    return Tail(
        view=join(lambda tail: tail.view),
        last=join(lambda tail: tail.last),
        last_per_rank=join(lambda tail: tail.last_per_rank),
        discounted_last=lambda delta: join(lambda tail: tail.discounted_last(delta)),
        error=join(lambda tail: tail.error),
    )
