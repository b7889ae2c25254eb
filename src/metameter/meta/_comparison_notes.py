"""What is said below the tables of `compare`."""

from __future__ import annotations

from metameter.meta._intervals import describe_intervals
from metameter.meta._pairs import TUKEY, Pairs, heading

__all__ = ["caption", "notes"]


def caption(baseline: tuple[str, ...]) -> str:
    """What the marks of significance in the table of means stand for.

    Examples
    --------
    >>> caption(())
    'Mean scores, the best in bold. Systems of one metric that share a letter do not differ significantly.'
    """
    said = "Systems of one metric that share a letter do not differ significantly."
    if baseline:
        numbered = ", ".join(f"({n}) {name}" for n, name in enumerate(baseline, start=1))
        said = f"A number above a mean: significantly higher than this baseline; below: lower. Baselines: {numbered}."
    return f"Mean scores, the best in bold. {said}"


def notes(
    found: Pairs, test: str, alpha: float, correction: str, *, topics: int, pairs: int, resamples: int
) -> tuple[str, ...]:
    """Which test on how many topics, what the intervals are, and for how many pairs the error rate holds."""
    trials = "." if found.trials is None else f", {found.trials:,} trials."
    return (
        f"{heading(test)}, alpha = {alpha:g}, {topics} topics{trials}",
        describe_intervals(test, alpha, correction),
        *_error_rate(test, alpha, correction, pairs, found.pvalue.shape[1]),
        f"Intervals of means: {100 * (1 - alpha):g}% of {resamples:,} resamples of the topics, each system for itself. "
        "They say how far a mean may be off, not which systems differ.",
    )


def _error_rate(test: str, alpha: float, correction: str, pairs: int, every: int) -> tuple[str, ...]:
    if test in TUKEY and pairs < every:
        return (f"The error rate is that of all {every:,} pairs, not only of those with a baseline.",)
    if test not in TUKEY and correction == "none" and pairs > 1:
        return (f"Each pair is tested alone: up to {alpha * pairs:,.0f} of {pairs:,} may be false alarms.",)
    if correction != "none" and pairs < every:
        return ("The correction is for the pairs listed; that of the groups is for all pairs of systems.",)
    return ()
