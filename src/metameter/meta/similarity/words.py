"""What `similarity` asks, how it answers and how to read it."""

from __future__ import annotations

from metameter.meta.base import Telling, Words

__all__ = ["WORDS", "notes"]

WORDS = Words(
    "System ranking similarity",
    "Given a browsing model, do its metrics rank the systems alike?",
    "Every metric ranks the systems by their mean score over the topics. Two metrics are as similar as their "
    "rankings are correlated.",
    "Dark squares are pairs of metrics that rank the systems nearly alike: 1 is the same ranking, 0 is no "
    "relation. Where two metrics are multiples of each other the value is exactly 1.",
    columns={
        "group": "the browsing model that the two metrics share",
        "metric_a": "the first metric",
        "metric_b": "the second metric",
        "coefficient": "which correlation it is",
        "statistic": "the correlation of the two rankings of the systems",
        "low": "lower end of the 95% interval of the correlation",
        "high": "upper end of the 95% interval of the correlation",
        "systems": "how many systems are ranked",
        "interval": "what the interval is for: other systems (fieller) or other topics (bootstrap)",
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
    resamples : int
        How many times the topics were resampled.
    topics : int
    """
    if interval == "none":
        return ("Fieller's formula is for tau_b and rho only. Set interval to bootstrap to get intervals.",)
    if interval == "fieller":
        return (
            "Intervals are 95%, by Fieller's formula: they treat the systems as the random sample. "
            "Set interval to bootstrap to get intervals for other topics.",
        )
    return (
        f"Intervals are 95%: percentiles over {resamples:,} resamples of the {topics} topics, widened where needed to "
        "hold the statistic; low_se and high_se are the Monte-Carlo errors of their ends.",
    )
