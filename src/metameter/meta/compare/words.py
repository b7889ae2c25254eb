"""What `compare` asks, how it answers and how to read it; and the notes below its tables."""

from __future__ import annotations

from metameter.meta.base import Telling, Words
from metameter.meta.caveats import false_alarms, too_few_trials
from metameter.stats.familywise import describe_error_rate
from metameter.stats.pair_intervals import describe_intervals
from metameter.stats.pairs import FAMILYWISE, Pairs, heading

__all__ = ["FEWEST_TOPICS", "WORDS", "baseline_notes", "caption", "few_topics", "notes"]

FEWEST_TOPICS = 5  # for an interval
_FEW_TOPICS = 15  # for a warning
_TUKEY_TESTS = frozenset({"tukey-randomised", "tukey"})

WORDS = Words(
    "Which systems differ",
    "Which systems are really different?",
    "The systems' mean scores are compared pair by pair, or each with a baseline, and the chance of a false alarm is "
    "kept in check over all these comparisons.",
    "Systems that share a letter do not differ significantly.",
    columns={
        "metric": "the metric",
        "system": "the system",
        "mean": "mean score of the system over the topics",
        "baseline_mean": "mean score of the baseline over the topics",
        "group": "letters: systems that share one do not differ significantly",
        "system_a": "the first system of a pair",
        "system_b": "the second system of a pair",
        "difference": "of the means: a minus b, or system minus baseline",
        "low": "lower end of the interval of the mean, or of the difference",
        "high": "upper end of the interval of the mean, or of the difference",
        "effect": "the difference in standard deviations",
        "p": "achieved significance level; in compare_baseline for the comparisons with a baseline only",
        "p_uncorrected": "p before the correction for the number of pairs",
        "wins": "on how many topics a is above b, or the system above the baseline",
        "ties": "on how many topics the two are level",
        "losses": "on how many topics a is below b, or the system below the baseline",
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
        "width_error": "Monte-Carlo error of low and of high",
        "power_error": "Monte-Carlo error of power",
        "required_difference_error": "Monte-Carlo error of required_difference",
    },
    charts={"compare": Telling("mean")},
    references_when={
        "carterette2012": ("test", _TUKEY_TESTS),
        "dunnett1955": ("test", _TUKEY_TESTS),
        **dict.fromkeys(("westfall1993", "tusher2001"), ("test", frozenset({"max-t", None}))),
    },
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


def few_topics(topics: int) -> tuple[str, ...]:
    """What the answer says of its verdicts where there are too few topics for any; nothing otherwise.

    Examples
    --------
    >>> few_topics(3), few_topics(5)
    (('Take no verdict from here: 3 topics are too few to rely on any test.',), ())
    """
    if topics >= FEWEST_TOPICS:
        return ()
    return (f"Take no verdict from here: {topics} topics are too few to rely on any test.",)


def notes(
    pairs: Pairs, test: str, alpha: float, correction: str, *, topics: int, resamples: int, baselines: tuple[str, ...]
) -> tuple[str, ...]:
    """Which test on how many topics, what the intervals are, and for how many pairs the error rate holds.

    Parameters
    ----------
    pairs : Pairs
        All pairs.
    baselines : tuple of str
        What `baseline_notes` says; nothing if there are none.
    """
    trials = "." if pairs.trials is None else f", {pairs.trials:,} trials."
    intervals = (describe_intervals(test, alpha, correction), _means(alpha, resamples))
    sentences = (
        f"{heading(test, correction)}, alpha = {alpha:g}, {topics} topics{trials}",
        *_few_topics(topics),
        *(baselines or _error_rate(test, alpha, correction, pairs.pvalue.shape[1], "pairs of a metric")),
        *too_few_trials(pairs, correction, alpha),
        *(intervals if topics >= FEWEST_TOPICS else ()),
    )
    return tuple(dict.fromkeys(sentences))


def baseline_notes(
    pairs: Pairs, against: Pairs, test: str, alpha: float, correction: str, names: tuple[str, ...], *, asked: bool
) -> tuple[str, ...]:
    """What the p-values of the comparisons with baselines are for, and what those of all pairs.

    Parameters
    ----------
    pairs, against : Pairs
        All pairs, and the comparisons with baselines.
    names : tuple of str
        The baselines.
    asked : bool
        Whether they were asked for; if not, the first of two systems is the baseline.
    """
    count, every = against.pvalue.shape[1], pairs.pvalue.shape[1]
    if not asked:
        return (
            f"Of two systems the one given first, {names[0]}, is the baseline. Set baseline (--baseline) to change it.",
        )
    said = _error_rate(test, alpha, correction, count, f"comparisons with {', '.join(names)}")
    if count < every and (test in FAMILYWISE or correction != "none"):
        what = f"the {count:,} comparisons" if count > 1 else "the one comparison"
        rest = f"in compare_pairs, and for the groups, for all {every:,} pairs"
        said = (*said, f"In compare_baseline p and intervals are for {what} with {', '.join(names)}; {rest}.")
    return (*said, *too_few_trials(against, correction, alpha))


def _means(alpha: float, resamples: int) -> str:
    return (
        f"Intervals of means ({100 * (1 - alpha):g}%): studentised bootstrap, {resamples:,} resamples of the topics, "
        "each system for itself. They say how far a mean may be off, not which systems differ."
    )


def _few_topics(topics: int) -> tuple[str, ...]:
    if topics < FEWEST_TOPICS:
        return (f"{topics} topics are too few for intervals: {FEWEST_TOPICS} are needed.",)
    if topics < _FEW_TOPICS:
        return (
            f"Only {topics} topics: below {_FEW_TOPICS}, p-values and intervals are rough. Take no verdict as final.",
        )
    return ()


def _error_rate(test: str, alpha: float, correction: str, count: int, what: str) -> tuple[str, ...]:
    if count < 2 or (test not in FAMILYWISE and correction != "none"):
        return ()
    if test in FAMILYWISE:
        return (describe_error_rate(test, alpha, f"the {count:,} {what}"),)
    return (false_alarms(alpha, count),)
