"""How well each metric agrees with labels: estimates, intervals, and which are shown to exceed which.

Metrics are ordered and judged by concordance: the share of the pairs that labels tell apart which a metric orders
likewise, ties counting half. tau_b, the figure of the paper, makes up for ties and so favours coarse metrics.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.meta.label_agreement.comparisons import Compared, compared, each_for_itself
from metameter.meta.label_agreement.options import CANONICAL_SHARE, Asked
from metameter.stats.checks import Floats
from metameter.stats.intervals.metric_pairs import differing_pairs
from metameter.stats.intervals.rows import FEWEST_UNITS
from metameter.stats.labels.agreement import OrderedPairs, ordered_pairs, resampled_agreements
from metameter.stats.labels.counted_taus import CountedTaus, counted_taus, resampled_taus
from metameter.stats.labels.counts import label_resamples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metameter.meta.label_agreement.question import LabelQuestion


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
