"""How well each metric agrees with labels: estimates, intervals, and which metrics agree significantly better.

Metrics are ordered and judged by concordance: the share of the pairs with different labels that a metric orders
as the labels do, ties counting half. tau_b, which the paper uses, corrects for ties and so favours coarse metrics.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.meta.label_agreement.question import CANONICAL_SHARE, LabelOptions, LabelQuestion
from metameter.stats.checks import Floats
from metameter.stats.intervals.metric_pairs import differing_pairs
from metameter.stats.intervals.rows import FEWEST_UNITS, RowIntervals, row_intervals
from metameter.stats.intervals.simultaneous import max_t_pvalues, simultaneous_intervals
from metameter.stats.labels.correlation_tests import TauTriple, bootstrap_pvalues, formula_pvalue
from metameter.stats.labels.counted_taus import (
    CountedTaus,
    OrderedPairs,
    counted_taus,
    ordered_pairs,
    resampled_agreements,
    resampled_taus,
)
from metameter.stats.labels.counts import label_resamples
from metameter.stats.rank_correlation.dependent_correlations import zou_interval
from metameter.stats.rank_correlation.kendall import weighted_tau_b
from metameter.stats.resampling.replicates import BLOCK
from metameter.stats.significance.pairs import adjust_pvalues

if TYPE_CHECKING:
    from collections.abc import Sequence


#: A bound this many Monte-Carlo errors from zero is a close call.
_CLOSE = 2.0


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Comparisons of metrics with their references; all arrays (comparisons,), NaN where undefined.

    Attributes
    ----------
    metric, reference : ndarray of int
        Positions among the measures.
    difference, low, high, low_row, high_row : ndarray
        The statistic minus that of the reference; its interval, simultaneous over the table, and individual.
    p_row, p_table : ndarray
        P-values, adjusted within the row of the table (the reference) and over the whole table.
    differs : ndarray of bool
        Whether the two differ significantly: the simultaneous interval excludes zero.
    better_row, close_call : ndarray of bool
    """

    metric: NDArray[np.int64]
    reference: NDArray[np.int64]
    difference: Floats
    low: Floats
    high: Floats
    low_row: Floats
    high_row: Floats
    p_row: Floats
    p_table: Floats
    differs: NDArray[np.bool_]
    better_row: NDArray[np.bool_]
    close_call: NDArray[np.bool_]

    @property
    def better(self) -> NDArray[np.bool_]:
        """Whether a metric agrees significantly better than its reference."""
        return self.differs & (self.difference > 0)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """The pairs of a metric and its reference, with the data that their tests need."""

    question: LabelQuestion
    statistic: Floats
    metric: NDArray[np.int64]
    reference: NDArray[np.int64]
    resampled: Floats  # differences in the resamples, (resamples, comparisons)

    @property
    def difference(self) -> Floats:
        return self.statistic[self.metric] - self.statistic[self.reference]

    def tau_triples(self) -> list[TauTriple]:
        """The taus of both metrics with the labels, and of the two with each other."""
        codes, counts = self.question.codes, self.question.counts
        occurs = np.bincount(counts.item, weights=counts.count, minlength=codes.shape[1]).astype(np.int64)
        tau = self.statistic.tolist()
        return [
            TauTriple(tau[one], tau[other], weighted_tau_b(codes[one], codes[other], occurs))
            for one, other in zip(self.metric, self.reference, strict=True)
        ]


def compare_with_references(
    question: LabelQuestion, statistic: Floats, resampled: Floats, options: LabelOptions, largest: float
) -> Comparisons:
    """Compare every metric that has a value with its reference.

    Parameters
    ----------
    question : LabelQuestion
    statistic : ndarray, (measures,)
        tau_b, or concordance; NaN where a metric has none.
    resampled : ndarray, (resamples, measures)
        The same statistic in every resample.
    options : LabelOptions
        Tests by formula are of tau_b.
    largest : float
        The largest possible difference.
    """
    references = enumerate(question.references)
    known = [(m, r) for m, r in references if r is not None and r != m and not np.isnan(statistic[[m, r]]).any()]
    metric, reference = np.array(known, dtype=np.int64).reshape(-1, 2).T
    pairs = _Pairs(question, statistic, metric, reference, resampled[:, metric] - resampled[:, reference])
    p_row, *row_ends = _by_row(pairs, options)
    better_row = (p_row < options.alpha) & (pairs.difference > 0)
    low, high, p_table, differs, close = _over_table(pairs, options)
    low, high, low_row, high_row = (np.clip(each, -largest, largest) for each in (low, high, *row_ends))
    ends, marks = (low, high, low_row, high_row), (differs, better_row, close)
    return Comparisons(metric, reference, pairs.difference, *ends, p_row, p_table, *marks)


def _over_table(
    pairs: _Pairs, options: LabelOptions
) -> tuple[Floats, Floats, Floats, NDArray[np.bool_], NDArray[np.bool_]]:
    """Simultaneous intervals and p-values of all comparisons, which of them differ, and which are close calls."""
    nothing, none = np.full(len(pairs.metric), np.nan), np.zeros(len(pairs.metric), dtype=bool)
    if not len(pairs.resampled) or not len(pairs.metric):
        return nothing, nothing, nothing, none, none
    level, units = CANONICAL_SHARE * options.level, pairs.question.counts.units
    noise, centre = np.zeros((-(-len(pairs.resampled) // BLOCK), len(none))), np.zeros(len(none))
    intervals = simultaneous_intervals(
        pairs.difference, pairs.resampled, noise, centre, topics=units, alpha=level, by_tail=True
    )
    low, high = intervals.ends()
    p = max_t_pvalues(pairs.difference, pairs.resampled, units=units) / CANONICAL_SHARE
    bounded = np.isfinite(low)
    # Only better metrics are marked, so only the lower end of a positive difference matters.
    close = bounded & (pairs.difference > 0) & (np.abs(low) < _CLOSE * intervals.error)
    return np.where(bounded, low, np.nan), np.where(bounded, high, np.nan), np.minimum(p, 1.0), intervals.clear(), close


def _by_row(pairs: _Pairs, options: LabelOptions) -> tuple[Floats, Floats, Floats]:
    """P-values adjusted within each row of the table, and the individual interval of each difference."""
    unknown = np.full(len(pairs.metric), np.nan)
    if options.test == "bootstrap":
        rows = individual_intervals(pairs.difference, pairs.resampled, pairs.question.counts.units)
        p = bootstrap_pvalues(pairs.resampled) if len(pairs.resampled) else unknown
        if pairs.question.counts.user is not None:
            # With few users, shares of resamples are too small: 9% are below .05 with ten to twenty equal users.
            p = np.maximum(p, rows.p)
        return _within_rows(p, pairs.reference, options.adjusted_by), rows.low, rows.high
    tau_triples, n = pairs.tau_triples(), pairs.question.counts.total
    p = np.array([formula_pvalue(options.test, triple, n) for triple in tau_triples])
    low, high = unknown, unknown
    if options.test != "fisher" and tau_triples:
        low, high = np.array([zou_interval(*triple, n) for triple in tau_triples]).T
    return _within_rows(p, pairs.reference, options.adjusted_by), low, high


def _within_rows(p: Floats, reference: NDArray[np.int64], correction: str) -> Floats:
    """P-values adjusted within each row of the table: among the metrics that are compared with one reference."""
    adjusted = p.copy()
    if correction == "none" or np.isnan(p).any():
        return adjusted
    for each in np.unique(reference):
        adjusted[reference == each] = adjust_pvalues(p[reference == each], correction)
    return adjusted


def individual_intervals(estimate: Floats, resampled: Floats, units: int) -> RowIntervals:
    """The individual interval of every estimate; NaN where the estimate is.

    Parameters
    ----------
    estimate : ndarray, (statistics,)
    resampled : ndarray, (resamples, statistics)
    units : int
        The number of users, pages or pairs that are resampled.
    """
    known = ~np.isnan(estimate)
    size = int(known.sum())
    noise = np.zeros((-(-len(resampled) // BLOCK), size))
    intervals = row_intervals(estimate[known], resampled[:, known], noise, np.zeros(size), units=units)
    return RowIntervals(*(_spread(each, known) for each in intervals))


def _spread(values: Floats, known: NDArray[np.bool_]) -> Floats:
    every = np.full(len(known), np.nan)
    every[known] = values
    return every


@dataclass(frozen=True, eq=False)
class LabelEstimates:
    """The agreement of all measures with the labels, and their comparisons.

    Attributes
    ----------
    shares : OrderedPairs
        Shares of the pairs with different labels (or with a preference) in the order of the labels, and tied in score;
        of all measures, suppressed ones included.
    tau, p, low, high : ndarray, (measures,)
        NaN where a metric is not correlated: constant, or suppressed.
    concordance, concordance_low, concordance_high : ndarray, (measures,)
        The share of pairs in the order of the labels, ties counting half; NaN where tau is.
    by_tau, by_concordance : Comparisons
    exceeds : ndarray of bool, (requested, requested)
        Whether the row's metric has a significantly higher concordance than the column's, with one error rate for all.
    resamples : int
        The number of resamples; 0 without resamples, and with too few units.
    """

    shares: OrderedPairs
    tau: Floats
    p: Floats
    low: Floats
    high: Floats
    concordance: Floats
    concordance_low: Floats
    concordance_high: Floats
    by_tau: Comparisons
    by_concordance: Comparisons
    exceeds: NDArray[np.bool_]
    resamples: int


def label_estimates(question: LabelQuestion, suppressed: Sequence[str], options: LabelOptions) -> LabelEstimates:
    """Correlate, resample, compare.

    Parameters
    ----------
    question : LabelQuestion
    suppressed : sequence of str
        Classes of metrics that are not correlated: ``X``, or ``X`` and ``XX``.
    options : LabelOptions
    """
    counts = question.counts
    observed = counted_taus(question.codes, counts)
    tau = np.where(np.isin(question.classes, list(suppressed)), np.nan, observed.statistic)
    question.refuse_uncorrelated_reference(tau)
    shares = _shares(question, observed)
    concordance = np.where(np.isnan(tau), np.nan, shares.agreement + shares.ties / 2)
    taus, concordances = _resampled(question, tau, options)
    rows = individual_intervals(tau, taus, counts.units)
    ends = individual_intervals(concordance, concordances, counts.units)
    bootstrap = replace(options, test="bootstrap", progress=None)
    by_concordance = compare_with_references(question, concordance, concordances, bootstrap, 1.0)
    return LabelEstimates(
        shares=shares,
        tau=tau,
        # Labels of one user depend on each other: then only resampled users give a valid p-value.
        p=np.where(np.isnan(tau), np.nan, observed.pvalue if counts.user is None else rows.p),
        low=np.clip(rows.low, -1.0, 1.0),
        high=np.clip(rows.high, -1.0, 1.0),
        concordance=concordance,
        concordance_low=np.clip(ends.low, 0.0, 1.0),
        concordance_high=np.clip(ends.high, 0.0, 1.0),
        by_tau=compare_with_references(question, tau, taus, options, 2.0),
        by_concordance=by_concordance,
        exceeds=_exceeds(concordance, concordances, by_concordance, question, options),
        resamples=len(taus),
    )


def _shares(question: LabelQuestion, observed: CountedTaus) -> OrderedPairs:
    """The shares of the pairs that each measure orders as the labels do, and of those that it ties.

    With labels of pages these are pairs of pages. With preferences each row is a pair, as no user compares two pairs.
    """
    counts = question.counts
    if question.preferred is None:
        return ordered_pairs(question.codes, counts, observed)
    preferred = question.preferred[counts.level]
    weight = np.where(preferred != 0, counts.count, 0)
    signs, whole = question.signs[:, counts.item], max(int(weight.sum()), 1)
    likewise, tied = ((each * weight).sum(axis=1) / whole for each in (signs == preferred, signs == 0))
    return OrderedPairs(likewise, tied)


def _resampled(question: LabelQuestion, tau: Floats, options: LabelOptions) -> tuple[Floats, Floats]:
    """tau_b and concordance of every measure in every resample; none with too few users, pages or pairs."""
    counts, codes = question.counts, question.codes
    if not options.resamples or counts.units < FEWEST_UNITS:
        return np.empty((0, len(codes))), np.empty((0, len(codes)))
    resamples = label_resamples(counts, options.resamples, options.seed)
    both = resampled_taus(codes, counts, resamples, options.jobs, options.progress, "both")
    taus, concordances = both[..., 0], both[..., 1]
    if question.preferred is not None:
        concordances = resampled_agreements(question.signs, question.preferred, counts, resamples, options.jobs)
    # A resample with equal scores only, or with one label only, orders nothing.
    unordered = ((taus, 0.0), (concordances, 0.5))
    first, second = (np.where(np.isnan(tau), np.nan, np.nan_to_num(each, nan=value)) for each, value in unordered)
    return first, second


def _exceeds(
    statistic: Floats, resampled: Floats, comparisons: Comparisons, question: LabelQuestion, options: LabelOptions
) -> NDArray[np.bool_]:
    """Whether the row's metric is significantly above the column's, among all pairs or as metric and reference.

    The two families of comparisons split the level, so that together they keep it.
    """
    size = len(question.names)
    differs = np.zeros((len(statistic), len(statistic)), dtype=bool)
    differs[comparisons.metric, comparisons.reference] = comparisons.differs
    known = np.flatnonzero(~np.isnan(statistic[:size]))
    if len(known) > 1 and len(resampled):
        level, units = (1.0 - CANONICAL_SHARE) * options.level, question.counts.units
        pairs = differing_pairs(statistic[known], resampled[:, known], units=units, alpha=level)
        differs[np.ix_(known, known)] |= pairs
    differs = (differs | differs.T)[:size, :size]
    return np.asarray(differs & (statistic[:size, None] > statistic[:size]))
