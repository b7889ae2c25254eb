"""AP1 and AP2: the user models behind average precision, who know what stands further down."""

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
        """The scores, where lists without gain keep theirs (of a user who leaves at rank 1), or get 0 or NaN."""
        if self.no_relevant == "convention":
            return scores
        return np.where(page.list_gain > 0, scores, 0.0 if self.no_relevant == "zero" else np.nan)

    @property
    def needs(self) -> frozenset[str]:
        """The recall base, where relevant documents that were not retrieved count."""
        return frozenset({"total_gain"} if self.recall_base == "collection" else ())

    def _missed(self, page: Page) -> NDArray[np.float64]:
        """The gain of the relevant documents that were not retrieved."""
        self._require(page)
        return np.asarray(page.total_gain, dtype=np.float64) - page.list_gain


@register("browse")
@dataclass(frozen=True, repr=False)
class AP1(_Clairvoyant):
    r"""A user who knows the whole list and goes on while it holds gain further down, counted as gain divided by rank.

    .. math:: C(i) = \frac{\sum_{j>i} r_j / j}{\sum_{j \ge i} r_j / j}

    Parameters
    ----------
    recall_base : run or collection
        With ``collection``, relevant documents that were not retrieved count, too, as if they stood at rank infinity.
    no_relevant : convention, zero or nan
        The score of a list without gain: that of a user who leaves at rank 1 (``convention``), 0 or NaN.

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
        """The gain per rank that remains below each rank, as a share of what remains from that rank on."""
        return _share_to_come(page.gains / page.ranks)

    def tail(self, page: Page, beyond: NDArray[np.float64]) -> Tail:
        """No one leaves beyond the end; relevant documents that were not retrieved add to the sum of the view alone."""
        tail = Tail.none(beyond)
        if self.recall_base == "run":
            return tail
        per_rank = (page.gains / page.ranks).sum(axis=-1)
        missed = np.divide(self._missed(page), per_rank, out=np.zeros_like(beyond), where=per_rank > 0)
        return Tail(missed, tail.last, tail.last_per_rank, tail.discounted_last)


@register("browse")
@dataclass(frozen=True, repr=False)
class AP2(_Clairvoyant):
    r"""A user who picks one relevant item, in proportion to gain, and reads down to it.

    .. math:: C(i) = \frac{\sum_{j>i} r_j}{\sum_{j \ge i} r_j}

    Parameters
    ----------
    recall_base : run or collection
        With ``collection``, the item may be one that was not retrieved; that user never leaves.
    no_relevant : convention, zero or nan
        The score of a list without gain: that of a user who leaves at rank 1 (``convention``), 0 or NaN.

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
        """Refuse aggregations that have no value at infinity, where users leave who look for what was not retrieved."""
        if self.recall_base == "collection" and aggregation not in ("avg", "ERR"):
            reason = "users who look for an item that was not retrieved never leave, so there is nothing to aggregate"
            return reason, "Use recall_base=run."
        return super().refusal(aggregation, rate)

    def continuation(self, page: Page) -> NDArray[np.float64]:
        """The gain that remains below each rank, as a share of what remains from that rank on."""
        if self.recall_base == "run":
            return _share_to_come(page.gains)
        missed = np.maximum(self._missed(page), 0.0)
        return _share_to_come(page.gains, missed[..., None])

    def tail(self, page: Page, beyond: NDArray[np.float64]) -> Tail:
        """No one leaves beyond the end; those who look for an item that was not retrieved read on for ever."""
        return Tail.none(beyond) if self.recall_base == "run" else Tail.endless(beyond)


def _share_to_come(worth: NDArray[np.float64], missed: NDArray[np.float64] | float = 0.0) -> NDArray[np.float64]:
    to_come = np.cumsum(worth[..., ::-1], axis=-1)[..., ::-1] + missed
    after = to_come - worth
    # Exact zeros after the last relevant item: a sum from the end never leaves a rounding error there.
    after[..., :-1] = to_come[..., 1:]
    after[..., -1:] = missed
    return np.asarray(np.divide(after, to_come, out=np.zeros_like(worth), where=to_come > 0))
