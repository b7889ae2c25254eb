"""Residuals: what a score could be if everything unjudged were worthless, and if it were perfect."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.browse.journey import Journey
from metameter.browse.page import Page
from metameter.judge.gain import gains_of, total_gain
from metameter.judge.ranked import ABSENT, BEYOND, JUDGED, NEVER, POOLED, Judgments, Ranked
from metameter.metric.base import Measure
from metameter.metric.cwla import expected_aggregate
from metameter.metric.product import Product

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ResidualBounds", "best_page", "bounds", "judged_as", "worst_for"]


@dataclass(frozen=True, eq=False)
class ResidualBounds:
    """The lowest and the highest score of each topic.

    Attributes
    ----------
    low, high : ndarray
        The score with every unjudged document at gain 0, and at gain 1.
    kind : exact or heuristic
        ``exact``: no judgment of these documents could move the score outside. If heuristic, high may even be below
        low.
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
    exact = measure.rises_with_gain and measure.condensed() != measure
    best = judged_as(ranked, ranked.judgments.max_grade)
    with np.errstate(all="ignore"):
        # The list may hold more relevant documents than the qrels: some metrics have no value for such a list.
        present = measure.score(judged_as(ranked, ranked.judgments.max_grade, counted=False))
    high = np.fmax(measure.score(best), np.minimum(present, 1.0))
    return ResidualBounds(measure.score(worst_for(measure, ranked)), high, "exact" if exact else "heuristic")


def _of_product(product: Product, ranked: Ranked) -> ResidualBounds:
    model, aggregation = product.model, product.aggregation
    low = product.score(ranked)
    if model.judged_only:
        # A document that is judged, even as worthless, is no longer removed.
        product = replace(product, model=replace(model, judged_only=False))
        low = product.score(ranked)
    page, journey, gain = ranked.once(("best", repr(product.model), product.cut), lambda: _best(product, ranked))
    high = product.model.apply_convention(page, expected_aggregate(journey, page, aggregation, gain))
    exact = model.bounded(aggregation.registered_name) and aggregation.rises_with_gain and not model.judged_only
    return ResidualBounds(low, high, "exact" if exact else "heuristic")


def _best(product: Product, ranked: Ranked) -> tuple[Page, Journey, float]:
    """The page with gain 1 wherever no judgment forbids it, what users do on it, and the gain beyond it."""
    page, endless = best_page(product, ranked), _endless(product)
    return page, product.model.journey(page, best=endless), 1.0 if endless else 0.0


def _endless(product: Product) -> bool:
    # Clairvoyant users would wait for ever for what is to come: for them the list ends where it ends.
    return product.reach is None and product.model.user != "clairvoyant"


def best_page(product: Product, ranked: Ranked) -> Page:
    """The page with gain 1 wherever no judgment forbids it, as far down as the product's users may read."""
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


def worst_for(measure: Measure, ranked: Ranked) -> Ranked:
    """The run with all its unjudged documents judged worthless."""
    if measure.distinguishes == "status" or measure.condensed() == measure:
        return judged_as(ranked, 0.0)
    # To this metric a document without judgment is worthless already.
    return ranked


def judged_as(ranked: Ranked, grade: float, *, counted: bool = True) -> Ranked:
    """The same run, after all its unjudged documents were given that grade; in the qrels they count too, or not."""
    if counted:
        return ranked.once(("judged as", grade), lambda: _regraded(ranked, grade))
    return ranked.once(("seen as", grade), lambda: replace(judged_as(ranked, grade), judgments=ranked.judgments))


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
    ideal, count = judgments.ideal, new.sum(axis=1)
    topic, rank = np.nonzero(new)
    first = np.concatenate(([0], np.cumsum(count)[:-1]))
    # The judged grades fall already: new ones come behind those of the same grade, the lower ones move down.
    behind = (ideal >= grade).sum(axis=1)[topic] + np.arange(topic.size) - first[topic]
    moved = np.arange(ideal.shape[1]) + np.where(ideal < grade, count[:, None], 0)
    rows = np.arange(len(ideal))[:, None]

    def joined(known: NDArray[Any], added: Any, padding: Any) -> NDArray[Any]:
        whole = np.full((len(ideal), ideal.shape[1] + new.shape[1]), padding, dtype=known.dtype)
        whole[rows, moved] = known
        whole[topic, behind] = added
        return whole

    pool_rank = judgments.pool_rank
    if pool_rank is not None:
        pool_rank = joined(pool_rank, rank + 1, NEVER)
    return replace(judgments, ideal=joined(ideal, grade, -1.0), pool_rank=pool_rank)
