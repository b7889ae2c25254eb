"""Tail sums of a model that has no closed form: the page is continued with gain 0 until nothing is left."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.browse.geometric import geometric_tail
from metameter.browse.journey import Tail, continuation_of_view, view_of_continuation, view_of_last
from metameter.errors import MetameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.browse.page import Page

__all__ = ["numerical_tail"]

_ENOUGH = 1e-12
_LONGEST = 2**21


def numerical_tail(model: Any, page: Page, gain: float = 0.0) -> Tail:
    """Sum a browsing model's tail until less than 1e-12 of the users are left; refuse if that never happens.

    Every item beyond the end has the gain given. If that is not 0, users may be held for as good as ever: then
    they are taken to go on at the rate they have settled on.

    Examples
    --------
    >>> from metameter.browse.page import Page
    >>> from metameter.browse.rbp import RBP
    >>> float(numerical_tail(RBP(p=0.5), Page([1, 0])).view.round(9))
    0.5
    """
    start = page.depth
    reach = max(256, 2 * start)
    while True:
        longer = page.resized(reach, gain)
        view = _view(model, longer)[..., start:]
        left = float(np.max(view[..., -1], initial=0.0))
        # The tail of a view that fades like 1/i^2 still holds reach * left items to view.
        if left * reach <= _ENOUGH:
            return _summed(view, start, left * reach)
        if math.prod(longer.gains.shape) > _LONGEST:
            if gain:
                return _settled(view, start)
            raise MetameterError(
                f"{model}: users read on too far for a sum beyond the end of the list",
                fix=f"Give it a last rank: {model}@1000, say; or define its `tail`.",
            )
        reach *= 2


def _view(model: Any, page: Page) -> NDArray[np.float64]:
    if model._defined_by == "continuation":
        return view_of_continuation(model.continuation(page))
    if model._defined_by == "last":
        return view_of_last(model.last(page))
    weight = model.weight(page.resized(page.depth + 1))
    return np.asarray(weight / weight[..., :1])


def _summed(view: NDArray[np.float64], start: int, error: float) -> Tail:
    last = view[..., :-1] * (1.0 - continuation_of_view(view))
    steps = np.arange(1.0, last.shape[-1] + 1)
    return Tail(
        view=view[..., :-1].sum(axis=-1),
        last=view[..., 0].copy(),
        last_per_rank=(last / (start + steps)).sum(axis=-1),
        last_forgotten=lambda delta: (last * delta**steps).sum(axis=-1),
        error=error,
    )


def _settled(view: NDArray[np.float64], start: int) -> Tail:
    near = _summed(view, start, 0.0)
    steps = view.shape[-1] - 1
    leaving = 1.0 - continuation_of_view(view[..., -2:])[..., 0]
    far = geometric_tail(view[..., -1], start + steps, leaving)
    return Tail(
        view=near.view + far.view,
        last=view[..., 0].copy(),
        last_per_rank=near.last_per_rank + far.last_per_rank,
        last_forgotten=lambda delta: near.last_forgotten(delta) + delta**steps * far.last_forgotten(delta),
        error=float(np.max(view[..., -1])),
    )
