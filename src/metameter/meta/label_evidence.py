"""How well each metric agrees with labels, and whether better than its reference: estimates, intervals, tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.stats.adjust import adjust_pvalues
from metameter.stats.all_pairs import differing
from metameter.stats.counted_taus import counted_taus, resampled_taus
from metameter.stats.dependent import zou_interval
from metameter.stats.label_counts import label_resamples
from metameter.stats.label_tests import Three, bootstrap_pvalues, formula_pvalue
from metameter.stats.replicates import BLOCK
from metameter.stats.row_intervals import FEWEST_UNITS, RowIntervals, row_intervals
from metameter.stats.simultaneous import simultaneous
from metameter.stats.step_down import adjusted_over_all
from metameter.stats.weighted_tau import weighted_tau_b

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from metameter.meta.label_question import LabelQuestion
    from metameter.stats.checks import Floats

__all__ = ["CANONICAL_SHARE", "Compared", "LabelEvidence", "label_evidence"]

#: Of the level, what the comparisons with the canonical metrics have; the rest is for those of all pairs.
CANONICAL_SHARE = 0.8
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
        tau_b less that of the reference; its interval, simultaneous over the table, and for itself.
    p_row, p_table : ndarray
        P-values, adjusted within the row of the table (the reference) and over the whole table.
    better, better_row, close_call : ndarray of bool
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
    better: NDArray[np.bool_]
    better_row: NDArray[np.bool_]
    close_call: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class LabelEvidence:
    """What is known of all measures, and of their comparisons.

    Attributes
    ----------
    tau, p, low, high : ndarray, (measures,)
        NaN where a metric is not correlated: constant, or suppressed.
    compared : Compared
    beats, beaten_by : ndarray of int, (asked,)
        How many of the asked metrics each is shown to exceed, and by how many it is shown to be exceeded.
    resamples : int
        How many there were; 0 if there were none, or too few units to draw from.
    """

    tau: Floats
    p: Floats
    low: Floats
    high: Floats
    compared: Compared
    beats: NDArray[np.int64]
    beaten_by: NDArray[np.int64]
    resamples: int


def label_evidence(question: LabelQuestion, suppressed: Sequence[str], asked: dict[str, Any]) -> LabelEvidence:
    """Correlate, resample, compare.

    Parameters
    ----------
    question : LabelQuestion
    suppressed : sequence of str
        Classes of metrics that are not correlated: ``X``, or ``X`` and ``XX``.
    asked : dict
        ``test``, ``correction``, ``alpha`` (the share of this table), ``row_alpha``, ``resamples``, ``seed``, ``jobs``.
    """
    counts, codes = question.counts, question.codes
    found = counted_taus(codes, counts)
    tau = np.where(np.isin(question.classes, list(suppressed)), np.nan, found.statistic)
    resamples = asked["resamples"] if counts.units >= FEWEST_UNITS else 0
    drawn = np.empty((0, len(codes)))
    if resamples:
        drawn = resampled_taus(codes, counts, label_resamples(counts, resamples, asked["seed"]), asked["jobs"])
    # Where a resample has one score only, or one label, it orders nothing.
    drawn = np.where(np.isnan(tau), np.nan, np.nan_to_num(drawn))
    rows = _rows(tau, drawn, counts.units)
    # Labels of one user belong together: then only resampled users know how firm a correlation is.
    p = found.pvalue if counts.user is None else rows.p
    compared = _compared(question, tau, drawn, asked)
    exceeds = _exceeds(tau[: len(question.asked)], drawn[:, : len(question.asked)], counts.units, asked["alpha"])
    return LabelEvidence(
        tau,
        np.where(np.isnan(tau), np.nan, p),
        rows.low,
        rows.high,
        compared,
        exceeds.sum(axis=1),
        exceeds.sum(axis=0),
        resamples,
    )


def _rows(estimate: Floats, drawn: Floats, units: int) -> RowIntervals:
    """The interval of every estimate for itself; NaN where it is."""
    known = ~np.isnan(estimate)
    noise = np.zeros((-(-len(drawn) // BLOCK), int(known.sum())))
    found = row_intervals(estimate[known], drawn[:, known], noise, np.zeros(int(known.sum())), units=units)
    return RowIntervals(*(_spread(each, known) for each in found))


def _spread(values: Floats, known: NDArray[np.bool_]) -> Floats:
    every = np.full(len(known), np.nan)
    every[known] = values
    return every


def _exceeds(tau: Floats, drawn: Floats, units: int, alpha: float) -> NDArray[np.bool_]:
    """Whether the row's metric is shown to be above the column's, all pairs one family."""
    known = np.flatnonzero(~np.isnan(tau))
    shown = np.zeros((len(tau), len(tau)), dtype=bool)
    if len(known) > 1 and len(drawn):
        differ = differing(tau[known], drawn[:, known], units=units, alpha=(1.0 - CANONICAL_SHARE) * alpha)
        shown[np.ix_(known, known)] = differ & (tau[known][:, None] > tau[known])
    return shown


def _compared(question: LabelQuestion, tau: Floats, drawn: Floats, asked: dict[str, Any]) -> Compared:
    pairs = [
        (metric, reference)
        for metric, reference in enumerate(question.references)
        if reference not in (None, metric) and not np.isnan(tau[metric]) and not np.isnan(tau[reference])
    ]
    metric, reference = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    difference, apart = tau[metric] - tau[reference], drawn[:, metric] - drawn[:, reference]
    nothing = np.full(len(metric), np.nan)
    p = _pvalues(question, tau, (metric, reference), apart, asked)
    p_row = _within_rows(p, reference, asked["correction"])
    low_row, high_row = _row_ends(question, tau, (metric, reference), apart, asked)
    better_row = (p_row < asked["row_alpha"]) & (difference > 0)
    none = np.zeros(len(metric), dtype=bool)
    if not len(apart) or not len(metric):
        ends = (nothing, nothing, low_row, high_row, p_row, nothing)
        return Compared(metric, reference, difference, *ends, none, better_row, none)
    level, units = CANONICAL_SHARE * asked["alpha"], question.counts.units
    noise = np.zeros((-(-len(apart) // BLOCK), len(metric)))
    found = simultaneous(difference, apart, noise, np.zeros(len(metric)), topics=units, alpha=level)
    low, high = found.ends()
    p_table = np.minimum(adjusted_over_all(difference, apart, units=units, alpha=level) / CANONICAL_SHARE, 1.0)
    better = found.clear() & (difference > 0)
    close = np.minimum(np.abs(low), np.abs(high)) < _CLOSE * found.error
    ends = (low, high, low_row, high_row, p_row, p_table)
    return Compared(metric, reference, difference, *ends, better, better_row, close & np.isfinite(low))


def _pvalues(
    question: LabelQuestion, tau: Floats, pair: tuple[NDArray[Any], NDArray[Any]], apart: Floats, asked: dict[str, Any]
) -> Floats:
    if asked["test"] == "bootstrap":
        return bootstrap_pvalues(apart) if len(apart) else np.full(len(pair[0]), np.nan)
    n = question.counts.total
    return np.array(
        [formula_pvalue(asked["test"], _three(question, tau, *each), n) for each in zip(*pair, strict=True)]
    )


def _three(question: LabelQuestion, tau: Floats, metric: int, reference: int) -> Three:
    counts = question.counts
    occurs = np.bincount(counts.item, weights=counts.count, minlength=question.codes.shape[1]).astype(np.int64)
    between = weighted_tau_b(question.codes[metric], question.codes[reference], occurs)
    return Three(float(tau[metric]), float(tau[reference]), between)


def _row_ends(
    question: LabelQuestion, tau: Floats, pair: tuple[NDArray[Any], NDArray[Any]], apart: Floats, asked: dict[str, Any]
) -> tuple[Floats, Floats]:
    """The interval of each difference for itself: from the resamples, or Zou's."""
    if asked["test"] == "bootstrap":
        found = _rows(tau[pair[0]] - tau[pair[1]], apart, question.counts.units)
        return found.low, found.high
    if asked["test"] == "fisher":
        return np.full(len(pair[0]), np.nan), np.full(len(pair[0]), np.nan)
    n, level = question.counts.total, 1.0 - asked["row_alpha"]
    ends = [zou_interval(*_three(question, tau, *each), n, level) for each in zip(*pair, strict=True)]
    low, high = np.array(ends, dtype=np.float64).reshape(-1, 2).T
    return low, high


def _within_rows(p: Floats, reference: NDArray[np.int64], correction: str) -> Floats:
    """P-values adjusted within each row of the table: for the metrics that are held against one reference."""
    adjusted = p.copy()
    if correction == "none" or np.isnan(p).any():
        return adjusted
    for each in np.unique(reference):
        adjusted[reference == each] = adjust_pvalues(p[reference == each], correction)
    return adjusted
