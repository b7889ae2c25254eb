"""Empirical: a user as observed, given the continuation, weight or last of each rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.browse.base import Browsing
from metameter.browse.browsing_state import Tail, continuation_of_view, view_of_last
from metameter.browse.page import Page
from metameter.browse.rbp import RBP
from metameter.errors import MetameterError
from metameter.notation import Term
from metameter.parameters import option
from metameter.registry import register


@register("browse")
@dataclass(frozen=True, repr=False, init=False)
class Empirical(Browsing):
    """A user whose behaviour was measured, rank by rank.

    Parameters
    ----------
    continuation, weight, last : list of float
        One of the three, for ranks 1 to m: the probability of going on from each rank; the attention it gets
        (relative to the first); the probability that it is the last one viewed.
    tail : stop or repeat
        After rank m all users stop, or go on with the last continuation, which must then be below 1.

    References
    ----------
    azzopardi2020

    Examples
    --------
    >>> Empirical(continuation=[0.8, 1, 0]).view(Page([1, 0, 0]))
    array([1. , 0.8, 0.8])
    >>> Empirical(last=[0.5, 0.5])
    Empirical(last=[0.5,0.5])
    """

    observed: tuple[float, ...] = option((1.0,))
    kind: str = option("continuation", choices=("continuation", "weight", "last"))
    after: str = option("stop", choices=("stop", "repeat"))

    reference = "azzopardi2020"
    user = "static"
    example = {"continuation": (0.9, 0.5, 0.8)}

    def __init__(
        self,
        *,
        continuation: Sequence[float] | None = None,
        weight: Sequence[float] | None = None,
        last: Sequence[float] | None = None,
        tail: str = "stop",
        **common: Any,
    ) -> None:
        observations = {"continuation": continuation, "weight": weight, "last": last}
        if "observed" in common:  # dataclasses.replace passes the fields, not the parameters
            observations, tail = {common.pop("kind"): common.pop("observed")}, common.pop("after")
        kinds = [kind for kind, values in observations.items() if values is not None]
        if len(kinds) != 1:
            raise MetameterError(
                "Empirical takes exactly one of continuation, weight, last",
                given=kinds or "none of them",
                fix="Write Empirical(continuation=[0.8,0.5]), say.",
            )
        values = observations[kinds[0]]
        for name, value in {"k": None, "gain": "linear", "judged_only": False, "closure": "stop", **common}.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "observed", _observed(kinds[0], values, tail))
        object.__setattr__(self, "kind", kinds[0])
        object.__setattr__(self, "after", tail)
        self.__post_init__()

    @classmethod
    def parameters(cls) -> list[str]:
        """The parameters that may be written in parentheses."""
        own = ("observed", "kind", "after")
        return ["continuation", "weight", "last", "tail", *(p for p in super().parameters() if p not in own)]

    def term(self) -> Term:
        """The parsed name, which shows the numbers as ``continuation=``, ``weight=`` or ``last=``."""
        plain = super().term()
        printed: dict[str, Any] = {self.kind: list(self.observed)}
        if self.after != "stop":
            printed["tail"] = self.after
        printed |= {key: v for key, v in plain.arguments.items() if key not in ("observed", "kind", "after")}
        return Term(plain.name, printed, plain.k)

    def continuation(self, page: Page) -> NDArray[np.float64]:
        """The observed values; past the last one 0 or that value, as ``tail`` says."""
        rows = np.zeros(page.depth) if self.after == "stop" else np.full(page.depth, self._rates()[-1])
        rates = self._rates()[: page.depth]
        rows[: len(rates)] = rates
        return np.broadcast_to(rows, page.gains.shape)

    def tail(self, page: Page, beyond: NDArray[np.float64]) -> Tail:
        """The tail of rank-biased precision where the last value repeats for ever, else a finite sum."""
        if self.after == "repeat" and page.depth >= len(self.observed):
            return RBP(p=float(self._rates()[-1])).tail(page, beyond)
        return super().tail(page, beyond)

    def _rates(self) -> NDArray[np.float64]:
        values = np.array(self.observed)
        if self.kind == "continuation":
            return values
        view = view_of_last(values) if self.kind == "last" else np.append(values / values[0], 0.0)
        return continuation_of_view(view)


def _observed(kind: str, values: Any, tail: str) -> tuple[float, ...]:
    try:
        numbers = tuple(float(value) for value in values)
    except (TypeError, ValueError, OverflowError):
        fix = f"Write {kind}=[0.8,0.5], say."
        raise MetameterError(f"Empirical: {kind} is not a list of numbers", given=values, fix=fix) from None
    if not numbers or not all(0 <= value <= 1 for value in numbers):
        raise MetameterError(
            f"Empirical: {kind} is not a list of probabilities", given=values, fix="Give numbers in [0, 1]."
        )
    if kind == "weight" and (numbers[0] == 0 or any(a < b for a, b in pairwise(numbers))):
        fix = "Give weights that never rise, the first above 0."
        raise MetameterError("Empirical: weights rise or start at 0", given=values, fix=fix)
    if kind == "last" and sum(numbers) > 1 + 1e-9:
        fix = "Divide them by their sum."
        raise MetameterError("Empirical: the probabilities of leaving sum to more than 1", given=values, fix=fix)
    if tail == "repeat" and (kind != "continuation" or numbers[-1] >= 1):
        raise MetameterError(
            "Empirical: tail=repeat repeats the last continuation for ever, which must be below 1",
            given=values,
            fix="Give a continuation whose last value is below 1, or tail=stop.",
        )
    return numbers
