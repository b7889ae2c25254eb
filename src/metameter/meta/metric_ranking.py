"""Metrics ranked by how many others they beat: by iteration and for all, by collection and for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.shown_rows import ALL
from metameter.stats.metric_wins import dense_ranks

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from metameter.meta.dimension_question import Question

__all__ = ["RankedMetrics", "rank_ends", "ranked_metrics"]

_LOW, _HIGH = 0.025, 0.975


@dataclass(frozen=True, eq=False)
class RankedMetrics:
    """A ranking and what it was over resampled topics.

    Attributes
    ----------
    table : polars.DataFrame
        collection, iteration (as text), simple, metric, wins, rank, rank_low, rank_high, and what else was counted.
    resampled : ndarray of int, (resamples, rows)
        The wins in each resample; no rows without resamples.
    """

    table: pl.DataFrame
    resampled: NDArray[np.int16]


def ranked_metrics(
    question: Question,
    wins: Sequence[NDArray[Any]],
    resampled: Sequence[NDArray[np.int16]],
    further: Mapping[str, Sequence[NDArray[Any]]] | None = None,
) -> RankedMetrics:
    """Sum wins over iterations and collections, and rank: the most wins first, ties share a rank, none is left out.

    Parameters
    ----------
    question : Question
    wins : sequence of ndarray, (iterations, sets, metrics)
        By collection.
    resampled : sequence of ndarray, (resamples, iterations, sets, metrics)
        The same for resampled topics; empty without resamples.
    further : mapping, optional
        Column -> what else is summed in the same way.
    """
    import polars as pl

    groups = _groups(question)
    cells = {name: _summed(each, groups) for name, each in {"wins": wins, **(further or {})}.items()}
    ranks = dense_ranks(cells["wins"])
    # Draws of one number are the same for all collections: one further each, so that they are independent.
    moved = [np.roll(each, place, axis=0) for place, each in enumerate(resampled)]
    drawn = _summed(moved, groups) if resampled else np.zeros((0, *ranks.shape), dtype=np.int16)
    low, high = rank_ends(dense_ranks(drawn))
    order = {"wins": cells.pop("wins"), "rank": ranks, "rank_low": low, "rank_high": high, **cells}
    columns = {name: _column(each) for name, each in order.items()}
    return RankedMetrics(pl.DataFrame({**_labels(question, groups), **columns}), drawn.reshape(len(drawn), ranks.size))


Group = tuple[str, str, list[tuple[int, int]]]


def _groups(question: Question) -> list[Group]:
    """Collection, iteration, and which cells (collection, place of the iteration in it) are summed for them."""
    parts = question.parts
    # Sums stand there even of a single collection, or of a single iteration: programs find them in every table.
    collections = [*((part.name, [place]) for place, part in enumerate(parts)), (ALL, list(range(len(parts))))]
    iterations = [*((str(number), {number}) for number in question.iterations), (ALL, set(question.iterations))]
    groups = []
    for collection, places in collections:
        # Sums over collections are of the iterations that all of them have.
        shared = set.intersection(*(set(parts[place].iterations) for place in places))
        for iteration, numbers in iterations:
            kept = numbers & shared
            cells = [(place, at) for place in places for at, n in enumerate(parts[place].iterations) if n in kept]
            groups += [(collection, iteration, cells)] if cells else []
    return groups


def _summed(arrays: Sequence[NDArray[Any]], groups: list[Group]) -> NDArray[Any]:
    """Sums over cells, ([resamples,] groups, sets, metrics)."""
    sums = [sum(arrays[place][..., at, :, :] for place, at in cells) for _, _, cells in groups]
    return np.stack(sums, axis=-3)


def rank_ends(ranks: NDArray[Any]) -> tuple[Any, Any]:
    """The ends of the range of 95% of the ranks along the first axis; None twice if there are none.

    Examples
    --------
    >>> rank_ends(np.repeat([1, 2, 3], [1, 97, 2])[:, None])
    (array([2]), array([2]))
    """
    if not len(ranks):
        empty = [None] * int(np.prod(ranks.shape[1:]))
        return empty, empty
    low, high = np.quantile(ranks, [_LOW, _HIGH], axis=0, method="inverted_cdf")
    return low.astype(np.int64), high.astype(np.int64)


def _column(values: Any) -> pl.Series:
    import polars as pl

    return pl.Series(np.reshape(values, -1).tolist(), dtype=pl.Int64)


def _labels(question: Question, groups: list[Group]) -> dict[str, pl.Series]:
    import polars as pl

    rows = [
        (collection, iteration, label, metric)
        for collection, iteration, _ in groups
        for label in question.sets.labels
        for metric in question.complex
    ]
    names = ("collection", "iteration", "simple", "metric")
    return {name: pl.Series(each, dtype=pl.String) for name, each in zip(names, zip(*rows, strict=True), strict=True)}
