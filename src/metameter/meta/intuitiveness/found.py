"""What is counted and tested for one collection: all pairs of metrics, against all sets, in all iterations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.dimension_question import Part, Question
from metameter.stats.disagreements import Disagreements, disagreements
from metameter.stats.metric_wins import pair_wins, resampled_pair_wins
from metameter.stats.sign_test import sign_test
from metameter.stats.topic_swaps import TopicSwaps, topic_swaps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats

__all__ = ["Found", "found_by", "sure_wins", "table_pvalues"]


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
