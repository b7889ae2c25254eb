"""Residuals: bounds of a score if unjudged documents had gain 0, and if they had gain 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.browse.browsing_state import BrowsingState
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
        The score with every unjudged document at gain 0, and at gain 1; topics x depths from `bounds_at`.
    kind : exact, heuristic or none
        ``exact``: no judgments of these documents give a score outside. ``heuristic``: they may, and high may even be
        below low. ``none``: the metric counts judgments, and both are NaN.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    kind: str

    @property
    def residual(self) -> NDArray[np.float64]:
        """``high`` minus ``low``."""
        return np.asarray(self.high - self.low)


def bounds(measure: Measure, ranked: Ranked) -> ResidualBounds:
    """The bounds of the scores over all possible gains of the unjudged documents.

    For a product, the list may continue with gain 1 as far as its users may read: down to ``@k``, or for ever without a
    last rank. For other metrics, the unjudged documents of the list count as not relevant, or as having the highest
    grade. The latter changes the recall base and the best list, too: the upper bound is the larger of the scores with
    the changed ones and, up to 1, with the present ones.

    Examples
    --------
    The weights of ranks 2, 4 and beyond are 0.16 + 0.1024 + 0.4096.

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
    """The bounds of the metric at each of several depths, topics x depths.

    Examples
    --------
    >>> from metameter.metric.compose import parse_metric
    >>> bounds_at(parse_metric("P@10"), Ranked.of_gains([1, None, 0, None]), [1, 2, 4]).high
    array([[1.  , 1.  , 0.75]])
    """
    checked = checked_depths(depths)
    if not checked.size:
        nothing = at_depths([], ranked)
        return ResidualBounds(nothing, nothing, bounds(measure, ranked).kind)
    depths = checked.tolist()
    if not isinstance(measure, Product):
        return _of_metric(measure.at(depths[0]), ranked, lambda evidence: measure.curve(evidence, depths))
    product, kind = _judging_all(measure), _kind(measure)
    return ResidualBounds(product.curve(ranked, depths), _highest_at(product, ranked, checked), kind)


def _of_metric(measure: Measure, ranked: Ranked, score: Callable[[Ranked], NDArray[np.float64]]) -> ResidualBounds:
    if measure.counts_judgments:
        none = np.full_like(score(ranked), np.nan)
        return ResidualBounds(none, none, "none")
    exact = measure.rises_with_gain and measure.condensed() != measure
    best = _judged(ranked, ranked.judgments.max_grade)
    # Most metrics treat a document without judgment as not relevant already.
    differs = measure.distinguishes == "status" or measure.condensed() == measure
    worst = _judged(ranked, 0.0) if differs else ranked
    with np.errstate(all="ignore"):
        # The list may then hold more relevant documents than the qrels, for which some metrics have no value.
        present = score(
            ranked.once("judged best, with present judgments", lambda: _with_judgments(best, ranked.judgments))
        )
    high = np.fmax(score(best), np.minimum(present, 1.0))
    return ResidualBounds(score(worst), high, "exact" if exact else "heuristic")


def _with_judgments(ranked: Ranked, judgments: Judgments) -> Ranked:
    return replace(ranked, judgments=judgments)


def _of_product(product: Product, ranked: Ranked) -> ResidualBounds:
    kind, product = _kind(product), _judging_all(product)
    return ResidualBounds(product.score(ranked), _highest(product, ranked), kind)


def _kind(product: Product) -> str:
    model, aggregation = product.model, product.aggregation
    exact = model.bounded(aggregation.registered_name) and aggregation.rises_with_gain and not model.judged_only
    return "exact" if exact else "heuristic"


def _judging_all(product: Product) -> Product:
    # A judged document, whatever its grade, is not removed from the condensed list.
    model = product.model
    return replace(product, model=replace(model, judged_only=False)) if model.judged_only else product


def _highest(product: Product, ranked: Ranked) -> NDArray[np.float64]:
    key = ("best", repr(product.model), product.cut)
    page, state, gain = ranked.once(key, lambda: _best(product, ranked))
    return product.model.apply_convention(page, expected_aggregate(state, page, product.aggregation, gain))


def _highest_at(product: Product, ranked: Ranked, depths: NDArray[np.int64]) -> NDArray[np.float64]:
    if product.one_pass is None:
        return at_depths([_highest(product.at(int(k)), ranked) for k in depths], ranked)
    deepest = product.at(int(depths.max()))
    # On the deepest page every item that may have gain 1 has it; shallower pages are its first ranks.
    page = _best_page(deepest, ranked)
    return product.one_pass(deepest.model, page, product.aggregation, depths)


def _best(product: Product, ranked: Ranked) -> tuple[Page, BrowsingState, float]:
    """The page with gain 1 at all unjudged items, what users do on it, and the gain beyond it."""
    page, endless = _best_page(product, ranked), _endless(product)
    return page, product.model.browsing_state(page, best=endless), 1.0 if endless else 0.0


def _endless(product: Product) -> bool:
    # Clairvoyant users would never leave a list that continues with gain 1, so for them it ends as it is.
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
    """The same run with all its unjudged documents at that grade."""
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
    """The judgments extended by the new documents, whose best rank is their rank here."""
    ideal, count = judgments.ideal, new.sum(axis=1, keepdims=True)
    # Grades are in descending order: the new ones are inserted in one block, after all that are at least as high.
    first = (ideal >= grade).sum(axis=1, keepdims=True)
    column = np.arange(ideal.shape[1] + int(count.max(initial=0)))
    added = (column >= first) & (column < first + count)
    source = np.clip(np.where(column < first, column, column - count), 0, ideal.shape[1])

    def moved(values: NDArray[Any], padding: float) -> NDArray[Any]:
        padded = np.pad(values, ((0, 0), (0, 1)), constant_values=padding)
        return np.take_along_axis(padded, source, axis=1)

    pool_rank = judgments.pool_rank
    if pool_rank is not None:
        pool_rank = moved(pool_rank, NEVER)
        pool_rank[added] = np.nonzero(new)[1] + 1
    return replace(judgments, ideal=np.where(added, grade, moved(ideal, -1.0)), pool_rank=pool_rank)
