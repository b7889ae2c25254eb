"""The prose of `unanimity`: its declaration and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metameter.meta.base import Words

if TYPE_CHECKING:
    from metameter.meta.dimension_tests.question import Question
    from metameter.meta.unanimity.procedure import UnanimityOptions


CAPTION = "Ranks of metrics by how many others have a lower metric unanimity."
RANKS = "Which metrics see what all simple metrics see? Ranks by metric unanimity"

WORDS = Words(
    "Metric unanimity",
    "Does a metric see the improvements that all simple metrics see?",
    "A simple metric measures one thing everybody understands, such as the share of relevant results (precision), the "
    "share of aspects found (subtopic recall) or the time it takes. For every two systems and every topic, one system "
    "may be an improvement over the other by the metric under test, and by all simple metrics of a set at once. The "
    "unanimity mu is the pointwise mutual information of the two events: the logarithm (base 2) of how many times more "
    "often they coincide than they would by chance.",
    "The higher, the more a metric's improvements are improvements in all simple metrics. In the form of the authors' "
    "programs, chance is 0 for a metric without ties; ties count for it, so a metric that often calls two systems "
    "equal has a higher mu by that alone (a constant one has 1). In the form of the pseudocode, chance is about -1. "
    "Compare values of one set only: the more simple metrics must agree, the rarer their improvements. There is no "
    "test of single differences in mu; the range of ranks over resampled topics shows how stable a rank is.",
    columns={
        "collection": "the collection; All: wins summed over all of them",
        "iteration": "how many iterations (turns) of the session are scored; in rankings All: wins summed over them",
        "simple": "the set of simple metrics; + joins those that must agree",
        "metric": "the metric",
        "mu": "unanimity: log2 of how many times more often improvements coincide than if they were unrelated; -inf if "
        "they never do, empty if the simple metrics see none",
        "metric_improvements": "improvements that the metric sees; a tie counts as half of one",
        "simple_improvements": "improvements that no simple metric of the set contradicts",
        "joint_improvements": "improvements that neither the metric nor any simple metric of the set contradicts",
        "cases": "the denominator of these shares: pairs of systems times topics",
        "low": "lower end of the interval of mu for other topics, about 95%",
        "high": "upper end of the interval of mu for other topics, about 95%",
        "wins": "how many metrics have a lower mu",
        "rank": "rank by wins, 1 for the most; tied metrics share a rank, and the next rank follows without a gap",
        "rank_low": "lower end of the range of 95% of its ranks over resampled topics",
        "rank_high": "upper end of the range of 95% of its ranks over resampled topics",
    },
)


def notes_of(question: Question, options: UnanimityOptions) -> list[str]:
    """The notes: what is counted, and what the intervals hold for."""
    pairs = (
        "ordered pairs of systems, and cases are all of them on all topics, scored or not (as the authors' programs do)"
        if options.form == "code"
        else "unordered pairs of systems, and cases are those that are scored (as in Algorithm 2 of the paper)"
    )
    notes = [f"Improvements are counted over {pairs}."]
    if question.sets.legend:
        notes.append(f"Sets: {question.sets.legend}.")
    if options.resamples:
        notes.append(
            "low, high: separate intervals of mu for other topics, about 95%; rank_low, rank_high: 95% of the ranks; "
            f"both from {options.resamples:,} resampled sets of topics."
        )
    return notes
