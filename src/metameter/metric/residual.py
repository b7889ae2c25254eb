"""Residuals: what a score could be if everything unjudged were worthless, and if it were perfect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.browse.browsing_state import Journey
from metameter.browse.page import Page
from metameter.judge.gain import gains_of, total_gain
from metameter.judge.ranked import ABSENT, BEYOND, JUDGED, NEVER, POOLED, Judgments, Ranked
from metameter.metric.base import Measure, at_depths, checked_depths
from metameter.metric.cwla import expected_aggregate
from metameter.metric.product import Product


@dataclass(frozen=True, eq=False)
class ResidualBounds:
    """The lowest and the highest score of each topic.

    Attributes
    ----------
    low, high : ndarray
        The score with every unjudged document at gain 0, and at gain 1; of `bounds_at`, topics x depths.
    kind : exact, heuristic or none
        ``exact``: no judgment of these documents could move the score outside. If heuristic, high may even be below
        low. ``none``: the metric counts judgments, and both are NaN.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    kind: str

    @property
    def residual(self) -> NDArray[np.float64]:
        """``high`` minus ``low``."""
        return np.asarray(self.high - self.low)


def bounds(measure: Measure, ranked: Ranked) -> ResidualBounds:
    """What the scores could be, whatever the unjudged documents are worth.

    For a product the list may go on with gain 1 as far as its users may read: without a last rank for ever, else
    down to ``@k``. For any other metric the unjudged documents of the list are judged not relevant, or of the highest
    grade. The recall base and the best list would then change, too: the highest score is the higher of those with
    the changed one and, up to 1, with the present one.

    Examples
    --------
    The share of attention on ranks 2 and 4 and beyond is 0.16 + 0.1024 + 0.4096.

    >>> from metameter.metric.compose import parse_metric
    >>> residual = bounds(parse_metric("RBP(p=0.8)"), Ranked.of_gains([1, None, 0, None]))
    >>> residual.low.round(3), residual.high.round(3), residual.kind
    (array([0.2]), array([0.872]), 'exact')

    A user who has seen a perfect item cannot see a better one.

    >>> bounds(parse_metric("RBP(p=0.8)*max"), Ranked.of_gains([1, None, 0, None])).residual
    array([0.])
    """
    if isinstance(measure, Product):
        return _of_product(measure, ranked)
    return _of_metric(measure, ranked, measure.score)


def bounds_at(measure: Measure, ranked: Ranked, depths: Sequence[int]) -> ResidualBounds:
    """The bounds at each of several depths, topics x depths: those of `bounds` for the metric at that depth.

    Examples
    --------
    >>> from metameter.metric.compose import parse_metric
    >>> bounds_at(parse_metric("P@10"), Ranked.of_gains([1, None, 0, None]), [1, 2, 4]).high
    array([[1.  , 1.  , 0.75]])
    """
    wanted = checked_depths(depths)
    if not wanted.size:
        nothing = at_depths([], ranked)
        return ResidualBounds(nothing, nothing, bounds(measure, ranked).kind)
    listed = wanted.tolist()
    if not isinstance(measure, Product):
        return _of_metric(measure.at(listed[0]), ranked, lambda evidence: measure.curve(evidence, listed))
    product, kind = _judging_all(measure), _kind(measure)
    return ResidualBounds(product.curve(ranked, listed), _highest_at(product, ranked, wanted), kind)


def _of_metric(measure: Measure, ranked: Ranked, score: Callable[[Ranked], NDArray[np.float64]]) -> ResidualBounds:
    if measure.counts_judgments:
        none = np.full_like(score(ranked), np.nan)
        return ResidualBounds(none, none, "none")
    exact = measure.rises_with_gain and measure.condensed() != measure
    best = _judged(ranked, ranked.judgments.max_grade)
    # To most metrics a document without judgment is worthless already.
    differs = measure.distinguishes == "status" or measure.condensed() == measure
    worst = _judged(ranked, 0.0) if differs else ranked
    with np.errstate(all="ignore"):
        # The list may hold more relevant documents than the qrels: some metrics have no value for such a list.
        present = score(ranked.once("judged best, held to the present", lambda: _held_to(best, ranked.judgments)))
    high = np.fmax(score(best), np.minimum(present, 1.0))
    return ResidualBounds(score(worst), high, "exact" if exact else "heuristic")


def _held_to(ranked: Ranked, judgments: Judgments) -> Ranked:
    return replace(ranked, judgments=judgments)


def _of_product(product: Product, ranked: Ranked) -> ResidualBounds:
    kind, product = _kind(product), _judging_all(product)
    return ResidualBounds(product.score(ranked), _highest(product, ranked), kind)


def _kind(product: Product) -> str:
    model, aggregation = product.model, product.aggregation
    exact = model.bounded(aggregation.registered_name) and aggregation.rises_with_gain and not model.judged_only
    return "exact" if exact else "heuristic"


def _judging_all(product: Product) -> Product:
    # A document that is judged, even as worthless, is no longer removed.
    model = product.model
    return replace(product, model=replace(model, judged_only=False)) if model.judged_only else product


def _highest(product: Product, ranked: Ranked) -> NDArray[np.float64]:
    key = ("best", repr(product.model), product.cut)
    page, journey, gain = ranked.once(key, lambda: _best(product, ranked))
    return product.model.apply_convention(page, expected_aggregate(journey, page, product.aggregation, gain))


def _highest_at(product: Product, ranked: Ranked, depths: NDArray[np.int64]) -> NDArray[np.float64]:
    if product.one_pass is None:
        return at_depths([_highest(product.at(int(k)), ranked) for k in depths], ranked)
    deepest = product.at(int(depths.max()))
    # Down to the deepest cut every item that may have the gain 1 has it; shallower cuts are the first ranks of that.
    page = _best_page(deepest, ranked)
    return product.one_pass(deepest.model, page, product.aggregation, depths)


def _best(product: Product, ranked: Ranked) -> tuple[Page, Journey, float]:
    """The page with gain 1 wherever no judgment forbids it, what users do on it, and the gain beyond it."""
    page, endless = _best_page(product, ranked), _endless(product)
    return page, product.model.journey(page, best=endless), 1.0 if endless else 0.0


def _endless(product: Product) -> bool:
    # Clairvoyant users would wait for ever for what is to come: for them the list ends where it ends.
    return product.reach is None and product.model.user != "clairvoyant"


def _best_page(product: Product, ranked: Ranked) -> Page:
    model, spec = product.model, product.model.gain
    listed = ranked.cut(product.reach)
    further = 1.0 if _endless(product) or product.reach else 0.0
    gains = np.where(_unjudged(listed), 1.0, gains_of(listed, spec))
    gains[listed.status == BEYOND] = further
    page = Page.trusted(gains, costs=listed.costs, total_gain=total_gain(ranked.judgments, spec))
    page = page.resized(product.reach or max(page.depth, 1), further)
    return page.resized(model.k or page.depth)


def _unjudged(ranked: Ranked) -> NDArray[np.bool_]:
    return np.asarray((ranked.status == ABSENT) | (ranked.status == POOLED))


def _judged(ranked: Ranked, grade: float) -> Ranked:
    """The same run, after all its unjudged documents were given that grade."""
    return ranked.once(("judged as", grade), lambda: _regraded(ranked, grade))


def _regraded(ranked: Ranked, grade: float) -> Ranked:
    new = _unjudged(ranked)
    return replace(
        ranked,
        judgments=_extended(ranked.judgments, new, grade),
        grade=np.where(new, grade, ranked.grade),
        status=np.where(new, JUDGED, ranked.status).astype(np.int8),
    )


def _extended(judgments: Judgments, new: NDArray[np.bool_], grade: float) -> Judgments:
    """The judgments with those of the new documents; their best rank is the one they have here."""
    ideal, count = judgments.ideal, new.sum(axis=1, keepdims=True)
    # The grades fall already: the new ones come in one piece, after all that are as high.
    first = (ideal >= grade).sum(axis=1, keepdims=True)
    place = np.arange(ideal.shape[1] + int(count.max(initial=0)))
    added = (place >= first) & (place < first + count)
    source = np.clip(np.where(place < first, place, place - count), 0, ideal.shape[1])

    def moved(values: NDArray[Any], padding: float) -> NDArray[Any]:
        padded = np.pad(values, ((0, 0), (0, 1)), constant_values=padding)
        return np.take_along_axis(padded, source, axis=1)

    pool_rank = judgments.pool_rank
    if pool_rank is not None:
        pool_rank = moved(pool_rank, NEVER)
        pool_rank[added] = np.nonzero(new)[1] + 1
    return replace(judgments, ideal=np.where(added, grade, moved(ideal, -1.0)), pool_rank=pool_rank)
