"""Exact expectations for static users, who stop whatever they see: only the gains are random."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metameter.browse.page import Page
from metameter.judge.gain import gains_of
from metameter.judge.ranked import Ranked
from metameter.metric.cwla import expected_aggregate
from metameter.metric.product import Product
from metameter.scoring.tie_expectation.groups import group_mean, log_choose

# With more documents than this, one term for each pair of them is too much.
_FEW = 4096
_BLOCK_CELLS = 1_000_000


def expected_static(measure: Product, listed: Ranked) -> NDArray[np.float64]:
    """The score of the page on which each gain, and each best gain so far, is its expectation.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from metameter.metric.compose import parse_metric
    >>> tied = replace(Ranked.of_gains([1, 0]), tied=np.array([[0, 0]]))
    >>> expected_static(parse_metric("RBP(p=0.5)*max"), tied)  # (1 + 0.5) / 2
    array([0.75])
    """
    seen, tied = measure.page(listed), np.asarray(listed.tied)
    gains = gains_of(listed, measure.model.gain)
    page = Page.trusted(_fitted(group_mean(gains, tied), seen.depth), total_gain=seen.total_gain)
    # The best of expected gains is not the expected best; so the property of the page is overwritten.
    page.__dict__["best"] = _fitted(expected_best(gains, tied), seen.depth, edge=True)
    aggregated = expected_aggregate(measure.browsing_state(listed), page, measure.aggregation)
    return measure.model.apply_convention(page, aggregated)


def expected_best(gains: NDArray[np.float64], tied: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the expectation of the highest gain down to each rank.

    Examples
    --------
    >>> expected_best(np.array([[0.5, 1.0, 0.0, 0.0]]), np.array([[0, 1, 1, 1]])).round(4)
    array([[0.5   , 0.6667, 0.8333, 1.    ]])
    """
    best = np.maximum.accumulate(gains, axis=1)
    for topic in np.flatnonzero((gains != np.take_along_axis(gains, tied, axis=1)).any(axis=1)):
        starts, sizes = np.unique(tied[topic], return_counts=True)
        for start, size in zip(starts[sizes > 1], sizes[sizes > 1], strict=True):
            so_far = best[topic, start - 1] if start else 0.0
            best[topic, start : start + size] = _best_of(np.maximum(gains[topic, start : start + size], so_far))
    return best


def _best_of(gains: NDArray[np.float64]) -> NDArray[np.float64]:
    """The expected maximum of 1, 2, ..., n of n gains drawn without replacement."""
    if (gains == gains[0]).all():
        return gains
    rising = np.sort(gains)
    return _best_by_rank(rising) if gains.size <= _FEW else _best_by_value(rising)


def _best_by_rank(rising: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same of gains in rising order: each is the best of t if the other t-1 come from the gains below it."""
    n, rank = rising.size, np.arange(1, rising.size + 1)
    best = []
    for drawn in np.array_split(rank[:, None], max(n * n // _BLOCK_CELLS, 1)):
        likely = np.exp(log_choose(rank - 1, drawn - 1) - log_choose(n, drawn))
        best.append((likely * rising).sum(axis=1))
    return np.concatenate(best).astype(np.float64)


def _best_by_value(rising: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same for many gains, few of which differ: no more than v is found if all t come from those up to v.

    Examples
    --------
    >>> rising = np.array([0.0, 0.0, 0.5, 1.0])
    >>> np.allclose(_best_by_value(rising), _best_by_rank(rising), rtol=1e-15)
    True
    """
    values, counts = np.unique(rising, return_counts=True)
    drawn = np.arange(1, rising.size + 1)
    every = log_choose(rising.size, drawn)
    best, less = np.zeros(drawn.size, np.longdouble), np.zeros(drawn.size, np.longdouble)
    for value, among in zip(values, np.cumsum(counts), strict=True):
        no_more = np.exp(log_choose(among, drawn) - every)
        best, less = best + value * (no_more - less), no_more
    return best.astype(np.float64)


def _fitted(values: NDArray[np.float64], depth: int, *, edge: bool = False) -> NDArray[np.float64]:
    """The first ranks; beyond the end there is no gain, and the best remains the best."""
    missing = depth - values.shape[1]
    if missing <= 0:
        return values[:, :depth]
    return np.pad(values, ((0, 0), (0, missing)), mode="edge" if edge and values.shape[1] else "constant")
