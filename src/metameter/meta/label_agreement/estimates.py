"""How well each metric agrees with labels: estimates, intervals, and which are shown to exceed which.

Metrics are ordered and judged by concordance: the share of the pairs that labels tell apart which a metric orders
likewise, ties counting half. tau_b, the figure of the paper, makes up for ties and so favours coarse metrics.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.meta.label_agreement.question import CANONICAL_SHARE, Asked, LabelQuestion
from metameter.stats.checks import Floats
from metameter.stats.intervals.metric_pairs import differing_pairs
from metameter.stats.intervals.rows import FEWEST_UNITS, RowIntervals, row_intervals
from metameter.stats.intervals.simultaneous import max_t_pvalues, simultaneous_intervals
from metameter.stats.labels.correlation_tests import Three, bootstrap_pvalues, formula_pvalue
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
class Compared:
    """Comparisons of metrics with their references; all arrays (comparisons,), NaN where nothing is known.

    Attributes
    ----------
    metric, reference : ndarray of int
        Places among the measures.
    difference, low, high, low_row, high_row : ndarray
        The figure less that of the reference; its interval, simultaneous over the table, and for itself.
    p_row, p_table : ndarray
        P-values, adjusted within the row of the table (the reference) and over the whole table.
    shown : ndarray of bool
        Whether the two are shown to differ: the simultaneous interval leaves out zero.
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
    shown: NDArray[np.bool_]
    better_row: NDArray[np.bool_]
    close_call: NDArray[np.bool_]

    @property
    def better(self) -> NDArray[np.bool_]:
        """Whether a metric is shown to agree better than its reference."""
        return self.shown & (self.difference > 0)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """The comparisons, with what all tests of them need."""

    question: LabelQuestion
    figure: Floats
    metric: NDArray[np.int64]
    reference: NDArray[np.int64]
    apart: Floats  # differences in the resamples, (resamples, comparisons)

    @property
    def difference(self) -> Floats:
        return self.figure[self.metric] - self.figure[self.reference]

    def threes(self) -> list[Three]:
        """The taus of both metrics with the labels, and of the two with each other."""
        codes, counts = self.question.codes, self.question.counts
        occurs = np.bincount(counts.item, weights=counts.count, minlength=codes.shape[1]).astype(np.int64)
        return [
            Three(float(self.figure[one]), float(self.figure[other]), weighted_tau_b(codes[one], codes[other], occurs))
            for one, other in zip(self.metric, self.reference, strict=True)
        ]


def compared(question: LabelQuestion, figure: Floats, drawn: Floats, asked: Asked, furthest: float) -> Compared:
    """Compare every metric that has a figure with its reference.

    Parameters
    ----------
    question : LabelQuestion
    figure : ndarray, (measures,)
        tau_b, or concordance; NaN where a metric has none.
    drawn : ndarray, (resamples, measures)
        The same in every resample.
    asked : Asked
        Tests by formula are of tau_b.
    furthest : float
        How far two figures can be apart.
    """
    held = enumerate(question.references)
    places = [(m, r) for m, r in held if r is not None and r != m and not np.isnan(figure[[m, r]]).any()]
    metric, reference = np.array(places, dtype=np.int64).reshape(-1, 2).T
    pairs = _Pairs(question, figure, metric, reference, drawn[:, metric] - drawn[:, reference])
    p_row, *row_ends = _by_row(pairs, asked)
    better_row = (p_row < asked.alpha) & (pairs.difference > 0)
    low, high, p_table, shown, close = _over_table(pairs, asked)
    low, high, low_row, high_row = (np.clip(each, -furthest, furthest) for each in (low, high, *row_ends))
    own, marks = (low, high, low_row, high_row, p_row, p_table), (shown, better_row, close)
    return Compared(metric, reference, pairs.difference, *own, *marks)


def _over_table(pairs: _Pairs, asked: Asked) -> tuple[Floats, Floats, Floats, NDArray[np.bool_], NDArray[np.bool_]]:
    """Intervals and p-values that hold together for all comparisons, what they show, and which are close calls."""
    nothing, none = np.full(len(pairs.metric), np.nan), np.zeros(len(pairs.metric), dtype=bool)
    if not len(pairs.apart) or not len(pairs.metric):
        return nothing, nothing, nothing, none, none
    level, units = CANONICAL_SHARE * asked.level, pairs.question.counts.units
    noise, centre = np.zeros((-(-len(pairs.apart) // BLOCK), len(none))), np.zeros(len(none))
    found = simultaneous_intervals(
        pairs.difference, pairs.apart, noise, centre, topics=units, alpha=level, by_tail=True
    )
    low, high = found.ends()
    p = max_t_pvalues(pairs.difference, pairs.apart, units=units) / CANONICAL_SHARE
    bounded = np.isfinite(low)
    # A mark says better: it hangs on the lower end of a difference above zero.
    close = bounded & (pairs.difference > 0) & (np.abs(low) < _CLOSE * found.error)
    return np.where(bounded, low, np.nan), np.where(bounded, high, np.nan), np.minimum(p, 1.0), found.clear(), close


def _by_row(pairs: _Pairs, asked: Asked) -> tuple[Floats, Floats, Floats]:
    """P-values adjusted within each row of the table, and the interval of each difference for itself."""
    unknown = np.full(len(pairs.metric), np.nan)
    if asked.test == "bootstrap":
        rows = each_for_itself(pairs.difference, pairs.apart, pairs.question.counts.units)
        p = bootstrap_pvalues(pairs.apart) if len(pairs.apart) else unknown
        if pairs.question.counts.user is not None:
            # Of few users, shares of resamples are too small: 9% below .05 with ten to twenty equal ones.
            p = np.maximum(p, rows.p)
        return _within_rows(p, pairs.reference, asked.adjusted_by), rows.low, rows.high
    threes, n = pairs.threes(), pairs.question.counts.total
    p = np.array([formula_pvalue(asked.test, three, n) for three in threes])
    low, high = unknown, unknown
    if asked.test != "fisher" and threes:
        low, high = np.array([zou_interval(*three, n) for three in threes]).T
    return _within_rows(p, pairs.reference, asked.adjusted_by), low, high


def _within_rows(p: Floats, reference: NDArray[np.int64], correction: str) -> Floats:
    """P-values adjusted within each row of the table: for the metrics that are held against one reference."""
    adjusted = p.copy()
    if correction == "none" or np.isnan(p).any():
        return adjusted
    for each in np.unique(reference):
        adjusted[reference == each] = adjust_pvalues(p[reference == each], correction)
    return adjusted


def each_for_itself(estimate: Floats, drawn: Floats, units: int) -> RowIntervals:
    """The interval of every estimate for itself; NaN where the estimate is.

    Parameters
    ----------
    estimate : ndarray, (statistics,)
    drawn : ndarray, (resamples, statistics)
    units : int
        How many users, pages or pairs are drawn.
    """
    known = ~np.isnan(estimate)
    size = int(known.sum())
    noise = np.zeros((-(-len(drawn) // BLOCK), size))
    found = row_intervals(estimate[known], drawn[:, known], noise, np.zeros(size), units=units)
    return RowIntervals(*(_spread(each, known) for each in found))


def _spread(values: Floats, known: NDArray[np.bool_]) -> Floats:
    every = np.full(len(known), np.nan)
    every[known] = values
    return every


@dataclass(frozen=True, eq=False)
class LabelEvidence:
    """What is known of all measures, and of their comparisons.

    Attributes
    ----------
    found : CountedTaus
        Of all measures, suppressed ones included.
    shares : OrderedPairs
        Of the pairs that labels tell apart (or with a preference): those ordered likewise, and ties; of all measures.
    tau, p, low, high : ndarray, (measures,)
        NaN where a metric is not correlated: constant, or suppressed.
    concordance, concordance_low, concordance_high : ndarray, (measures,)
        Pairs that are ordered likewise, ties counting half; NaN where tau is.
    compared : Compared
        By tau_b.
    concordant : Compared
        By concordance.
    exceeds : ndarray of bool, (asked, asked)
        Whether the row's metric is shown to be above the column's in concordance, all that is shown being one family.
    resamples : int
        How many there were; 0 if there were none, or too few units to draw from.
    """

    found: CountedTaus
    shares: OrderedPairs
    tau: Floats
    p: Floats
    low: Floats
    high: Floats
    concordance: Floats
    concordance_low: Floats
    concordance_high: Floats
    compared: Compared
    concordant: Compared
    exceeds: NDArray[np.bool_]
    resamples: int


def label_evidence(question: LabelQuestion, suppressed: Sequence[str], asked: Asked) -> LabelEvidence:
    """Correlate, resample, compare.

    Parameters
    ----------
    question : LabelQuestion
    suppressed : sequence of str
        Classes of metrics that are not correlated: ``X``, or ``X`` and ``XX``.
    asked : Asked
    """
    counts = question.counts
    found = counted_taus(question.codes, counts)
    tau = np.where(np.isin(question.classes, list(suppressed)), np.nan, found.statistic)
    question.refuse_silent_reference(tau)
    shares = _shares(question, found)
    concordance = np.where(np.isnan(tau), np.nan, shares.agreement + shares.ties / 2)
    taus, concordances = _drawn(question, tau, asked)
    rows = each_for_itself(tau, taus, counts.units)
    ends = each_for_itself(concordance, concordances, counts.units)
    # Labels of one user belong together: then only resampled users know how firm a correlation is.
    p = np.where(np.isnan(tau), np.nan, found.pvalue if counts.user is None else rows.p)
    held = compared(question, tau, taus, asked, 2.0)
    concordant = compared(question, concordance, concordances, replace(asked, test="bootstrap", progress=None), 1.0)
    exceeds = _exceeds(concordance, concordances, concordant, question, asked)
    return LabelEvidence(
        found=found,
        shares=shares,
        tau=tau,
        p=p,
        low=np.clip(rows.low, -1.0, 1.0),
        high=np.clip(rows.high, -1.0, 1.0),
        concordance=concordance,
        concordance_low=np.clip(ends.low, 0.0, 1.0),
        concordance_high=np.clip(ends.high, 0.0, 1.0),
        compared=held,
        concordant=concordant,
        exceeds=exceeds,
        resamples=len(taus),
    )


def _shares(question: LabelQuestion, found: CountedTaus) -> OrderedPairs:
    """Pairs that each measure orders as labels do, and pairs that it ties.

    Labels of pages make pairs of pages. Of preferences each row is a pair: nobody was asked to compare two pairs.
    """
    counts = question.counts
    if question.preferred is None:
        return ordered_pairs(question.codes, counts, found)
    preferred = question.preferred[counts.level]
    weight = np.where(preferred != 0, counts.count, 0)
    signs, whole = question.signs[:, counts.item], max(int(weight.sum()), 1)
    likewise, tied = ((each * weight).sum(axis=1) / whole for each in (signs == preferred, signs == 0))
    return OrderedPairs(likewise, tied)


def _drawn(question: LabelQuestion, tau: Floats, asked: Asked) -> tuple[Floats, Floats]:
    """tau_b and concordance of every measure in every resample; none from too few users, pages or pairs."""
    counts, codes = question.counts, question.codes
    if not asked.resamples or counts.units < FEWEST_UNITS:
        return np.empty((0, len(codes))), np.empty((0, len(codes)))
    resamples = label_resamples(counts, asked.resamples, asked.seed)
    both = resampled_taus(codes, counts, resamples, asked.jobs, asked.progress, "both")
    taus, concordances = both[..., 0], both[..., 1]
    if question.preferred is not None:
        concordances = resampled_agreements(question.signs, question.preferred, counts, resamples, asked.jobs)
    # Where a resample has one score only, or one label, it orders nothing.
    filled = ((taus, 0.0), (concordances, 0.5))
    first, second = (np.where(np.isnan(tau), np.nan, np.nan_to_num(each, nan=none)) for each, none in filled)
    return first, second


def _exceeds(figure: Floats, drawn: Floats, held: Compared, question: LabelQuestion, asked: Asked) -> NDArray[np.bool_]:
    """Whether the row's metric is shown to be above the column's: by all pairs, or as one was held against the other.

    Both have their share of the level, so that together they keep it.
    """
    size = len(question.asked)
    shown = np.zeros((len(figure), len(figure)), dtype=bool)
    shown[held.metric, held.reference] = held.shown
    known = np.flatnonzero(~np.isnan(figure[:size]))
    if len(known) > 1 and len(drawn):
        level = (1.0 - CANONICAL_SHARE) * asked.level
        units = question.counts.units
        shown[np.ix_(known, known)] |= differing_pairs(figure[known], drawn[:, known], units=units, alpha=level)
    apart = (shown | shown.T)[:size, :size]
    return np.asarray(apart & (figure[:size, None] > figure[:size]))
