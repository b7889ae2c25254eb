"""Metrics that are linear: a rank counts by its own document alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from metameter.judge.ranked import Ranked
from metameter.metric.base import Measure
from metameter.metric.classic.base import Summed, divide
from metameter.metric.product import Product
from metameter.scoring.mean_ties.groups import group_mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["contributions", "expected_alone"]


def contributions(measure: Measure, listed: Ranked) -> NDArray[np.float64]:
    """What each rank adds to the score, topics x ranks."""
    if isinstance(measure, Product):
        page, journey = measure.page(listed), measure.journey(listed)
        return np.asarray(journey.last * measure.aggregation.aggregate(page))
    if not isinstance(measure, Summed):
        raise TypeError(f"{measure} is no sum over ranks")
    gain, discount = measure.parts(listed.cut(measure.k))
    divisor = np.broadcast_to(measure.divisor(listed), len(listed.length))
    return divide(gain * discount, divisor[:, None])


def expected_alone(measure: Summed, listed: Ranked) -> NDArray[np.float64]:
    """The sum over kinds of documents: how likely each stands at a rank, times what it adds there.

    Examples
    --------
    >>> from metameter.metric.classic.p import P
    >>> expected_alone(P(k=1), replace(Ranked.of_gains([1, 0, 0]), tied=np.array([[0, 0, 0]]))).round(4)
    array([0.3333])
    """
    total = np.zeros(len(listed.length))
    tied = np.asarray(listed.tied)
    for grade, status in np.unique(np.stack([listed.grade, listed.status]).reshape(2, -1), axis=1).T:
        likely = group_mean(((listed.grade == grade) & (listed.status == status)).astype(np.float64), tied)
        everywhere = replace(
            listed,
            grade=np.full(listed.grade.shape, grade),
            status=np.full(listed.status.shape, status, dtype=np.int8),
        )
        added = contributions(measure, everywhere)
        total += (likely[:, : added.shape[1]] * added).sum(axis=1)
    return total
