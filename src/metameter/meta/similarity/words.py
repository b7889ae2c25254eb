"""What `similarity` asks, how it answers and how to read it."""

from __future__ import annotations

from metameter.meta.base import Telling, Words
from metameter.stats.correlation_bounds import LEAST_TOPICS

__all__ = ["FEW_TOPICS", "WORDS", "notes"]

FEW_TOPICS = 15

WORDS = Words(
    "System ranking similarity",
    "Given a browsing model, do its metrics rank the systems alike?",
    "Every metric ranks the systems by their mean score over the topics. Two metrics are as similar as their "
    "rankings are correlated.",
    "Dark squares are pairs of metrics that rank the systems nearly alike: 1 is the same ranking, 0 is no "
    "relation. Where two metrics are multiples of each other the value is exactly 1.",
    columns={
        "group": "the browsing model that the two metrics share; other if they have none, all if all are compared",
        "metric_a": "the first metric",
        "metric_b": "the second metric",
        "coefficient": "which correlation it is",
        "statistic": "the correlation of the two rankings of the systems",
        "low": "lower end of the 95% interval of the correlation",
        "high": "upper end of the 95% interval of the correlation",
        "systems": "how many systems are ranked",
        "interval": "what the interval is for: other systems (fieller), other topics (bootstrap), or none",
        "low_se": "Monte-Carlo error of low",
        "high_se": "Monte-Carlo error of high",
    },
    charts={"similarity": Telling("statistic", "Most alike", "least alike")},
    references_when={"fieller1957": ("interval", frozenset({"fieller"}))},
)


def notes(interval: str, resamples: int, topics: int) -> tuple[str, ...]:
    """What the intervals are about, and how to get the others.

    Parameters
    ----------
    interval : {"fieller", "bootstrap", "none"}
        Those that there are.
    resamples : int
        How many times the topics were resampled; 0 if not.
    topics : int

    Examples
    --------
    >>> notes("none", 1000, 4)
    ('There are no intervals for other topics: 4 topics are too few to resample, 5 the least.',)
    """
    if interval == "none" and resamples:
        least = f"{topics} topics are too few to resample, {LEAST_TOPICS} the least"
        return (f"There are no intervals for other topics: {least}.",)
    if interval == "none":
        return (
            "Fieller's formula is for tau_b and rho only. "
            "Set interval to bootstrap (--interval bootstrap) to get intervals.",
        )
    if interval == "fieller":
        return (
            "Intervals are 95%, by Fieller's formula: they treat the systems as the random sample. "
            "Set interval to bootstrap (--interval bootstrap) to get intervals for other topics.",
        )
    about = (
        f"Intervals are 95%, for the correlation over all topics like these {topics}, from {resamples:,} resamples of "
        "them. Means over few topics are noisy, and noise hides agreement: that correlation is rather above the "
        "statistic than below. low_se and high_se are the Monte-Carlo errors of the ends."
    )
    few = f"With {topics} topics the intervals are rough: of fewer than {FEW_TOPICS} they may miss more than 5%."
    return (about, few) if topics < FEW_TOPICS else (about,)
