"""Residuals along the ranks: what a score at each depth could be, whatever the unjudged documents are worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from metameter.metric.product import Product
from metameter.metric.residual import ResidualBounds, bounds, judged_as

if TYPE_CHECKING:
    from metameter.judge.ranked import Ranked
    from metameter.metric.base import Measure

__all__ = ["bounds_at"]


def bounds_at(measure: Measure, ranked: Ranked, depths: Sequence[int]) -> ResidualBounds:
    """The bounds of ``measure.at(k)`` at each depth k, topics x depths each.

    Examples
    --------
    >>> from metameter.judge.ranked import Ranked
    >>> from metameter.metric.compose import parse_metric
    >>> bounds_at(parse_metric("P@1"), Ranked.of_gains([1, None, 0]), [1, 2, 3]).residual.round(2)
    array([[0.  , 0.5 , 0.33]])
    """
    if isinstance(measure, Product):
        every = [bounds(measure.at(k), ranked) for k in depths]
        return ResidualBounds(*(np.stack(side, axis=1) for side in zip(*((b.low, b.high) for b in every))), every[0].kind)
    worst, best = (judged_as(ranked, grade) for grade in (0.0, ranked.judgments.max_grade))
    with np.errstate(all="ignore"):
        # The list may hold more relevant documents than the qrels: some metrics have no value for such a list.
        present = measure.curve(replace(best, judgments=ranked.judgments), depths)
    high = np.fmax(measure.curve(best, depths), np.minimum(present, 1.0))
    exact = measure.rises_with_gain and measure.condensed() != measure
    return ResidualBounds(measure.curve(worst, depths), high, "exact" if exact else "heuristic")
