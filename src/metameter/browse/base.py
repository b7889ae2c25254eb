"""The base class of browsing models: how far down the list users read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from metameter.browse.browsing_state import (
    BrowsingState,
    Tail,
    check_probabilities,
    continuation_of_view,
    per_list,
    view_of_continuation,
    view_of_last,
)
from metameter.browse.page import Cuts, Page
from metameter.browse.tails.numerical import numerical_tail
from metameter.errors import MetameterError
from metameter.judge.gain import gain_map
from metameter.parameters import Parametrised, depth, option

__all__ = ["Browsing"]

_DEFINITIONS = ("continuation", "weight", "last")
# What a page may lack -> what that is, and how to supply it.
_MISSING = {
    "costs": ("what it costs to look at each item", "Give costs."),
    "total_gain": ("the collection's recall base", "Score it with qrels."),
}


@dataclass(frozen=True, repr=False)
class Browsing(Parametrised):
    """A browsing model: define one of `continuation`, `weight` or `last`; the others follow.

    Parameters
    ----------
    k : int, optional
        The user stops at rank k at the latest.
    gain : str or dict
        How a grade becomes a gain: ``linear``, ``exp``, ``binary(l)`` or a table.
    judged_only : bool
        Read the condensed list: documents without judgment are removed first.
    closure : stop or drop
        At rank k all users leave (``stop``), or those who would read on are left out of all sums (``drop``, as in
        cwl-eval, where k is 1000).
    """

    k: int | None = depth()
    gain: Any = option("linear", range="linear, exp, binary(l) or a table {grade: gain}")
    judged_only: bool = option(False, choices=(False, True))
    closure: str = option("stop", choices=("stop", "drop"))

    #: The aggregation with which the model makes the metric of its own name.
    canonical: ClassVar[str] = "ERG"
    #: Without a last rank the expected number of items viewed is infinite, so there is no rate of gain.
    diverges: ClassVar[bool] = False
    #: What decides whether users go on: ``static`` (the rank, and costs, alone), ``adaptive`` (also what they have
    #: seen) or ``clairvoyant`` (also what follows).
    user: ClassVar[str] = "adaptive"
    #: The probability of viewing a rank depends on which items stand above it, but not on their order; users who get
    #: beyond the end of the list never leave.
    order_free_view: ClassVar[bool] = False
    #: Which of continuation, weight and last the class defines.
    defined_by: ClassVar[str] = ""
    #: ``k`` only ends the reading: above rank k users behave as they would with any other k.
    only_stops_at_k: ClassVar[bool] = False
    #: `tail` uses only what `Cuts` provides, and returns one value per list: one call then serves all cuts.
    tails_at_once: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        gain_map(self.gain)  # refuse an unknown gain here, not when the first run is scored
        if self.closure == "drop" and self.k is None:
            raise MetameterError(
                f"{self}: closure=drop needs a last rank", fix=f"Write {self}@1000*{self.canonical}, say."
            )

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        defined = [name for name in _DEFINITIONS if name in cls.__dict__]
        if len(defined) > 1:
            raise MetameterError(
                f"{cls.__name__} defines {' and '.join(defined)}", fix="Define one of them: the others follow."
            )
        if defined:
            cls.defined_by = defined[0]
        # What holds for the users of the base class need not hold for those of this one.
        if "tail" in cls.__dict__ and "tails_at_once" not in cls.__dict__:
            cls.tails_at_once = False
        if (defined or "tail" in cls.__dict__) and "viewed_always" not in cls.__dict__:
            cls.viewed_always = Browsing.viewed_always  # type: ignore[method-assign]

    @property
    def needs(self) -> frozenset[str]:
        """What the page must hold besides gains: ``costs``, ``total_gain``. A page without them is refused."""
        return frozenset()

    def continuation(self, page: Page) -> NDArray[np.float64]:
        """The probability of going on from each rank."""
        return self.browsing_state(page).continuation

    def last(self, page: Page) -> NDArray[np.float64]:
        """The probability that each rank is the last one viewed."""
        return self.browsing_state(page).last

    def weight(self, page: Page) -> NDArray[np.float64]:
        """The share of attention that each rank gets."""
        return self.browsing_state(page).weight

    def view(self, page: Page) -> NDArray[np.float64]:
        """The probability that each rank is viewed."""
        return self.browsing_state(page).view

    def tail(self, page: Page, beyond: NDArray[np.float64]) -> Tail:
        """The sums beyond the end of the list, given the share of users who get there; by default numerical."""
        return numerical_tail(self, page)

    def viewed_always(self) -> float | None:
        """The expected number of items viewed, where it is the same on every page and known without a sum.

        A rate of gain is then divided by the same number at every depth, so it never falls with the depth.
        """
        return None

    def tails(self, page: Page, beyond: NDArray[np.float64], depths: NDArray[np.int64]) -> Tail:
        """The tails of the page cut after each of several depths: ... x depths, or one row for all lists."""
        if self.tails_at_once:
            return self.tail(cast("Page", Cuts(page, depths)), beyond)
        beyond = np.broadcast_to(beyond, (*page.gains.shape[:-1], depths.size))
        each = [self.tail(page.resized(int(k)), beyond[..., at]) for at, k in enumerate(depths)]
        return Tail.later(
            np.stack([tail.last for tail in each], axis=-1),
            view=lambda: np.stack([tail.view for tail in each], axis=-1),
            last_per_rank=lambda: np.stack([tail.last_per_rank for tail in each], axis=-1),
            discounted_last=lambda delta: np.stack([tail.discounted_last(delta) for tail in each], axis=-1),
        )

    def best_tail(self, page: Page, beyond: NDArray[np.float64]) -> Tail:
        """The tail if every gain beyond the end were 1, for upper bounds."""
        return self.tail(page, beyond) if self.user == "static" else numerical_tail(self, page, gain=1.0)

    def bounded(self, aggregation: str) -> bool:
        """Whether gain 0 and gain 1 for all unjudged items give the extreme scores with that aggregation."""
        return self.user == "static"

    def refusal(self, aggregation: str, rate: bool) -> tuple[str, str] | None:
        """Why a product with this aggregation has no value, and what to write instead; None if it has one."""
        if rate and self.diverges and self.k is None:
            reason = "without a last rank the number of items viewed is not finite"
            return reason, f"Write {self}@10*{aggregation}."
        return None

    def apply_convention(self, page: Page, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scores, replaced by convention on lists for which the model's formulas have no value."""
        return scores

    def browsing_state(self, page: Page, *, best: bool = False) -> BrowsingState:
        """Return all probabilities on a page; gains beyond it are 0, or 1 with ``best=True``."""
        if self.k is not None:
            page = page.resized(self.k)
        view, continuation = self.reading(page)
        last = per_list(_last, view, continuation)
        beyond = view[..., -1]
        # No user continues past a last rank k; without one, the model's tail describes the users beyond the end.
        onward = self.best_tail if best else self.tail
        tail = Tail.none(beyond) if self.k is not None else onward(page, beyond)
        always = self.viewed_always() if self.k is None else None
        return BrowsingState(continuation, view[..., :-1], last, beyond, tail, always)

    def reading(self, page: Page) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the probability of viewing ranks 1 to n+1 of a page, and of going on from ranks 1 to n.

        Examples
        --------
        >>> from metameter.browse.rbp import RBP
        >>> RBP(p=0.5).reading(Page([1, 0]))
        (array([1.  , 0.5 , 0.25]), array([0.5, 0.5]))
        """
        self._require(page)
        view, continuation = self._view_and_continuation(page)
        if not type(self).__module__.startswith("metameter."):
            check_probabilities(continuation, self)  # the formula of a plug-in may be wrong; ours are tested
        return view, continuation

    def _view_and_continuation(self, page: Page) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if self.defined_by == "continuation":
            continuation = self.continuation(page)
            view = per_list(view_of_continuation, continuation)
            return self._stopped(view, continuation)
        if self.defined_by == "last":
            view = view_of_last(self.last(page))
        elif self.defined_by == "weight":
            # The weight of rank n+1 gives the share of users who go on past rank n, so one more rank is needed.
            weight = self.weight(page.resized(page.depth + 1))
            view = weight / weight[..., :1]
        else:
            raise MetameterError(
                f"{type(self).__name__} defines none of continuation, weight, last", fix="Define one of them."
            )
        return self._stopped(view, continuation_of_view(view))

    def _stopped(
        self, view: NDArray[np.float64], continuation: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if self.k is None or self.closure == "drop":
            return view, continuation
        return per_list(self._without_view_past_k, view), per_list(self._without_continuation_at_k, continuation)

    def _without_view_past_k(self, view: NDArray[np.float64]) -> NDArray[np.float64]:
        view = view.copy()
        view[..., self.k] = 0.0
        return view

    def _without_continuation_at_k(self, continuation: NDArray[np.float64]) -> NDArray[np.float64]:
        continuation = continuation.copy()
        continuation[..., cast("int", self.k) - 1] = 0.0
        return continuation

    def _require(self, page: Page) -> None:
        for name in sorted(self.needs):
            if getattr(page, name) is None:
                what, fix = _MISSING.get(name, (name, f"Give {name}."))
                raise MetameterError(f"{self} needs {what}", fix=fix)


def _last(view: NDArray[np.float64], continuation: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(view[..., :-1] * (1.0 - continuation))
