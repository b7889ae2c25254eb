"""How well each metric agrees with labels: estimates, intervals, and which are shown to exceed which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metameter.meta.label_asked import CANONICAL_SHARE, Asked
from metameter.meta.label_comparisons import Compared, compared, each_for_itself
from metameter.stats.all_pairs import differing
from metameter.stats.counted_taus import CountedTaus, counted_taus, resampled_taus
from metameter.stats.label_counts import label_resamples
from metameter.stats.row_intervals import FEWEST_UNITS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from metameter.meta.label_question import LabelQuestion
    from metameter.stats.checks import Floats

__all__ = ["LabelEvidence", "label_evidence"]


@dataclass(frozen=True, eq=False)
class LabelEvidence:
    """What is known of all measures, and of their comparisons.

    Attributes
    ----------
    found : CountedTaus
        Of all measures, suppressed ones included.
    tau, p, low, high : ndarray, (measures,)
        NaN where a metric is not correlated: constant, or suppressed.
    compared : Compared
    exceeds : ndarray of bool, (asked, asked)
        Whether the row's metric is shown to be above the column's, all that is shown being one family.
    resamples : int
        How many there were; 0 if there were none, or too few units to draw from.
    """

    found: CountedTaus
    tau: Floats
    p: Floats
    low: Floats
    high: Floats
    compared: Compared
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
    drawn = _drawn(question, tau, asked)
    rows = each_for_itself(tau, drawn, counts.units)
    # Labels of one user belong together: then only resampled users know how firm a correlation is.
    p = np.where(np.isnan(tau), np.nan, found.pvalue if counts.user is None else rows.p)
    held = compared(question, tau, drawn, asked)
    exceeds = _exceeds(tau, drawn, held, question, asked)
    low, high = (np.clip(each, -1.0, 1.0) for each in (rows.low, rows.high))
    return LabelEvidence(found, tau, p, low, high, held, exceeds, len(drawn))


def _drawn(question: LabelQuestion, tau: Floats, asked: Asked) -> Floats:
    """tau_b of every measure in every resample; none from too few users, pages or pairs."""
    counts, codes = question.counts, question.codes
    if not asked.resamples or counts.units < FEWEST_UNITS:
        return np.empty((0, len(codes)))
    resamples = label_resamples(counts, asked.resamples, asked.seed)
    drawn = resampled_taus(codes, counts, resamples, asked.jobs, asked.progress)
    # Where a resample has one score only, or one label, it orders nothing.
    return np.where(np.isnan(tau), np.nan, np.nan_to_num(drawn))


def _exceeds(tau: Floats, drawn: Floats, held: Compared, question: LabelQuestion, asked: Asked) -> NDArray[np.bool_]:
    """Whether the row's metric is shown to be above the column's: by all pairs, or as one was held against the other.

    Both have their share of the level, so that together they keep it.
    """
    size = len(question.asked)
    shown = np.zeros((len(tau), len(tau)), dtype=bool)
    shown[held.metric, held.reference] = held.shown
    known = np.flatnonzero(~np.isnan(tau[:size]))
    if len(known) > 1 and len(drawn):
        level = (1.0 - CANONICAL_SHARE) * asked.level
        units = question.counts.units
        shown[np.ix_(known, known)] |= differing(tau[known], drawn[:, known], units=units, alpha=level)
    apart = (shown | shown.T)[:size, :size]
    return np.asarray(apart & (tau[:size, None] > tau[:size]))
