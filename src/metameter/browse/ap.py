"""The two users of average precision, who know what is still to come."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.browse.base import Browsing
from metameter.browse.browsing_state import Tail
from metameter.browse.page import Page
from metameter.parameters import option
from metameter.registry import register


@dataclass(frozen=True, repr=False)
class _Clairvoyant(Browsing):
    recall_base: str = option("run", choices=("run", "collection"))
    no_relevant: str = option("convention", choices=("convention", "zero", "nan"))

    user = "clairvoyant"

    def apply_convention(self, page: Page, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Lists without gain score what the formulas say (the user leaves at rank 1), or 0, or NaN."""
        if self.no_relevant == "convention":
            return scores
        return np.where(page.list_gain > 0, scores, 0.0 if self.no_relevant == "zero" else np.nan)

    @property
    def needs(self) -> frozenset[str]:
        """Users who look for what was not retrieved go by the recall base of the collection."""
        return frozenset({"total_gain"} if self.recall_base == "collection" else ())

    def _missed(self, page: Page) -> NDArray[np.float64]:
        """The gain of what was not retrieved."""
        self._require(page)
        return np.asarray(page.total_gain, dtype=np.float64) - page.list_gain


@register("browse")
@dataclass(frozen=True, repr=False)
class AP1(_Clairvoyant):
    r"""A user who goes on as long as gain per rank is still to come.

    .. math:: C(i) = \frac{\sum_{j>i} r_j / j}{\sum_{j \ge i} r_j / j}

    Parameters
    ----------
    recall_base : run or collection
        Whether relevant documents that were not retrieved count: they sit at rank infinity.
    no_relevant : convention, zero or nan
        The score of a list without gain; by convention its user leaves at rank 1.

    References
    ----------
    moffat2013

    Examples
    --------
    >>> AP1().last(Page([1, 0, 0, 0.8])).round(4)
    array([0.8333, 0.    , 0.    , 0.1667])
    """

    reference = "moffat2013"

    def continuation(self, page: Page) -> NDArray[np.float64]:
        """What is left to come after this rank, as a share of what was left before it."""
        return _share_to_come(page.gains / page.ranks)

    def tail(self, page: Page, beyond: NDArray[np.float64]) -> Tail:
        """All leave at the last relevant item at the latest; what was not retrieved adds to the view alone."""
        tail = Tail.none(beyond)
        if self.recall_base == "run":
            return tail
        per_rank = (page.gains / page.ranks).sum(axis=-1)
        missed = np.divide(self._missed(page), per_rank, out=np.zeros_like(beyond), where=per_rank > 0)
        return Tail(missed, tail.last, tail.last_per_rank, tail.discounted_last)


@register("browse")
@dataclass(frozen=True, repr=False)
class AP2(_Clairvoyant):
    r"""A user who picks one of the relevant items and reads down to it.

    .. math:: C(i) = \frac{\sum_{j>i} r_j}{\sum_{j \ge i} r_j}

    Parameters
    ----------
    recall_base : run or collection
        Whether the item picked may be one that was not retrieved: such a user leaves at infinity.
    no_relevant : convention, zero or nan
        The score of a list without gain; by convention its user leaves at rank 1.

    References
    ----------
    robertson2008

    Examples
    --------
    >>> AP2().last(Page([0.5, 0, 1, 0.5]))
    array([0.25, 0.  , 0.5 , 0.25])
    """

    canonical = "avg"
    reference = "robertson2008"

    def refusal(self, aggregation: str, rate: bool) -> tuple[str, str] | None:
        """Users who look for what was not retrieved leave at infinity, where only avg and ERR have a value: 0."""
        if self.recall_base == "collection" and aggregation not in ("avg", "ERR"):
            reason = "users who look for an item that was not retrieved never leave, and take nothing away"
            return reason, "Use recall_base=run."
        return super().refusal(aggregation, rate)

    def continuation(self, page: Page) -> NDArray[np.float64]:
        """The gain still to come after this rank, as a share of that before it."""
        if self.recall_base == "run":
            return _share_to_come(page.gains)
        missed = np.maximum(self._missed(page), 0.0)
        return _share_to_come(page.gains, missed[..., None])

    def tail(self, page: Page, beyond: NDArray[np.float64]) -> Tail:
        """Users who look for an item that was not retrieved never leave."""
        return Tail.none(beyond) if self.recall_base == "run" else Tail.endless(beyond)


def _share_to_come(worth: NDArray[np.float64], missed: NDArray[np.float64] | float = 0.0) -> NDArray[np.float64]:
    to_come = np.cumsum(worth[..., ::-1], axis=-1)[..., ::-1] + missed
    after = to_come - worth
    # Exact zeros after the last relevant item: a sum from the end never leaves a rounding error there.
    after[..., :-1] = to_come[..., 1:]
    after[..., -1:] = missed
    return np.asarray(np.divide(after, to_come, out=np.zeros_like(worth), where=to_come > 0))
