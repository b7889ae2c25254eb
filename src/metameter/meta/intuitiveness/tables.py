"""The table of `intuitiveness`: a row for every pair of metrics, set of simple metrics, iteration and collection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.meta.dimension_tests.question import Part, Question
from metameter.stats.checks import Floats, system_pairs
from metameter.stats.dimensions.disagreements import Disagreements, disagreements
from metameter.stats.dimensions.metric_wins import pair_wins, resampled_pair_wins
from metameter.stats.dimensions.topic_swaps import TopicSwaps, topic_swaps
from metameter.stats.significance.pairwise import sign_test

if TYPE_CHECKING:
    import polars as pl


def pair_rows(
    found: Sequence[Found], p_table: Sequence[Floats], question: Question, trials: int, level: float
) -> pl.DataFrame:
    """The table ``intuitiveness``; the p-values for the whole table are given by collection."""
    import polars as pl

    return pl.concat([_rows(each, p, question, trials, level) for each, p in zip(found, p_table, strict=True)])


def _rows(found: Found, p_table: Floats, question: Question, trials: int, level: float) -> pl.DataFrame:
    import polars as pl

    counts = found.counts
    p_topics = found.swaps.pvalue.reshape(p_table.shape)
    p_table_se = np.sqrt(p_table * (1.0 - p_table) / trials)
    shares = found.correct / np.maximum(counts.disagreements, 1)[..., None]
    columns: dict[str, Any] = {
        "cases": counts.cases,
        "disagreements": counts.disagreements,
        "correct_a": found.correct[..., 0],
        "correct_b": found.correct[..., 1],
        "intuitiveness_a": shares[..., 0],
        "intuitiveness_b": shares[..., 1],
        "p": found.p,
        "disagreement_share": counts.disagreements / np.maximum(counts.cases, 1),
        "p_topics": p_topics,
        "p_table": p_table,
        "p_topics_se": np.sqrt(p_topics * (1.0 - p_topics) / trials),
        "p_table_se": p_table_se,
        # Two Monte-Carlo errors from what decides: other random draws could turn it.
        "close_call": np.abs(p_table - level) <= 2.0 * p_table_se,
        **(_weighted(found) if question.weights is not None else {}),
    }
    flat = {name: values.reshape(-1) for name, values in columns.items()}
    return pl.DataFrame({**_labels(found, question), **flat})


def _weighted(found: Found) -> dict[str, Any]:
    supported = found.counts.supported / np.maximum(found.counts.disagreements, 1)[..., None]
    p = sign_test(found.counts.votes[..., 0], found.counts.votes[..., 1])
    return {"weighted_a": supported[..., 0], "weighted_b": supported[..., 1], "weighted_p": p}


def _labels(found: Found, question: Question) -> dict[str, pl.Series]:
    import polars as pl

    first, second = system_pairs(len(question.complex))
    rows = [
        (found.part.name, iteration, label, question.complex[a], question.complex[b])
        for iteration in found.part.iterations
        for label in question.sets.labels
        for a, b in zip(first, second, strict=True)
    ]
    kinds = {"collection": pl.String, "iteration": pl.Int64, "simple": pl.String}
    kinds |= {"metric_a": pl.String, "metric_b": pl.String}
    return {
        name: pl.Series(each, dtype=kind)
        for (name, kind), each in zip(kinds.items(), zip(*rows, strict=True), strict=True)
    }


@dataclass(frozen=True, eq=False)
class Found:
    """Counts and tests, of the shape (iterations, sets, pairs) unless said otherwise.

    Attributes
    ----------
    part : Part
    counts : Disagreements
    correct : ndarray of int, (iterations, sets, pairs, 2)
        Over all topics, cases that side with both included.
    only : ndarray of int, (iterations, sets, pairs, 2)
        Over all topics, cases that side with one only.
    p : ndarray
        The sign test's.
    swaps : TopicSwaps
        With rows in the order of the flattened shape.
    wins : ndarray of int, (iterations, sets, metrics)
    resampled : ndarray of int, (resamples, iterations, sets, metrics), or None
    """

    part: Part
    counts: Disagreements
    correct: NDArray[Any]
    only: NDArray[Any]
    p: Floats
    swaps: TopicSwaps
    wins: NDArray[Any]
    resampled: NDArray[np.int16] | None

    @property
    def larger(self) -> NDArray[np.bool_]:
        """Which metric of a pair has more cases on its side, (iterations, sets, pairs, 2)."""
        first, second = self.only[..., 0], self.only[..., 1]
        return np.stack([first > second, second > first], axis=-1)


def found_by(part: Part, question: Question, asked: dict[str, Any]) -> Found:
    """Count and test one collection.

    Parameters
    ----------
    part : Part
    question : Question
    asked : dict
        ``ties``, ``wins``, ``alpha``, ``trials``, ``resamples``, ``seed``, ``jobs``; no resamples where topics are few.
    """
    how = {"seed": asked["seed"], "jobs": asked["jobs"]}
    counts = disagreements(part.values, part.simple, question.dimensions, ties=asked["ties"], jobs=asked["jobs"])
    only = counts.correct.sum(axis=1, dtype=np.int64)
    p = sign_test(only[..., 0], only[..., 1])
    difference = counts.correct[..., 0].astype(np.float64) - counts.correct[..., 1]
    by_topic = np.moveaxis(difference, 1, 0).reshape(part.topics, -1)
    swaps = topic_swaps(by_topic, trials=asked["trials"], **how)
    larger = np.stack([only[..., 0] > only[..., 1], only[..., 1] > only[..., 0]], axis=-1)
    won = larger & (p < asked["alpha"])[..., None] if asked["wins"] == "significant" else larger
    metrics = len(question.complex)
    drawn = None
    if asked["resamples"]:
        rule = {name: asked[name] for name in ("wins", "alpha", "resamples")}
        drawn = resampled_pair_wins(counts.correct, metrics, **rule, **how)
    correct = only + counts.tied[..., None]
    return Found(part, counts, correct, only, p, swaps, pair_wins(won, metrics), drawn)


def table_pvalues(found: Sequence[Found]) -> list[Floats]:
    """The p-values for all rows of all collections together, by collection.

    Trials of one number flip topics alike in all collections; those of each further one are taken from one trial
    later, so that they are independent.
    """
    maxima = np.max([np.roll(each.swaps.maxima, place) for place, each in enumerate(found)], axis=0)
    return [each.swaps.familywise(maxima).reshape(each.p.shape) for each in found]


def sure_wins(found: Found, p_table: Floats, alpha: float, metrics: int) -> NDArray[Any]:
    """How many metrics each beats by the p-value for the whole table, (iterations, sets, metrics)."""
    return pair_wins(found.larger & (p_table < alpha)[..., None], metrics)


def metrics_of(table: pl.DataFrame) -> list[str]:
    """The metrics in the order in which pairs name them.

    Examples
    --------
    >>> import polars as pl
    >>> metrics_of(pl.DataFrame({"metric_a": ["ACT", "ACT", "nCT"], "metric_b": ["nCT", "nEU", "nEU"]}))
    ['ACT', 'nCT', 'nEU']
    """
    import polars as pl

    return pl.concat([table["metric_a"], table["metric_b"]]).unique(maintain_order=True).to_list()
