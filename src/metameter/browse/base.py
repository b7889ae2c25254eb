"""What every browsing model is: how far down the list its users read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from metameter.browse.browsing_state import (
    Journey,
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
# What a page may lack: what it is, and where it comes from.
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
        At rank k all users leave (``stop``), or those who would read on are lost to all sums (``drop``: the
        arithmetic of cwl-eval, where k is 1000).
    """

    k: int | None = depth()
    gain: Any = option("linear", range="linear, exp, binary(l) or a table {grade: gain}")
    judged_only: bool = option(False, choices=(False, True))
    closure: str = option("stop", choices=("stop", "drop"))

    #: The aggregation that makes the metric of this name.
    canonical: ClassVar[str] = "ERG"
    #: Without a last rank the expected number of items viewed is not finite, so no rate of gain exists.
    diverges: ClassVar[bool] = False
    #: What moves its users: ``static`` (the rank, and costs, alone), ``adaptive`` (what they have seen so far) or
    #: ``clairvoyant`` (what is still to come).
    user: ClassVar[str] = "adaptive"
    #: The probability of viewing a rank depends on which items stand above it, but not on their order; and users
    #: who get beyond the end of the list never leave.
    order_free_view: ClassVar[bool] = False
    #: Which of continuation, weight and last the class defines.
    defined_by: ClassVar[str] = ""
    #: ``k`` does nothing but end the reading: above it users go on as they would with any other k.
    only_stops_at_k: ClassVar[bool] = False
    #: `tail` asks of the page only what `Cuts` knows, and gives each list its own: then it is asked once for all cuts.
    tails_at_once: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        gain_map(self.gain)  # refused here, not when the first run is scored
        if self.closure == "drop" and self.k is None:
            raise MetameterError(
                f"{self}: closure=drop is about a last rank", fix=f"Write {self}@1000*{self.canonical}, say."
            )

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        given = [name for name in _DEFINITIONS if name in cls.__dict__]
        if len(given) > 1:
            raise MetameterError(
                f"{cls.__name__} defines {' and '.join(given)}", fix="Define one of them: the others follow."
            )
        if given:
            cls.defined_by = given[0]
        # What was said of another model's users need not be true of these.
        if "tail" in cls.__dict__ and "tails_at_once" not in cls.__dict__:
            cls.tails_at_once = False
        if (given or "tail" in cls.__dict__) and "viewed_always" not in cls.__dict__:
            cls.viewed_always = Browsing.viewed_always  # type: ignore[method-assign]

    @property
    def needs(self) -> frozenset[str]:
        """What the page must hold besides gains: ``costs``, ``total_gain``. Without it the page is refused."""
        return frozenset()

    def continuation(self, page: Page) -> NDArray[np.float64]:
        """The probability of going on from each rank."""
        return self.journey(page).continuation

    def last(self, page: Page) -> NDArray[np.float64]:
        """The probability that each rank is the last one viewed."""
        return self.journey(page).last

    def weight(self, page: Page) -> NDArray[np.float64]:
        """The share of attention that each rank gets."""
        return self.journey(page).weight

    def view(self, page: Page) -> NDArray[np.float64]:
        """The probability that each rank is viewed."""
        return self.journey(page).view

    def tail(self, page: Page, beyond: NDArray[np.float64]) -> Tail:
        """Sums beyond the end of the list, given the share of users who get there; by default summed numerically."""
        return numerical_tail(self, page)

    def viewed_always(self) -> float | None:
        """The expected number of items viewed, where it is the same on every page and known without a sum.

        A rate of gain is then divided by the same number at every depth, and never falls with it.
        """
        return None

    def tails(self, page: Page, beyond: NDArray[np.float64], depths: NDArray[np.int64]) -> Tail:
        """The tails of a page that is cut after each of several depths, ... x depths or one row for all lists."""
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
        """The same sums if every gain beyond the end were 1: the best that may follow."""
        return self.tail(page, beyond) if self.user == "static" else numerical_tail(self, page, gain=1.0)

    def bounded(self, aggregation: str) -> bool:
        """Whether unjudged items at gain 0 and at gain 1 give the extremes of a product with that aggregation."""
        return self.user == "static"

    def refusal(self, aggregation: str, rate: bool) -> tuple[str, str] | None:
        """Why a product with this aggregation has no value, and what to write instead; None if it has one."""
        if rate and self.diverges and self.k is None:
            reason = "without a last rank the number of items viewed is not finite"
            return reason, f"Write {self}@10*{aggregation}."
        return None

    def apply_convention(self, page: Page, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """The scores, by the model's convention for lists on which its formulas have no value."""
        return scores

    def journey(self, page: Page, *, best: bool = False) -> Journey:
        """Everything that follows from the definition on this page; gains beyond it are 0, or 1 with ``best=True``."""
        if self.k is not None:
            page = page.resized(self.k)
        view, continuation = self.reading(page)
        last = per_list(_last, view, continuation)
        beyond = view[..., -1]
        # Past a last rank there is nobody; without one the model says what its users do beyond the end.
        onward = self.best_tail if best else self.tail
        tail = Tail.none(beyond) if self.k is not None else onward(page, beyond)
        always = self.viewed_always() if self.k is None else None
        return Journey(continuation, view[..., :-1], last, beyond, tail, always)

    def reading(self, page: Page) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The probability of viewing ranks 1 to n+1 of a page, and of going on from ranks 1 to n.

        Examples
        --------
        >>> from metameter.browse.rbp import RBP
        >>> RBP(p=0.5).reading(Page([1, 0]))
        (array([1.  , 0.5 , 0.25]), array([0.5, 0.5]))
        """
        self._require(page)
        view, continuation = self._view_and_continuation(page)
        if not type(self).__module__.startswith("metameter."):
            check_probabilities(continuation, self)  # somebody else's formula may be wrong; ours are tested
        return view, continuation

    def _view_and_continuation(self, page: Page) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if self.defined_by == "continuation":
            continuation = self.continuation(page)
            view = per_list(view_of_continuation, continuation)
            return self._stopped(view, continuation)
        if self.defined_by == "last":
            view = view_of_last(self.last(page))
        elif self.defined_by == "weight":
            # The weight of rank n+1 tells how many go on past rank n: look one rank further than the page.
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
        return per_list(self._nobody_beyond, view), per_list(self._nobody_goes_on, continuation)

    def _nobody_beyond(self, view: NDArray[np.float64]) -> NDArray[np.float64]:
        view = view.copy()
        view[..., self.k] = 0.0
        return view

    def _nobody_goes_on(self, continuation: NDArray[np.float64]) -> NDArray[np.float64]:
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
