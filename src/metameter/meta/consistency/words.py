"""What `consistency` asks, how it answers and how to read it."""

from __future__ import annotations

from typing import Any

from metameter.meta.base import Telling, Words
from metameter.meta.sampling import Sampling
from metameter.stats.resampled_metrics import SPLITS_OF_A_RESAMPLE

__all__ = ["ABOUT_SPLITS", "WORDS", "notes"]

#: Stands wherever the paper's test is shown. Measured by simulation: see docs/consistency.md.
ABOUT_SPLITS = (
    "The splits overlap, so it is about the mean over these splits, not about other topics: of two metrics that are "
    "equally consistent, nine in ten had p_splits below .05 in simulations."
)

WORDS = Words(
    "System ranking consistency",
    "Would other topics rank the systems alike?",
    "The topics are split into two halves at random, again and again, with the same splits for every metric. "
    "Kendall's tau compares the systems' ranking on one half with that on the other; its mean over the splits is "
    "the metric's consistency. Resampled topics (or systems) tell how far means and differences could move on others. "
    "Beside that stands the test of Chen and Sakai, a paired, randomised Tukey HSD over the splits, which tells "
    "which means differ on these splits of these topics.",
    "The further right, the more a metric's ranking of the systems can be trusted to come out again with other "
    "topics. Do not judge differences by overlapping whiskers: all metrics share the topics, so a difference is more "
    "certain than either mean; its interval stands in consistency_pairs.",
    columns={
        "group": "the browsing model",
        "metric": "the metric",
        "metric_a": "the first metric of a pair",
        "metric_b": "the second metric of a pair",
        "mean_tau": "consistency: mean tau between rankings on two halves of the topics",
        "se": "Monte-Carlo error of the mean tau, or of the difference",
        "beats": "how many of its group it beats by p_splits: in the mean over these splits, not for other topics",
        "beaten": "the metrics that it beats by p_splits: in the mean over these splits, not for other topics",
        "low": "lower end of the 95% interval for other topics (or for other systems, if those were resampled)",
        "high": "upper end of the 95% interval for other topics (or for other systems, if those were resampled)",
        "canonical": "whether it is the metric that the browsing model is known by",
        "difference": "mean tau of the first metric minus that of the second",
        "p": "achieved significance level of the difference, for other topics (or systems): that of the interval",
        "p_splits": "the paper's test: whether the means over these splits differ, which overlap; not for other topics",
        "splits": "how many splits the mean is over",
        "p_se": "Monte-Carlo error of p",
        "low_se": "Monte-Carlo error of low",
        "high_se": "Monte-Carlo error of high",
        "p_splits_se": "Monte-Carlo error of p_splits",
    },
    charts={"consistency": Telling("mean_tau")},
)


def notes(options: dict[str, Any], sampling: Sampling, *, asked: bool) -> tuple[str, ...]:
    """What the means, the intervals and the paper's test are about.

    Parameters
    ----------
    options : dict
        Of the manifest.
    sampling : Sampling
    asked : bool
        Whether intervals were asked for.
    """
    splits, tested, trials, resamples = (f"{options[name]:,}" for name in ("splits", "tested", "trials", "resamples"))
    sentences = [f"mean_tau: over {splits} random halves of {options['topics']} topics; se is its Monte-Carlo error."]
    if options["resamples"]:
        sentences.append(
            f"low, high, p: 95% for {sampling.others}, from {resamples} resamples of {sampling.drawn} with "
            f"{SPLITS_OF_A_RESAMPLE} splits each; the splits' own chance is taken out."
        )
    sentences.append(
        f"beats, beaten, p_splits: the test of Chen and Sakai, randomised Tukey HSD over {tested} splits, {trials} "
        f"trials. {ABOUT_SPLITS}"
    )
    return (*sentences, *(sampling.caveats() if asked else []))
