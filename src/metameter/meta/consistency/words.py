"""What `consistency` asks, how it answers and how to read it."""

from __future__ import annotations

from metameter.meta.base import Telling, Words

__all__ = ["WORDS"]

WORDS = Words(
    "System ranking consistency",
    "Would other topics rank the systems alike?",
    "The topics are split into two halves at random, again and again, with the same splits for every metric. "
    "Kendall's tau compares the systems' ranking on one half with that on the other; its mean over the splits is "
    "the metric's consistency. A paired, randomised Tukey HSD test tells which means differ on these topics; "
    "resampled topics tell how far they could move on others.",
    "The further right, the more a metric's ranking of the systems can be trusted to come out again with other "
    "topics. Where the whiskers of two metrics overlap widely, other topics could turn their order round.",
    charts={"consistency": Telling("mean_tau")},
)
