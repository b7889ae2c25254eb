"""What `consistency` asks, how it answers and how to read it."""

from __future__ import annotations

from typing import Any

from metameter.meta.base import Telling, Words
from metameter.stats.split_taus import SPLITS_OF_A_RESAMPLE

__all__ = ["WORDS", "notes"]

WORDS = Words(
    "System ranking consistency",
    "Would other topics rank the systems alike?",
    "The topics are split into two halves at random, again and again, with the same splits for every metric. "
    "Kendall's tau compares the systems' ranking on one half with that on the other; its mean over the splits is "
    "the metric's consistency. A paired, randomised Tukey HSD test tells which means differ on these topics; "
    "resampled topics tell how far they could move on others.",
    "The further right, the more a metric's ranking of the systems can be trusted to come out again with other "
    "topics. Where the whiskers of two metrics overlap widely, other topics could turn their order round.",
    columns={
        "group": "the browsing model",
        "metric": "the metric",
        "metric_a": "the first metric of a pair",
        "metric_b": "the second metric of a pair",
        "mean_tau": "consistency: mean tau between rankings on two halves of the topics",
        "se": "Monte-Carlo error of the mean tau, or of the difference",
        "beats": "how many metrics of its group it beats significantly",
        "beaten": "the metrics that it beats significantly",
        "low": "lower end of the 95% interval for other topics",
        "high": "upper end of the 95% interval for other topics",
        "canonical": "whether it is the metric that the browsing model is known by",
        "difference": "mean tau of the first metric minus that of the second",
        "p": "achieved significance level of the difference, on these topics",
        "splits": "how many splits the mean is over",
        "p_se": "Monte-Carlo error of p",
        "low_se": "Monte-Carlo error of low",
        "high_se": "Monte-Carlo error of high",
    },
    charts={"consistency": Telling("mean_tau")},
)


def notes(options: dict[str, Any]) -> tuple[str, ...]:
    """What the means, the test and the intervals are about."""
    splits, tested, trials, resamples = (f"{options[name]:,}" for name in ("splits", "tested", "trials", "resamples"))
    sentences = [
        f"mean_tau: over {splits} random halves of {options['topics']} topics; se is its Monte-Carlo error.",
        f"beats, p: randomised Tukey HSD over {tested} splits, {trials} trials. The splits overlap: the test is about "
        "the mean tau on these topics, and with enough splits any difference becomes significant.",
    ]
    if options["resamples"]:
        sentences.append(
            f"low, high: 95% for other topics, from {resamples} resamples of the topics with {SPLITS_OF_A_RESAMPLE} "
            "splits each (copies of a topic on one side), centred on the observed value."
        )
    return tuple(sentences)
