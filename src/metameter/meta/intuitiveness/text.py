"""The prose of `intuitiveness`: its declaration, answer and notes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from metameter.meta.base import Words
from metameter.meta.framework.table_rows import ALL

if TYPE_CHECKING:
    import polars as pl

    from metameter.meta.dimension_tests.question import Question
    from metameter.meta.intuitiveness.tables import IntuitivenessOptions


RANKS = "Which metrics do simple metrics side with? Ranks by the intuitiveness test"

_MOST_NAMED = 4

#: Accompanies the test of the paper everywhere. Measured by benchmarks/calibration_intuitiveness.py.
ABOUT_CASES = (
    "The cases of a topic depend on each other (n systems make n(n-1)/2 of them), so p is about these cases, not about "
    "other topics: in simulations of equally intuitive metrics, p was below .05 in 9% of the rows with 5 systems "
    "and in 31% with 20; some p_table was so in 5% of whole tables."
)


def answer_of(table: pl.DataFrame, ranking: pl.DataFrame, alpha: float) -> list[str]:
    """For each set of simple metrics: which metric sides with it most, by the p-values for the whole table."""
    import polars as pl

    overall = _overall(ranking)
    sets = overall["simple"].unique(maintain_order=True).to_list()
    return [_of_set(label, overall.filter(pl.col("simple") == label), table, alpha) for label in sets]


def _overall(ranking: pl.DataFrame) -> pl.DataFrame:
    """The rows for all iterations and all collections, or for the only ones."""
    import polars as pl

    for column in ("collection", "iteration"):
        if column in ranking.columns and (ranking[column] == ALL).any():
            ranking = ranking.filter(pl.col(column) == ALL)
    return ranking


def _of_set(label: str, rows: pl.DataFrame, table: pl.DataFrame, alpha: float) -> str:
    import polars as pl

    lead = f"Which metric follows {label} most, where metrics disagree"
    most = int(rows["sure_wins"].max() or 0)  # type: ignore[arg-type]
    some = table.filter(pl.col("simple") == label)
    if not most:
        first = rows.filter(pl.col("rank") == 1)["metric"].to_list()
        counted = f"; on these topics {_listed(first)} led by the paper's ranking" if len(first) < rows.height else ""
        return f"{lead}: none is shown to do so for other topics (p_table is {alpha:.3g} or more everywhere){counted}."
    best = rows.filter(pl.col("sure_wins") == most)["metric"].to_list()
    if len(best) > 1:
        won = f"{most} comparison{'s' if most > 1 else ''}"
        return f"{lead}: {_listed(best)}, which win {won} each for other topics (p_table < {alpha:.3g})."
    lost, of = _lost(some, best[0], alpha), some.filter(_about(best[0])).height
    won = f"It wins {most} of its {of} comparisons for other topics (p_table < {alpha:.3g})"
    return f"{lead}: {best[0]}. {won} and loses {lost or 'none'}."


def _about(metric: str) -> Any:
    import polars as pl

    return (pl.col("metric_a") == metric) | (pl.col("metric_b") == metric)


def _lost(table: pl.DataFrame, metric: str, alpha: float) -> int:
    import polars as pl

    ahead = pl.col("correct_a") > pl.col("correct_b")
    behind = ((pl.col("metric_a") == metric) & ~ahead) | ((pl.col("metric_b") == metric) & ahead)
    return table.filter(behind & (pl.col("p_table") < alpha)).height


def _listed(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def caption_of(options: Mapping[str, Any]) -> str:
    """The caption of the ranking, as LaTeX.

    Examples
    --------
    >>> caption_of({"wins": "any", "alpha": 0.05})
    'Ranks of metrics by how many others they exceed in cases that all simple metrics support.'
    """
    if options["wins"] == "any":
        return "Ranks of metrics by how many others they exceed in cases that all simple metrics support."
    return (
        "Ranks of metrics by how many others they exceed significantly in cases that all simple metrics support (sign "
        rf"test, $p < {options['alpha']:g}$: about these cases, which depend on each other, not about other topics)."
    )


def notes_of(question: Question, options: IntuitivenessOptions, table: pl.DataFrame, level: float) -> list[str]:
    """The notes: what a case is, and what the p-values mean."""
    rows, close = table.height, int(table["close_call"].sum())
    agree = "; a simple metric with tied scores sides with both" if options.ties == "agree" else ""
    notes = [
        "A case is two systems on one topic. Where two metrics prefer different systems, one is right if every simple "
        f"metric of the set prefers the same system as it does{agree}.",
        f"p: the paper's sign test of correct_a against correct_b. {ABOUT_CASES}",
        f"p_topics: the metrics' roles are swapped on whole topics at random, {options.trials:,} times. p_table: the "
        f"same for all {rows:,} rows of the table together; sure_wins counts by it. Close calls, which another seed "
        f"could change: {close:,} of {rows:,} rows.",
    ]
    if level < options.alpha:
        notes.append(f"All collections of the study share the level: p_table must be below {level:.3g}.")
    if options.ties == "agree":
        notes.append("Cases that side with both metrics are left out of p, p_topics, p_table and wins.")
    if question.sets.legend:
        notes.insert(1, f"Sets: {question.sets.legend}.")
    if options.resamples:
        notes.append(f"rank_low, rank_high: 95% of {options.resamples:,} resampled sets of topics rank a metric there.")
    return notes


WORDS = Words(
    "Intuitiveness",
    "Where two metrics prefer different systems, which of them do simple metrics side with?",
    "A simple metric measures one thing everybody understands, such as the share of relevant results (precision), the "
    "share of aspects found (subtopic recall) or the time it takes. For every two systems and every topic, two metrics "
    "under test may prefer different systems: a disagreement. The metric is right whose preference all simple metrics "
    "of a set share; its intuitiveness is the share of disagreements in which it is right. The sign test of Albahem et "
    "al. tests whether one is right more often; in addition the two metrics' roles are swapped on whole topics at "
    "random, row by row (p_topics) and for the whole table together (p_table).",
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
        "p_table": "the same, adjusted for all rows of the table: rows below alpha are significant together",
        "p_topics_se": "Monte-Carlo error of p_topics",
        "p_table_se": "Monte-Carlo error of p_table",
        "close_call": "whether another seed could move p_table across the level",
        "weighted_a": "mean share of the weights whose simple metrics side with the first, over the disagreements",
        "weighted_b": "mean share of the weights whose simple metrics side with the second, over the disagreements",
        "weighted_p": "sign test of the weighted vote of the simple metrics: about these cases, like p",
        "metric": "the metric",
        "wins": "how many metrics it beats: with significantly more cases by the sign test, or with more (wins = any)",
        "rank": "rank by wins, 1 for the most; tied metrics share a rank, and the next rank follows without a gap",
        "rank_low": "lower end of the range of 95% of its ranks over resampled topics",
        "rank_high": "upper end of the range of 95% of its ranks over resampled topics",
        "sure_wins": "how many metrics it beats by p_table",
    },
)
