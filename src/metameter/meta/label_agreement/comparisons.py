"""Is a metric's agreement with labels better than that of its reference? Differences, intervals, tests, marks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.meta.label_agreement.options import CANONICAL_SHARE, Asked
from metameter.stats.checks import Floats
from metameter.stats.intervals.rows import RowIntervals, row_intervals
from metameter.stats.intervals.simultaneous import max_t_pvalues, simultaneous_intervals
from metameter.stats.labels.correlation_tests import Three, bootstrap_pvalues, formula_pvalue
from metameter.stats.rank_correlation.dependent_correlations import zou_interval
from metameter.stats.rank_correlation.kendall import weighted_tau_b
from metameter.stats.resampling.replicates import BLOCK
from metameter.stats.significance.pairs import adjust_pvalues

if TYPE_CHECKING:
    from metameter.meta.label_agreement.question import LabelQuestion


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
