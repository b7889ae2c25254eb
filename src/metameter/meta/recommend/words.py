"""What `recommend` asks, how it answers and how to read it; and the notes below its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.base import Telling, Words
from metameter.meta.recommend.thirds import FEWEST, SPLITS
from metameter.stats.pairs import NAMES
from metameter.types import Scores

if TYPE_CHECKING:
    import polars as pl

__all__ = ["WORDS", "notes"]

WORDS = Words(
    "Recommendation",
    "Is there a metric that does better than the canonical one and still ranks the systems alike?",
    "Each metric is compared with the canonical metric of its browsing model, three times: how alike the two rank "
    "the systems, and by how much they differ in consistency and in power. Both differences come with intervals "
    "from resampled topics. Only a difference whose interval leaves out zero counts as evidence.",
    "A verdict of better-and-similar means: more consistent or more discriminative than the canonical metric, with "
    "evidence, worse at neither, and with a system ranking very similar to the canonical one. Better-but-different "
    "measures something else. No-evidence is not proof of equality: more topics may tell.",
    columns={
        "metric": "the alternative",
        "canonical": "the metric that the browsing model is known by",
        "group": "the browsing model",
        "verdict": "what the intervals say about the metric, compared with the canonical one",
        "words": "the reasons for the verdict, in a sentence",
        "tau_to_canonical": "how alike the metric and the canonical one rank the systems",
        "consistency_difference": "mean tau minus that of the canonical metric",
        "consistency_low": "lower end of its 95% interval for other topics",
        "consistency_high": "upper end of its 95% interval for other topics",
        "power_difference": "power minus that of the canonical metric",
        "power_low": "lower end of its 95% interval for other topics",
        "power_high": "upper end of its 95% interval for other topics",
        "power_difference_closed": "the same difference by the closed-form test that the resamples are judged by",
        "tercile": "which third of the topics: hard, medium or easy by the canonical metric",
        "topics": "how many topics are in that third",
        "mean_tau": "consistency within that third",
        "power": "share of the pairs of systems that differ significantly within that third",
        "is_canonical": "whether the metric is the canonical one itself",
        "consistency_low_se": "Monte-Carlo error of consistency_low",
        "consistency_high_se": "Monte-Carlo error of consistency_high",
        "power_low_se": "Monte-Carlo error of power_low",
        "power_high_se": "Monte-Carlo error of power_high",
        "mean_tau_se": "Monte-Carlo error of mean_tau",
    },
    charts={"recommendation": Telling("power_difference")},
)


def notes(
    table: pl.DataFrame,
    pairs: dict[str, list[tuple[int, int]]],
    without: list[str],
    scores: Scores,
    options: dict[str, Any],
    test: str,
) -> tuple[str, ...]:
    """What the figures are, how far chance may have shaped them, and which metrics have no row."""
    sentences = []
    if table.height:
        sentences += [*_how(table, options, test), *_chance(table, options)]
    if without:
        sentences.append(f"No canonical metric among the scores, hence no rows: {', '.join(without)}.")
    if alone := [group for group, members in pairs.items() if not members]:
        sentences.append(f"Nothing but canonical metrics, hence no rows: {', '.join(alone)}.")
    if table.height and len(scores.topics) < FEWEST:
        sentences.append(f"Thirds by difficulty need {FEWEST} topics or more.")
    return tuple(sentences)


def _how(table: pl.DataFrame, options: dict[str, Any], test: str) -> list[str]:
    gap = max(map(abs, (table["power_difference"] - table["power_difference_closed"]).to_list()))
    notes = [
        "Differences are metric minus canonical: consistency in mean tau of split halves, power in the share of pairs "
        f"told apart ({NAMES[test]}). Similar: tau of {options['similar']:g} or more.",
        "Thirds by difficulty: hard topics are those on which the systems' mean score by the canonical metric is "
        f"lowest; {SPLITS} splits of each third, power by closed-form Tukey HSD.",
    ]
    if options["resamples"]:
        notes[1:1] = [
            f"Intervals are 95% for other topics, from {options['resamples']:,} resamples, centred on the observed "
            "difference. For power each resample is judged by closed-form Tukey HSD, whose differences on the topics "
            f"themselves are within {gap:.3f} of those shown; power is evidence only where that difference has the "
            "same sign and lies in the interval. Resampling makes every metric look more powerful: the intervals are "
            "about differences only."
        ]
    return notes


def _chance(table: pl.DataFrame, options: dict[str, Any]) -> list[str]:
    if not options["resamples"]:
        return ["Without resamples (or with fewer than 5 topics) there are no intervals, and no evidence either way."]
    return [
        f"Each interval stands for itself. With two in each of {table.height} rows, a few verdicts may be chance: a "
        "metric that differs in nothing is still called better or worse in up to one case in ten."
    ]
