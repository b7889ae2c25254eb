"""What `similarity` asks, how it answers and how to read it."""

from __future__ import annotations

from metameter.meta.base import Telling, Words

__all__ = ["WORDS"]

WORDS = Words(
    "System ranking similarity",
    "Given a browsing model, do its metrics rank the systems alike?",
    "Every metric ranks the systems by their mean score over the topics. Two metrics are as similar as their "
    "rankings are correlated.",
    "Dark squares are pairs of metrics that rank the systems nearly alike: 1 is the same ranking, 0 is no "
    "relation. Where two metrics are multiples of each other the value is exactly 1.",
    charts={"similarity": Telling("statistic", "Most alike", "least alike")},
    idle_references={"fieller1957": ("interval", frozenset({"fieller"}))},
)
