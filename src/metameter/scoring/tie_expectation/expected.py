"""The expectation of a metric when documents with equal scores stand in random order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.judge.condense import condense
from metameter.judge.ranked import Ranked
from metameter.metric.base import Measure
from metameter.metric.classic.base import Summed
from metameter.metric.product import Product
from metameter.scoring.tie_expectation.above import expected_above, expected_alone, is_feasible
from metameter.scoring.tie_expectation.groups import Ties, ties_of
from metameter.scoring.tie_expectation.orders import expected_in_any_order
from metameter.scoring.tie_expectation.static import expected_static

# Aggregations that are linear in the gains, in their sum so far or in the best so far: then so are expectations.
_LINEAR = frozenset({"avg", "ERG", "ERR", "ETG", "fgt", "fin", "max", "PE"})
# Aggregations to which the order of the items seen makes no difference, and which are no rate.
_UNORDERED = frozenset({"avg", "ERR", "ETG", "fin", "max", "PE"})


def expected(measure: Measure, ranked: Ranked) -> NDArray[np.float64]:
    """Return one score per topic: the mean over all orders of the documents with equal scores.

    Parameters
    ----------
    measure : Measure
    ranked : Ranked
        Aligned with ``ties="mean"``.

    Notes
    -----
    Where a rank counts by its own document alone, or a static user reads, the mean of the gains gives it, for ties of
    any size [mcsherry2008]_. Where a rank counts by what stands above, whatever its order (AP, RR, ERR, Q, ...), so do
    hypergeometric weights. For any other metric all orders of documents that differ are scored; too many are refused.

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
    """Whether the score is a sum over ranks, and what stands above a rank counts whatever its order."""
    if isinstance(measure, Summed):
        return measure.cumulative
    if isinstance(measure, Product):
        return measure.model.order_free_view and _aggregated(measure, _UNORDERED)
    return False


def _aggregated(measure: Product, names: frozenset[str]) -> bool:
    return measure.aggregation.registered_name in names
