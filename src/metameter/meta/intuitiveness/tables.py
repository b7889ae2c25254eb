"""The tests behind `intuitiveness`, and its table: one row per pair of metrics, set, iteration and collection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from metameter.meta.dimension_tests.question import CollectionScores, Question
from metameter.parallel import Workers
from metameter.stats.checks import Floats, system_pairs
from metameter.stats.dimensions.disagreements import Disagreements, disagreements
from metameter.stats.dimensions.metric_wins import pair_wins, resampled_pair_wins
from metameter.stats.dimensions.topic_swaps import TopicSwaps, topic_swaps
from metameter.stats.significance.pairwise import sign_test

if TYPE_CHECKING:
    import polars as pl


def pair_rows(
    tests: Sequence[IntuitivenessTests], p_table: Sequence[Floats], question: Question, trials: int, level: float
) -> pl.DataFrame:
    """The table ``intuitiveness``; ``tests`` and the p-values for the whole table are by collection."""
    import polars as pl

    return pl.concat([_rows(each, p, question, trials, level) for each, p in zip(tests, p_table, strict=True)])


def _rows(tests: IntuitivenessTests, p_table: Floats, question: Question, trials: int, level: float) -> pl.DataFrame:
    import polars as pl

    counts = tests.counts
    p_topics = tests.swaps.pvalue.reshape(p_table.shape)
    p_table_se = np.sqrt(p_table * (1.0 - p_table) / trials)
    shares = tests.correct / np.maximum(counts.disagreements, 1)[..., None]
    columns: dict[str, Any] = {
        "cases": counts.cases,
        "disagreements": counts.disagreements,
        "correct_a": tests.correct[..., 0],
        "correct_b": tests.correct[..., 1],
        "intuitiveness_a": shares[..., 0],
        "intuitiveness_b": shares[..., 1],
        "p": tests.p,
        "disagreement_share": counts.disagreements / np.maximum(counts.cases, 1),
        "p_topics": p_topics,
        "p_table": p_table,
        "p_topics_se": np.sqrt(p_topics * (1.0 - p_topics) / trials),
        "p_table_se": p_table_se,
        # Within two Monte-Carlo errors of the level: other random draws could change the verdict.
        "close_call": np.abs(p_table - level) <= 2.0 * p_table_se,
        **(_weighted_columns(tests) if question.weights is not None else {}),
    }
    flat = {name: values.reshape(-1) for name, values in columns.items()}
    return pl.DataFrame({**_label_columns(tests, question), **flat})


def _weighted_columns(tests: IntuitivenessTests) -> dict[str, Any]:
    supported = tests.counts.supported / np.maximum(tests.counts.disagreements, 1)[..., None]
    p = sign_test(tests.counts.votes[..., 0], tests.counts.votes[..., 1])
    return {"weighted_a": supported[..., 0], "weighted_b": supported[..., 1], "weighted_p": p}


def _label_columns(tests: IntuitivenessTests, question: Question) -> dict[str, pl.Series]:
    import polars as pl

    first, second = system_pairs(len(question.complex))
    rows = [
        (tests.collection.name, iteration, label, question.complex[a], question.complex[b])
        for iteration in tests.collection.iterations
        for label in question.sets.labels
        for a, b in zip(first, second, strict=True)
    ]
    kinds = {"collection": pl.String, "iteration": pl.Int64, "simple": pl.String}
    kinds |= {"metric_a": pl.String, "metric_b": pl.String}
    return {
        name: pl.Series(each, dtype=kind)
        for (name, kind), each in zip(kinds.items(), zip(*rows, strict=True), strict=True)
    }


@dataclass(frozen=True)
class IntuitivenessOptions:
    """The options of the test, which the docstring of `intuitiveness` describes."""

    ties: Literal["strict", "agree"]
    wins: Literal["significant", "any"]
    alpha: float
    trials: int
    seed: int
    resamples: int


@dataclass(frozen=True, eq=False)
class IntuitivenessTests:
    """Counts and tests of one collection, of the shape (iterations, sets, pairs) unless stated otherwise.

    Attributes
    ----------
    collection : CollectionScores
    counts : Disagreements
    correct : ndarray of int, (iterations, sets, pairs, 2)
        Cases over all topics in which the simple metrics side with each metric, those that side with both included.
    only : ndarray of int, (iterations, sets, pairs, 2)
        Cases over all topics in which the simple metrics side with this metric only.
    p : ndarray
        Of the sign test.
    swaps : TopicSwaps
        With rows in the order of the flattened shape.
    wins : ndarray of int, (iterations, sets, metrics)
    resampled : ndarray of int, (resamples, iterations, sets, metrics), or None
        The wins over resampled topics.
    """

    collection: CollectionScores
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
        return _larger(self.only)


def _larger(only: NDArray[Any]) -> NDArray[np.bool_]:
    first, second = only[..., 0], only[..., 1]
    return np.stack([first > second, second > first], axis=-1)


def intuitiveness_tests(
    collection: CollectionScores, question: Question, options: IntuitivenessOptions, jobs: Workers
) -> IntuitivenessTests:
    """Count and test the pairs of metrics of one collection."""
    counts = disagreements(collection.values, collection.simple, question.dimensions, ties=options.ties, jobs=jobs)
    only = counts.correct.sum(axis=1, dtype=np.int64)
    p = sign_test(only[..., 0], only[..., 1])
    difference = counts.correct[..., 0].astype(np.float64) - counts.correct[..., 1]
    by_topic = np.moveaxis(difference, 1, 0).reshape(collection.topics, -1)
    swaps = topic_swaps(by_topic, trials=options.trials, seed=options.seed, jobs=jobs)
    larger = _larger(only)
    won = larger & (p < options.alpha)[..., None] if options.wins == "significant" else larger
    metrics = len(question.complex)
    resampled = None
    if options.resamples:
        resampled = resampled_pair_wins(
            counts.correct,
            metrics,
            wins=options.wins,
            alpha=options.alpha,
            resamples=options.resamples,
            seed=options.seed,
            jobs=jobs,
        )
    correct = only + counts.tied[..., None]
    return IntuitivenessTests(collection, counts, correct, only, p, swaps, pair_wins(won, metrics), resampled)


def table_pvalues(tests: Sequence[IntuitivenessTests]) -> list[Floats]:
    """The p-values for all rows of all collections together, by collection.

    The trials swap topics of the same number alike in all collections; each further collection is shifted by one trial
    more, so that they are independent.
    """
    maxima = np.max([np.roll(each.swaps.maxima, shift) for shift, each in enumerate(tests)], axis=0)
    return [each.swaps.familywise(maxima).reshape(each.p.shape) for each in tests]


def sure_wins(tests: IntuitivenessTests, p_table: Floats, alpha: float, metrics: int) -> NDArray[Any]:
    """How many metrics each beats by the p-value for the whole table, (iterations, sets, metrics)."""
    return pair_wins(tests.larger & (p_table < alpha)[..., None], metrics)


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
