"""The product of a browsing model and an aggregation, which is a metric."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.aggregate.base import Aggregation
from metameter.browse.base import Browsing
from metameter.browse.browsing_state import BrowsingState
from metameter.browse.page import Page
from metameter.errors import MetameterError
from metameter.judge.condense import condense
from metameter.judge.gain import GainSpec, gain_map, gains_of, total_gain
from metameter.judge.ranked import JUDGED, Ranked
from metameter.judge.sums import by_rank
from metameter.metric.base import Measure, at_depths, checked_depths, cut_already
from metameter.metric.cwla import expected_aggregate, expected_at_cuts, expected_at_stops
from metameter.notation import depth_after
from metameter.notices import notice
from metameter.registry import metric_named

# Numerical errors of the tail above this are reported, since they may show in a printed score.
_NOTICED = 1e-9


@dataclass(frozen=True, repr=False)
class Product(Measure):
    """A browsing model times an aggregation, for lists cut after ``cut`` items.

    Examples
    --------
    >>> from metameter.browse.rbp import RBP
    >>> from metameter.aggregate.max import Max
    >>> metric = Product(RBP(p=0.8), Max())
    >>> metric, round(metric([0.7, 0.4, 0, 1, 0.5, 0.3]), 6)
    (RBP(p=0.8)*max, 0.8536)
    """

    model: Browsing
    aggregation: Aggregation
    cut: int | None = None

    def __post_init__(self) -> None:
        if self.cut is not None:
            cut = depth_after(self.cut, f"{self.model}*{self.aggregation}@{self.cut}")
            object.__setattr__(self, "cut", cut)  # store NumPy integers as Python integers
        refusal = self.model.refusal(repr(self.aggregation), self.aggregation.rate)
        if refusal:
            reason, fix = refusal
            raise MetameterError(f"{self.model}*{self.aggregation} is not defined: {reason}", fix=fix)

    def __repr__(self) -> str:
        product = f"{self.model!r}*{self.aggregation!r}"
        return product if self.cut is None else f"{product}@{self.cut}"

    @property
    def scaled(self) -> bool:
        """Whether gains are linear or exponential, and so relative to the highest grade of the scale."""
        return self.model.gain in ("linear", "exp")

    def attainable(self, grades: NDArray[np.float64], max_grade: float) -> NDArray[np.float64]:
        """The gains by the model's gain map: with ``exp`` the highest grade has a gain below 1."""
        return gain_map(self.model.gain).gains(grades, max_grade)

    def knows(self, grades: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which of these grades have a gain in the model's gain map."""
        return gain_map(self.model.gain).knows(grades)

    @property
    def grades_allowed(self) -> str:
        """A description of the grades that have a gain in the model's gain map, for messages."""
        return gain_map(self.model.gain).allowed

    def condensed(self) -> Product:
        """The same metric for condensed lists."""
        return replace(self, model=replace(self.model, judged_only=True))

    def at(self, k: int) -> Product:
        """The same metric with the list cut after k items; with that k as a parameter, if the model needs one."""
        if self.model.needs_depth():
            return replace(self, model=replace(self.model, k=k), cut=None)
        return replace(self, cut=k)

    def __matmul__(self, k: int) -> Product:
        """The metric whose name is this one's with ``@k`` after it: the list is cut after k items."""
        if self.cut is not None:
            raise cut_already(self)
        return replace(self, cut=depth_after(k, f"{self}@{k}"))

    @property
    def canonical(self) -> bool:
        """Whether this is the metric that has the name of the browsing model."""
        return self.aggregation.registered_name == self.model.canonical

    @property
    def everyday(self) -> str:
        """The name without the aggregation, where that reads back as this metric; otherwise the printed name.

        Examples
        --------
        >>> from metameter.metric.compose import parse_metrics
        >>> [metric.everyday for metric in parse_metrics(["RBP(p=0.8)", "ERR@10", "RBP(p=0.8)@10*ERG"])]
        ['RBP(p=0.8)', 'ERR@10', 'RBP(p=0.8)@10*ERG']
        """
        short = f"{self.model!r}" if self.cut is None else f"{self.model!r}@{self.cut}"
        read = metric_named(short)
        return short if read is not None and read.name == self.name else self.name

    @property
    def reach(self) -> int | None:
        """The cut or the last rank of the user, whichever is smaller; None for condensed lists."""
        depths = [k for k in (self.cut, self.model.k) if k is not None]
        return min(depths) if depths and not self.model.judged_only else None

    def rank_attention(self, ranked: Ranked) -> NDArray[np.float64]:
        """1 down to its depth; without one, the probability that each rank is viewed."""
        if self.model.judged_only:
            return np.asarray((ranked.status == JUDGED).astype(np.float64))
        view = super().rank_attention(ranked) if self.reach is not None else self.browsing_state(ranked).view
        return np.asarray(view)

    def page(self, ranked: Ranked) -> Page:
        """The page that the model's user sees."""
        return ranked.once(("page", *self._page_key), lambda: self._page(ranked))

    def _page(self, ranked: Ranked) -> Page:
        listed = (condense(ranked) if self.model.judged_only else ranked).cut(self.cut)
        if self.model.k is None:
            return _page(listed, self.model.gain)
        # No user reads on below rank k, so gains there need not be looked up.
        return _page(listed.cut(self.model.k), self.model.gain).resized(self.model.k)

    @cached_property
    def _page_key(self) -> tuple[object, ...]:
        # Products with the same key share the page and everything computed from it.
        return self.model.judged_only, str(self.model.gain), self.cut, self.model.k

    def browsing_state(self, ranked: Ranked) -> BrowsingState:
        """What the model's users do on the page; shared by all aggregations."""
        return ranked.once(self._state_key, lambda: self._browsing_state(ranked))

    @cached_property
    def _state_key(self) -> tuple[object, ...]:
        return "browsing state", repr(self.model), self.cut

    def _browsing_state(self, ranked: Ranked) -> BrowsingState:
        state = self.model.browsing_state(self.page(ranked))
        error = float(np.max(state.tail.error, initial=0.0))
        if error > _NOTICED:
            notice(
                f"{self.model}: its sums beyond the end of a list may be wrong by {error:.2g}; a last rank, such as "
                f"{self.model}@1000, or exact sums in its `tail` avoid this error"
            )
        return state

    def score(self, ranked: Ranked) -> NDArray[np.float64]:
        """One score per topic."""
        page, aggregation, aggregates = self.page(ranked), self.aggregation, None
        if not aggregation.additive:
            # Products of all models with this page share it.
            aggregates = ranked.once(self._aggregate_key, lambda: by_rank(aggregation.aggregate(page)))
        scores = expected_aggregate(self.browsing_state(ranked), page, aggregation, A=aggregates)
        return self.model.apply_convention(page, scores)

    @cached_property
    def _aggregate_key(self) -> tuple[object, ...]:
        return "aggregate", *self._page_key, repr(self.aggregation)

    def curve(self, ranked: Ranked, depths: Sequence[int]) -> NDArray[np.float64]:
        """The scores at each of several depths, topics x depths; in one pass unless users depend on what follows."""
        checked = checked_depths(depths)
        if not checked.size:
            return at_depths([], ranked)
        if self.one_pass is None:
            return super().curve(ranked, checked.tolist())
        # Scores of the whole list share the uncut page.
        whole = self if self.cut is None else replace(self, cut=None)
        whole = whole if self.model.k is None else self.at(int(checked.max()))
        page = whole.page(ranked)
        # A cut below the end of the list has no effect.
        return self.one_pass(whole.model, page, self.aggregation, np.minimum(checked, page.depth))

    @property
    def one_pass(self) -> Callable[[Browsing, Page, Aggregation, NDArray[np.int64]], NDArray[np.float64]] | None:
        """The function that scores all depths from the deepest page; None if each depth is scored separately."""
        model = self.model
        if model.user == "clairvoyant":
            return None
        if model.k is None:
            return expected_at_cuts
        stops = model.needs_depth() and model.only_stops_at_k and model.closure == "stop"
        return expected_at_stops if stops else None

    def __call__(self, gains: Any, costs: Any = None) -> float:
        """Return the score of one list of gains in [0, 1], with a cost per item if given; None marks an unjudged item.

        Examples
        --------
        >>> from metameter.metric.compose import parse_metric
        >>> parse_metric("TBG(h=2)*ETG")([1, 1, 1], costs=[2, 4, 1])  # 1 + 1/2 + 1/8
        1.625
        """
        if costs is None:
            return super().__call__(gains)
        if len(gains) != len(costs):
            fix = "Give each item one cost."
            raise MetameterError("costs and gains differ in number", given=len(costs), allowed=str(len(gains)), fix=fix)
        listed = [i for i, gain in enumerate(gains) if gain is not None or not self.model.judged_only]
        known = [gains[i] or 0.0 for i in listed]
        page = Page(known, costs=[costs[i] for i in listed], total_gain=sum(known))
        return float(self.score_page(page))

    def score_page(self, page: Page) -> NDArray[np.float64]:
        """The score of each list of a page."""
        if self.cut is not None and self.cut < page.depth:
            page = page.resized(self.cut)
        page = page.resized(self.model.k or max(page.depth, 1))
        return self.model.apply_convention(
            page, expected_aggregate(self.model.browsing_state(page), page, self.aggregation)
        )

    def explain(self, ranked: Ranked) -> dict[str, NDArray[np.float64]]:
        """Gain, C, V, L, W, A and the contribution of each rank.

        The contribution is W(i) r(i) for a rate of gain, else L(i) A(i).
        """
        page, state = self.page(ranked), self.browsing_state(ranked)
        A = self.aggregation.aggregate(page)
        if self.aggregation.rate:
            A = A / state.viewed[..., None]
        contribution = state.weight * page.gains if self.aggregation.rate else state.last * A
        return {
            "rank": np.broadcast_to(page.ranks, page.gains.shape),
            "gain": page.gains,
            "continuation": state.continuation,
            "view": state.view,
            "last": state.last,
            "weight": state.weight,
            "aggregate": A,
            "contribution": contribution,
        }


def _page(ranked: Ranked, gain: GainSpec) -> Page:
    gains = gains_of(ranked, gain)
    # The cost of each document, if the run was aligned with a table of costs.
    costs = ranked.costs
    if not gains.shape[1]:
        gains, costs = np.zeros((gains.shape[0], 1)), None
    return Page.trusted(gains, costs=costs, total_gain=total_gain(ranked.judgments, gain))
