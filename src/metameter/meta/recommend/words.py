"""What to know when reading a recommendation: what the figures are, and how far chance may have had a hand in them."""

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
    """What a reader must know to read the table rightly."""
    told = []
    if table.height:
        told += [*_how(table, options, test), *_chance(table, options)]
    if without:
        told.append(f"No canonical metric among the scores, hence no rows: {', '.join(without)}.")
    if alone := [group for group, members in pairs.items() if not members]:
        told.append(f"Nothing but canonical metrics, hence no rows: {', '.join(alone)}.")
    if table.height and len(scores.topics) < FEWEST:
        told.append(f"Thirds by difficulty need {FEWEST} topics or more.")
    return tuple(told)


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
