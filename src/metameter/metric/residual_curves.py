"""Residuals along the ranks: what a score at each depth could be, whatever the unjudged documents are worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from metameter.metric.cwla import expected_at_cuts, expected_at_stops
from metameter.metric.product import Product
from metameter.metric.residual import ResidualBounds, best_page, bounds, judged_as, worst_for

if TYPE_CHECKING:
    from metameter.judge.ranked import Ranked
    from metameter.metric.base import Measure

__all__ = ["bounds_at"]


def bounds_at(measure: Measure, ranked: Ranked, depths: Sequence[int]) -> ResidualBounds:
    """The `bounds` of ``measure.at(k)`` at each depth k, topics x depths each; in one pass where curves are.

    Examples
    --------
    >>> from metameter.judge.ranked import Ranked
    >>> from metameter.metric.compose import parse_metric
    >>> bounds_at(parse_metric("P@1"), Ranked.of_gains([1, None, 0]), [1, 2, 3]).residual.round(2)
    array([[0.  , 0.5 , 0.33]])
    """
    if isinstance(measure, Product):
        return _of_product(measure, ranked, depths)
    top = ranked.judgments.max_grade
    with np.errstate(all="ignore"):
        # The list may hold more relevant documents than the qrels: some metrics have no value for such a list.
        present = measure.curve(judged_as(ranked, top, counted=False), depths)
    high = np.fmax(measure.curve(judged_as(ranked, top), depths), np.minimum(present, 1.0))
    exact = measure.rises_with_gain and measure.condensed() != measure
    return ResidualBounds(measure.curve(worst_for(measure, ranked), depths), high, "exact" if exact else "heuristic")


def _of_product(product: Product, ranked: Ranked, depths: Sequence[int]) -> ResidualBounds:
    model, aggregation, last = product.model, product.aggregation, max(depths)
    cuts = model.k is None
    stops = model.needs_depth() and model.only_stops_at_k and model.closure == "stop"
    if model.user == "clairvoyant" or not (cuts or stops):
        every = [bounds(product.at(k), ranked) for k in depths]
        low, high = (np.stack(side, axis=1) for side in zip(*((each.low, each.high) for each in every), strict=True))
        return ResidualBounds(low, high, every[0].kind)
    # A document that is judged, even as worthless, is no longer removed.
    plain = replace(product, model=replace(model, judged_only=False)).at(last)
    page = best_page(plain, ranked)
    high = (expected_at_cuts if cuts else expected_at_stops)(plain.model, page, aggregation, np.asarray(depths))
    exact = model.bounded(aggregation.registered_name) and aggregation.rises_with_gain and not model.judged_only
    return ResidualBounds(plain.curve(ranked, depths), high, "exact" if exact else "heuristic")
