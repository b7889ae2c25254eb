"""Caveats of p-values and intervals: error rates, false alarms to expect, too few trials, topics or systems."""

from __future__ import annotations

import math

from metameter.stats.intervals.rows import FEW_UNITS, FEWEST_UNITS
from metameter.stats.resampling.monte_carlo_error import attainable
from metameter.stats.significance.pairs import TUKEY, PairTests, corrected_pvalues

#: With fewer systems than this, metrics cannot be judged by consistency, power, similarity and depth.
FEWEST_SYSTEMS = 5
#: With fewer systems than this, such judgements are rough.
FEW_SYSTEMS = 10

#: What tests and corrections are called in sentences.
TEST_NAMES = {
    "max-t": "bootstrap max-t test",
    "tukey-randomised": "randomised Tukey HSD",
    "bootstrap": "paired bootstrap",
    "tukey": "Tukey HSD with two-way analysis of variance",
    "t": "paired t test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "sign": "sign test",
}
CORRECTION_NAMES = {
    "bonferroni": "Bonferroni",
    "holm": "Holm",
    "sidak": "Sidak",
    "hommel": "Hommel",
    "fdr_bh": "Benjamini-Hochberg",
    "fdr_by": "Benjamini-Yekutieli",
}


def name_of_test(test: str, correction: str = "none") -> str:
    """Return the names of a test and of its correction, capitalised to begin a sentence.

    Examples
    --------
    >>> name_of_test("t", "holm"), name_of_test("wilcoxon")
    ('Paired t test, Holm-corrected', 'Wilcoxon signed-rank test')
    """
    name = TEST_NAMES[test][0].upper() + TEST_NAMES[test][1:]
    return name if correction == "none" else f"{name}, {CORRECTION_NAMES[correction]}-corrected"


def few_systems(count: int) -> list[str]:
    """Return a warning if there are few systems to judge metrics by; otherwise nothing.

    Examples
    --------
    >>> few_systems(2)
    ['2 systems are too few to judge metrics by consistency, power, similarity or depth: that takes 5 or more.']
    >>> few_systems(7), few_systems(10)
    (['Warning: 7 systems are few, so a verdict on a metric may change with other systems; 10 or more are better.'], [])
    """
    if count < FEWEST_SYSTEMS:
        what = "consistency, power, similarity or depth"
        return [f"{count} systems are too few to judge metrics by {what}: that takes {FEWEST_SYSTEMS} or more."]
    if count < FEW_SYSTEMS:
        often = f"so a verdict on a metric may change with other systems; {FEW_SYSTEMS} or more are better"
        return [f"Warning: {count} systems are few, {often}."]
    return []


def few_units(count: int, what: str = "topics", others: str = "other topics") -> list[str]:
    """Return a warning if intervals rest on few topics or systems; otherwise nothing.

    Parameters
    ----------
    count : int
        How many there are to resample.
    what, others : str
        What is resampled; what the intervals are for.

    Examples
    --------
    >>> few_units(4), few_units(14), few_units(15)
    (['No intervals for other topics: they need 5 topics or more, not 4.'],
     ['Warning: intervals from fewer than 15 topics are rough, and these are from 14.'], [])
    """
    if count < FEWEST_UNITS:
        return [f"No intervals for {others}: they need {FEWEST_UNITS} {what} or more, not {count}."]
    if count < FEW_UNITS:
        return [f"Warning: intervals from fewer than {FEW_UNITS} {what} are rough, and these are from {count}."]
    return []


def false_alarms(alpha: float, pairs: int) -> str:
    """Say how many false alarms to expect among pairs that are each tested alone.

    Examples
    --------
    >>> print(false_alarms(0.05, 190))
    Each pair is tested alone: if no systems differed, about 10 of 190 would be false alarms.
    """
    expected = f"about {alpha * pairs:,.0f} of {pairs:,}" if alpha * pairs >= 1 else f"{alpha * pairs:.2g} of {pairs:,}"
    return f"Each pair is tested alone: if no systems differed, {expected} would be false alarms."


def too_few_trials(pairs: PairTests, correction: str, alpha: float) -> list[str]:
    """Return a warning if the trials are too few for a p below alpha; otherwise nothing.

    Parameters
    ----------
    pairs : PairTests
        The pairs that the p-values are corrected for.
    correction : str
    alpha : float

    Examples
    --------
    >>> import numpy as np
    >>> p = np.array([[1 / 11, 0.5]])
    >>> too_few_trials(PairTests(p, p, p, p[:, 0], p[:, 0], trials=10), "none", 0.05)
    ['Too few trials: with 10 of them no p is below 1/11. Raise trials to 20 or more.']
    >>> too_few_trials(PairTests(p, p, p, p[:, 0], p[:, 0], trials=20), "none", 0.05)
    []
    """
    if pairs.trials is None:
        return []
    least = f"1/{pairs.trials + 1}"
    if not attainable(alpha, pairs.trials):
        known = f"with {pairs.trials} of them no p is below {least}"
        return [f"Too few trials: {known}. Raise trials to {math.floor(1.0 / alpha + 1e-9)} or more."]
    smallest = pairs.pvalue * (pairs.trials + 1) < 1.5
    if correction == "none" or not smallest.any():
        return []
    raised = corrected_pvalues(pairs.pvalue, correction)[smallest].max()
    if raised < alpha:
        return []
    return [f"Too few trials for this correction: it turns the smallest p, {least}, into {raised:.4g}. Raise trials."]


def describe_error_rate(test: str, alpha: float, among: str) -> str:
    """Say for which pairs the error rate of a test holds, and whether it needs equal variances.

    Examples
    --------
    >>> print(describe_error_rate("max-t", 0.05, "all pairs"))
    The chance of any false alarm among all pairs is about 0.05, also where differences are skewed or variances \
unequal: no further correction is needed.
    """
    promise = f"The chance of any false alarm among {among} is"
    if test not in TUKEY:
        return (
            f"{promise} about {alpha:g}, also where differences are skewed or variances unequal: no further correction "
            "is needed."
        )
    return (
        f"{promise} at most {alpha:g} if all systems have equal variances: no further correction is needed. With "
        "unequal variances it is higher (for 0.05 up to 0.11 on TREC runs with equal means, 0.27 in simulation); the "
        "test max-t keeps the rate there, too."
    )
