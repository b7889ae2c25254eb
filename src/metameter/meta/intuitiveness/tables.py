"""The table of `intuitiveness`: a row for every pair of metrics, set of simple metrics, iteration and collection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.dimension_question import Question
from metameter.meta.intuitiveness.found import Found
from metameter.stats.checks import system_pairs
from metameter.stats.sign_test import sign_test

if TYPE_CHECKING:
    import polars as pl

    from metameter.stats.checks import Floats

__all__ = ["pair_rows"]


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
