"""What `compare` asks, how it answers and how to read it; and the notes below its tables."""

from __future__ import annotations

from metameter.meta.base import Telling, Words
from metameter.meta.caveats import false_alarms, too_few_trials
from metameter.stats.pair_intervals import describe_intervals
from metameter.stats.pairs import TUKEY, Pairs, heading

__all__ = ["WORDS", "caption", "notes"]

_TUKEY_TESTS = frozenset({"tukey-randomised", "tukey", None})

WORDS = Words(
    "Which systems differ",
    "Which systems are really different?",
    "The systems' mean scores are compared pair by pair, and the chance of a false alarm is kept in check over all "
    "pairs.",
    "Systems that share a letter do not differ significantly.",
    columns={
        "metric": "the metric",
        "system": "the system",
        "mean": "mean score over the topics",
        "group": "letters: systems that share one do not differ significantly",
        "system_a": "the first system of a pair",
        "system_b": "the second system of a pair; the baseline, if there is one",
        "difference": "of the means, a minus b",
        "low": "lower end of the interval of the mean, or of the difference",
        "high": "upper end of the interval of the mean, or of the difference",
        "effect": "the difference in standard deviations",
        "p": "achieved significance level",
        "p_uncorrected": "p before the correction for the number of pairs",
        "wins": "on how many topics a is above b",
        "ties": "on how many topics a and b are level",
        "losses": "on how many topics a is below b",
        "baseline": "the system compared with: a baseline, or else the best system",
        "topic": "the topic",
        "score": "the system's score on the topic",
        "delta": "the score minus that of the baseline",
        "trials": "how many times the test drew at random",
        "power": "share of the pairs that differ significantly",
        "required_difference": "the smallest difference of means that is significant",
        "low_error": "Monte-Carlo error of low",
        "high_error": "Monte-Carlo error of high",
        "p_error": "Monte-Carlo error of p before any correction",
        "power_error": "Monte-Carlo error of power",
        "required_difference_error": "Monte-Carlo error of required_difference",
    },
    charts={"compare": Telling("mean")},
    references_when={"carterette2012": ("test", _TUKEY_TESTS)},
)


def caption(baseline: tuple[str, ...]) -> str:
    """What the marks of significance in the table of means stand for.

    Examples
    --------
    >>> caption(())
    'Mean scores, the best in bold. Systems of one metric that share a letter do not differ significantly.'
    """
    marks = "Systems of one metric that share a letter do not differ significantly."
    if baseline:
        numbered = ", ".join(f"({n}) {name}" for n, name in enumerate(baseline, start=1))
        marks = f"A number above a mean: significantly higher than this baseline; below: lower. Baselines: {numbered}."
    return f"Mean scores, the best in bold. {marks}"


def notes(
    listed: Pairs, test: str, alpha: float, correction: str, *, topics: int, every: int, resamples: int
) -> tuple[str, ...]:
    """Which test on how many topics, what the intervals are, and for how many pairs the error rate holds.

    Parameters
    ----------
    listed : Pairs
        Those of the table.
    every : int
        How many pairs of systems there are.
    """
    trials = "." if listed.trials is None else f", {listed.trials:,} trials."
    return (
        f"{heading(test, correction)}, alpha = {alpha:g}, {topics} topics{trials}",
        describe_intervals(test, alpha, correction),
        *_error_rate(test, alpha, correction, listed.pvalue.shape[1], every),
        *too_few_trials(listed, correction, alpha),
        f"Intervals of means: {100 * (1 - alpha):g}% of {resamples:,} resamples of the topics, each system for itself. "
        "They say how far a mean may be off, not which systems differ.",
    )


def _error_rate(test: str, alpha: float, correction: str, pairs: int, every: int) -> tuple[str, ...]:
    if test in TUKEY and pairs < every:
        return (f"The error rate is that of all {every:,} pairs, not only of those with a baseline.",)
    if test not in TUKEY and correction == "none" and pairs > 1:
        return (false_alarms(alpha, pairs),)
    if correction != "none" and pairs < every:
        return ("The correction is for the pairs listed; that of the groups is for all pairs of systems.",)
    return ()
