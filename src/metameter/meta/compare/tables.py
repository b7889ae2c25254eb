"""The tables of `compare`: means with their groups, pairs of systems, differences topic by topic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.compare.baselines import place_of_pair
from metameter.meta.row_names import names_at, pair_names
from metameter.stats.letters import group_names
from metameter.stats.monte_carlo import bound_errors
from metameter.stats.pairs import Pairs, corrected
from metameter.types import Scores

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats

__all__ = ["mean_table", "pair_table", "topic_table"]


def mean_table(scores: Scores, drawn: Any, different: NDArray[np.bool_], alpha: float) -> pl.DataFrame:
    """Mean, interval and group of every system, best first, from the resampled means and the verdicts on all pairs."""
    import polars as pl

    means = np.asarray(drawn.statistic)
    order = np.argsort(-means, axis=-1, kind="stable")
    numbers = (means, *drawn.confidence_interval, *bound_errors(drawn.distribution, 1.0 - alpha))
    mean, low, high, low_error, high_error = (np.take_along_axis(each, order, -1).reshape(-1) for each in numbers)
    return pl.DataFrame(
        {
            "metric": names_at(scores.metrics, np.repeat(np.arange(len(means)), means.shape[-1])),
            "system": names_at(scores.systems, order.reshape(-1)),
            "mean": mean,
            "low": low,
            "high": high,
            "group": pl.Series(_letters(different, order), dtype=pl.String),
            "low_error": low_error,
            "high_error": high_error,
        }
    )


def _letters(different: NDArray[np.bool_], order: NDArray[np.intp]) -> list[str]:
    """The groups of the systems, best first, one metric after the other."""
    from metameter.stats.checks import system_pairs

    systems = order.shape[-1]
    first, second = system_pairs(systems)
    letters = []
    for row, ranked in zip(different, order, strict=True):
        square = np.zeros((systems, systems), dtype=bool)
        square[first, second] = square[second, first] = row
        names = group_names(square, ranked)
        letters += [names[system] for system in ranked]
    return letters


def pair_table(
    scores: Scores,
    matrix: Floats,
    pairs: Pairs,
    ends: tuple[Floats, Floats],
    listed: tuple[NDArray[np.intp], NDArray[np.intp]],
    correction: str,
) -> pl.DataFrame:
    """What the test says of the pairs listed, all of a against b."""
    import polars as pl

    a, b = listed
    place = place_of_pair(a, b, len(scores.systems))
    sign = np.where(a < b, 1.0, -1.0)
    low, high = (end[:, place] for end in ends)
    wins, ties, losses = _outcomes(matrix, a, b)
    numbers = {
        "difference": sign * pairs.difference[:, place] + 0.0,
        "low": np.where(sign > 0, low, -high),
        "high": np.where(sign > 0, high, -low),
        "effect": sign * pairs.effect[:, place] + 0.0,
        "p": corrected(pairs.pvalue[:, place], correction),
        "wins": wins,
        "ties": ties,
        "losses": losses,
        "p_error": pairs.pvalue_error[:, place],
    }
    if correction != "none":
        numbers["p_uncorrected"] = pairs.pvalue[:, place]
    flat = {name: part.reshape(-1) for name, part in numbers.items()}
    return pl.DataFrame({**pair_names(scores, a, b), **flat}).with_columns(pl.selectors.float().fill_nan(None))


def _outcomes(matrix: Floats, a: NDArray[np.intp], b: NDArray[np.intp]) -> tuple[NDArray[Any], ...]:
    """On how many topics a is above b, level with it, below it."""
    from metameter.stats.checks import tolerance

    wins, losses = np.empty((2, len(matrix), len(a)), dtype=np.int64)
    for row, one in enumerate(matrix):
        delta = one[:, a] - one[:, b]
        zero = tolerance(one, axes=2)
        wins[row], losses[row] = (delta > zero).sum(axis=0), (delta < -zero).sum(axis=0)
    return wins, matrix.shape[1] - wins - losses, losses


def topic_table(scores: Scores, names: tuple[str, ...]) -> pl.DataFrame:
    """Topic by topic, every system minus the baselines, or minus the best system where there is none."""
    import polars as pl

    metric, base, system = _against(scores, [scores.systems.index(name) for name in names])
    topics = len(scores.topics)
    score = scores.values[metric, system]
    return pl.DataFrame(
        {
            "metric": names_at(scores.metrics, np.repeat(metric, topics)),
            "system": names_at(scores.systems, np.repeat(system, topics)),
            "baseline": names_at(scores.systems, np.repeat(base, topics)),
            "topic": names_at(scores.topics, np.tile(np.arange(topics), len(system))),
            "score": score.reshape(-1),
            "delta": (score - scores.values[metric, base]).reshape(-1),
        }
    )


def _against(scores: Scores, places: list[int]) -> NDArray[np.intp]:
    """Metric, baseline and system, best first, of every comparison."""
    rows = [
        (metric, base, system)
        for metric, means in enumerate(scores.values.mean(axis=-1))
        for base in places or [int(means.argmax())]
        for system in np.argsort(-means, kind="stable")
        if system != base
    ]
    return np.array(rows, dtype=np.intp).T
