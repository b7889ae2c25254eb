"""What is counted for one collection, and what resampled topics make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.dimension_question import Part, Question
from metameter.stats.metric_wins import resampled_scores, score_wins
from metameter.stats.order_interval import order_interval
from metameter.stats.unanimous import improvements, mutual_information

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats

__all__ = ["Found", "found_by", "metric_rows"]


@dataclass(frozen=True, eq=False)
class Found:
    """Counts over all topics and what follows, all (iterations, sets, metrics).

    Attributes
    ----------
    part : Part
    counts : ndarray, (4, iterations, sets, metrics)
        Improvements by the metric, the simple metrics and both; cases.
    mu, low, high : ndarray
    wins : ndarray of int
    resampled : ndarray of int, (resamples, iterations, sets, metrics), or None
        The wins over resampled topics.
    """

    part: Part
    counts: Floats
    mu: Floats
    low: Floats
    high: Floats
    wins: NDArray[Any]
    resampled: NDArray[np.int16] | None


def found_by(part: Part, question: Question, asked: dict[str, Any]) -> Found:
    """Count one collection; ``asked`` has ``form``, ``resamples``, ``seed``, ``jobs``."""
    counted = improvements(part.values, part.simple, question.dimensions, form=asked["form"], jobs=asked["jobs"])
    by_topic = np.stack([counted.metric, counted.simple, counted.joint, counted.cases])
    counts = by_topic.sum(axis=2)
    mu = mutual_information(*counts)
    if not asked["resamples"]:
        nothing = np.full_like(mu, np.nan)
        return Found(part, counts, mu, nothing, nothing, score_wins(mu), None)
    drawn = resampled_scores(by_topic, resamples=asked["resamples"], seed=asked["seed"], jobs=asked["jobs"])
    return Found(part, counts, mu, *order_interval(drawn), score_wins(mu), score_wins(drawn).astype(np.int16))


def metric_rows(found: Sequence[Found], question: Question) -> pl.DataFrame:
    """The table ``unanimity``: a row for every collection, iteration, set and metric."""
    import polars as pl

    return pl.concat([_rows(each, question) for each in found])


def _rows(found: Found, question: Question) -> pl.DataFrame:
    import polars as pl

    labels = [
        (found.part.name, iteration, label, metric)
        for iteration in found.part.iterations
        for label in question.sets.labels
        for metric in question.complex
    ]
    schema = {"collection": pl.String, "iteration": pl.Int64, "simple": pl.String, "metric": pl.String}
    metric, simple, joint, cases = (each.reshape(-1) for each in found.counts)
    return (
        pl.DataFrame(labels, schema=schema, orient="row")
        .with_columns(
            mu=pl.Series(found.mu.reshape(-1)),
            metric_improvements=pl.Series(metric),
            simple_improvements=pl.Series(simple.astype(np.int64)),
            joint_improvements=pl.Series(joint.astype(np.int64)),
            cases=pl.Series(cases.astype(np.int64)),
            low=pl.Series(found.low.reshape(-1)),
            high=pl.Series(found.high.reshape(-1)),
        )
        .with_columns(pl.selectors.float().fill_nan(None))
    )
