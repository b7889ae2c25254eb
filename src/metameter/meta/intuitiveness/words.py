"""What `intuitiveness` asks, how it answers and how to read it."""

from __future__ import annotations

from metameter.meta.base import Words
from metameter.meta.intuitiveness.sentences import ABOUT_CASES

__all__ = ["WORDS"]

WORDS = Words(
    "Intuitiveness",
    "Where two metrics prefer different systems, which of them do simple metrics side with?",
    "A simple metric measures one thing everybody understands, such as the share of relevant results (precision), the "
    "share of aspects found (subtopic recall) or the time it takes. For every two systems and every topic, two metrics "
    "under test may prefer different systems: a disagreement. The metric is right whose preference all simple metrics "
    "of a set share; its intuitiveness is the share of disagreements in which it is right. The sign test of Albahem et "
    "al. asks whether one is right more often; beside it the two metrics' roles are swapped on whole topics at random, "
    "row by row (p_topics) and for the whole table together (p_table).",
    "A metric that is right far more often than another follows the simple metrics more closely; that is good as far "
    "as these stand for what matters. A small share of disagreements means that the choice between the two matters "
    f"little. {ABOUT_CASES} Go by p_table.",
    columns={
        "collection": "the collection; All: wins summed over all of them",
        "iteration": "how many iterations (turns) of the session are scored; in rankings All: wins summed over them",
        "simple": "the set of simple metrics; + joins those that must agree",
        "metric_a": "the first metric of a pair",
        "metric_b": "the second metric of a pair",
        "cases": "pairs of systems on a topic that all these metrics scored",
        "disagreements": "cases in which the two metrics prefer different systems",
        "correct_a": "disagreements in which all simple metrics side with the first",
        "correct_b": "disagreements in which all simple metrics side with the second",
        "intuitiveness_a": "share of the disagreements in which the first is right",
        "intuitiveness_b": "share of the disagreements in which the second is right",
        "p": "the paper's sign test: about these cases, which depend on each other; not for other topics",
        "disagreement_share": "disagreements as a share of the cases",
        "p_topics": "how often swapping the metrics on random topics gives as large a difference, for this row: "
        "(b + 1) / (B + 1) for b of B swaps",
        "p_table": "the same for all rows of the table together: a row below alpha may be believed among all others",
        "p_topics_se": "Monte-Carlo error of p_topics",
        "p_table_se": "Monte-Carlo error of p_table",
        "close_call": "whether other random draws could turn p_table to the other side of the level",
        "weighted_a": "mean share of the weights whose simple metrics side with the first, over the disagreements",
        "weighted_b": "mean share of the weights whose simple metrics side with the second, over the disagreements",
        "weighted_p": "sign test of the weighted vote of the simple metrics: about these cases, like p",
        "metric": "the metric",
        "wins": "how many metrics it beats: with significantly more cases by the sign test, or with more (wins = any)",
        "rank": "place by wins, 1 for the most; ties share a place, and none is left out",
        "rank_low": "lower end of the range of 95% of its places over resampled topics",
        "rank_high": "upper end of the range of 95% of its places over resampled topics",
        "sure_wins": "how many metrics it beats by p_table",
    },
)
