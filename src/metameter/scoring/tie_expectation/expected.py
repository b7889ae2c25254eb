"""The expectation of a metric when documents with equal scores stand in random order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from metameter.browse.page import Page
from metameter.errors import MetameterError
from metameter.judge.condense import condense
from metameter.judge.gain import gains_of
from metameter.judge.ranked import Ranked
from metameter.metric.base import Measure
from metameter.metric.classic.base import Summed
from metameter.metric.cwla import expected_aggregate
from metameter.metric.product import Product
from metameter.scoring.tie_expectation.groups import Ties, group_mean, log_choose, ties_of
from metameter.scoring.tie_expectation.orders import (
    contributions,
    expected_above,
    expected_in_any_order,
    is_feasible,
)

# Aggregations that are linear in the gains, in their sum so far or in the best so far: the expectation is theirs.
_LINEAR = frozenset({"avg", "ERG", "ERR", "ETG", "fgt", "fin", "max", "PE"})
# Aggregations to which the order of the items seen makes no difference, and which are no rate.
_UNORDERED = frozenset({"avg", "ERR", "ETG", "fin", "max", "PE"})
# The most tied documents for which one term is computed for each pair of them.
_FEW = 4096
_BLOCK_CELLS = 1_000_000


def expected(measure: Measure, ranked: Ranked) -> NDArray[np.float64]:
    """Return one score per topic: the mean over all orders of the documents with equal scores.

    Parameters
    ----------
    measure : Measure
    ranked : Ranked
        Aligned with ``ties="mean"``.

    Notes
    -----
    If what a rank adds depends on its own document alone, or the user is static, the mean of the gains gives the
    expectation, for ties of any size [mcsherry2008]_. If it depends on the set of documents above (AP, RR, ERR, Q and
    others), hypergeometric weights do. For any other metric all distinct orders are scored; too many are refused.

    References
    ----------
    mcsherry2008

    Examples
    --------
    >>> from dataclasses import replace
    >>> from metameter.metric.compose import parse_metric
    >>> tied = replace(Ranked.of_gains([1, 0]), tied=np.array([[0, 0]]))
    >>> [float(expected(parse_metric(name), tied)[0].round(4)) for name in ("RR", "nDCG@1", "INST(T=1)")]
    [0.75, 0.5, 0.4075]
    """
    if ranked.tied is None:
        raise MetameterError("the run was read without its ties", fix="Align it with ties='mean'.")
    if ranked.costs is not None:
        raise MetameterError(
            "the mean over ties is not offered with costs", fix="Set ties to another order (--ties docid-desc, say)."
        )
    listed = condense(ranked) if measure.condensed() == measure else ranked
    ties = ties_of(measure, listed)
    if not ties.matter:
        return measure.score(ranked)
    if isinstance(measure, Summed) and measure.linear:
        return expected_alone(measure, listed)
    if isinstance(measure, Product) and measure.model.user == "static" and _aggregated(measure, _LINEAR):
        return expected_static(measure, listed)
    return _topic_by_topic(measure, listed, ties)


def _topic_by_topic(measure: Measure, listed: Ranked, ties: Ties) -> NDArray[np.float64]:
    scores = np.array(measure.score(listed), dtype=np.float64)
    above = _counts_by_what_is_above(measure)
    for topic in ties.topics:
        groups = ties.groups(topic)
        if above and is_feasible(groups):
            scores[topic] = expected_above(measure, listed, topic, groups)
        else:
            scores[topic] = expected_in_any_order(measure, listed, topic, groups)
    return scores


def _counts_by_what_is_above(measure: Measure) -> bool:
    """Whether the score is a sum over ranks of what depends on the set of documents above, not on their order."""
    if isinstance(measure, Summed):
        return measure.cumulative
    if isinstance(measure, Product):
        return measure.model.order_free_view and _aggregated(measure, _UNORDERED)
    return False


def _aggregated(measure: Product, names: frozenset[str]) -> bool:
    return measure.aggregation.registered_name in names


def expected_alone(measure: Summed, listed: Ranked) -> NDArray[np.float64]:
    """Return the sum, over ranks and kinds of documents, of the probability of the kind times what it adds there.

    Examples
    --------
    >>> from metameter.metric.classic.precision_recall import P
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


def expected_static(measure: Product, listed: Ranked) -> NDArray[np.float64]:
    """Return the expectation for a static user: the score of a page of expected gains and expected best gains so far.

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
    """Return the expected maximum of 1, 2, ..., n of n gains drawn without replacement."""
    if (gains == gains[0]).all():
        return gains
    rising = np.sort(gains)
    return _best_by_rank(rising) if gains.size <= _FEW else _best_by_value(rising)


def _best_by_rank(rising: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the same, from gains in rising order: each is the best of t if the others are drawn from those below."""
    n, rank = rising.size, np.arange(1, rising.size + 1)
    best = []
    for size in np.array_split(rank[:, None], max(n * n // _BLOCK_CELLS, 1)):
        likely = np.exp(log_choose(rank - 1, size - 1) - log_choose(n, size))
        best.append((likely * rising).sum(axis=1))
    return np.concatenate(best).astype(np.float64)


def _best_by_value(rising: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the same, from many gains of few values: the best is at most v if all t are drawn from gains up to v.

    Examples
    --------
    >>> rising = np.array([0.0, 0.0, 0.5, 1.0])
    >>> np.allclose(_best_by_value(rising), _best_by_rank(rising), rtol=1e-15)
    True
    """
    values, counts = np.unique(rising, return_counts=True)
    size = np.arange(1, rising.size + 1)
    every = log_choose(rising.size, size)
    best, less = np.zeros(size.size, np.longdouble), np.zeros(size.size, np.longdouble)
    for value, among in zip(values, np.cumsum(counts), strict=True):
        no_more = np.exp(log_choose(among, size) - every)
        best, less = best + value * (no_more - less), no_more
    return best.astype(np.float64)


def _fitted(values: NDArray[np.float64], depth: int, *, edge: bool = False) -> NDArray[np.float64]:
    """Return ``depth`` ranks; beyond the end of the list the value is 0 or, with ``edge``, the last one."""
    missing = depth - values.shape[1]
    if missing <= 0:
        return values[:, :depth]
    return np.pad(values, ((0, 0), (0, missing)), mode="edge" if edge and values.shape[1] else "constant")
