"""The tables of `compare`: means with their groups, pairs, differences by topic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.meta.compare.text import FEWEST_TOPICS
from metameter.meta.framework.table_rows import names_at, pair_names
from metameter.parallel import Workers
from metameter.stats.checks import Floats, system_pairs, tolerance
from metameter.stats.intervals.means import MeanIntervals, mean_intervals
from metameter.stats.significance.compact_letter_display import letter_groups, rank_ranges
from metameter.stats.significance.pairs import PairTests, corrected_pvalues, pair_chunks
from metameter.types import Scores
from metameter.view.tables.columns import is_error

if TYPE_CHECKING:
    import polars as pl


#: What the two columns of systems are called where the second is a baseline.
BASELINE_NAMES = ("system", "baseline")
#: The column of the numbers of topics on which a system is better, worse and equal, as people read them.
OUTCOMES = "topics better/worse/tied"
#: The most letters of a system that people see; for more, the ranks of the systems it does not differ from.
_MOST_LETTERS = 3


def means_with_intervals(scores: Scores, resamples: int, alpha: float, seed: int, jobs: Workers) -> MeanIntervals:
    """Return the means of the systems with their intervals; NaN for too few topics."""
    if len(scores.topics) < FEWEST_TOPICS:
        means = scores.matrix.mean(axis=1)
        return MeanIntervals(means, np.full_like(means, np.nan), np.full_like(means, np.nan))
    return mean_intervals(scores.matrix, trials=resamples, level=1.0 - alpha, seed=seed, jobs=jobs)


def mean_table(scores: Scores, intervals: MeanIntervals, different: NDArray[np.bool_] | None) -> pl.DataFrame:
    """Return the mean, interval, group and rank of every system, best first, from the verdicts on all pairs.

    Without these verdicts, groups and what a system does not differ from are empty.
    """
    import polars as pl

    means, width, error = intervals.mean, intervals.width, intervals.width_error
    order = np.argsort(-means, axis=-1, kind="stable")
    letters = [] if different is None else _letters(different, order)
    groups: list[str | None] = [name for names in letters for name in names] or [None] * order.size
    ranges: list[str | None] = [ranks for names in letters for ranks in rank_ranges(names)] or [None] * order.size
    numbers = (means, means - width, means + width, error)
    mean, low, high, error = (np.take_along_axis(each, order, -1).reshape(-1) for each in numbers)
    columns = {
        "metric": names_at(scores.metrics, np.repeat(np.arange(len(means)), means.shape[-1])),
        "system": names_at(scores.systems, order.reshape(-1)),
        "mean": mean,
        "low": low,
        "high": high,
        "group": pl.Series(groups, dtype=pl.String),
        "rank": np.tile(np.arange(1, means.shape[-1] + 1), len(means)),
        "not_different_from": pl.Series(ranges, dtype=pl.String),
        "low_error": error,
        "high_error": error,
    }
    return pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None))


def readable_means(means: pl.DataFrame) -> pl.DataFrame:
    """The means as people read them: with letters, or with the ranks not shown to differ where letters are many.

    Examples
    --------
    >>> import polars as pl
    >>> names = {"metric": "AP", "system": "x", "mean": 0.5, "group": "a", "rank": 1, "not_different_from": "ranks 1-2"}
    >>> few = pl.DataFrame([names])
    >>> readable_means(few).columns, readable_means(few.with_columns(group=pl.lit("abcd"))).columns
    (['metric', 'system', 'mean', 'group'], ['metric', 'rank', 'system', 'mean', 'not_different_from'])
    """
    if means["group"].null_count():
        return means.drop("group", "not_different_from")
    if all(len(group.split(" ") if " " in group else group) <= _MOST_LETTERS for group in means["group"]):
        return means.drop("rank", "not_different_from")
    return means.select("metric", "rank", *(name for name in means.columns if name not in ("metric", "rank", "group")))


def _letters(different: NDArray[np.bool_], order: NDArray[np.intp]) -> list[list[str]]:
    """The groups of the systems, best first, for each metric."""
    systems = order.shape[-1]
    first, second = system_pairs(systems)
    letters = []
    for differs, ranked in zip(different, order, strict=True):
        square = np.zeros((systems, systems), dtype=bool)
        square[first, second] = square[second, first] = differs
        names = letter_groups(square, ranked)
        letters.append([names[system] for system in ranked])
    return letters


def pair_table(
    scores: Scores,
    pairs: PairTests,
    widths: tuple[Floats, Floats],
    compared: tuple[NDArray[np.intp], NDArray[np.intp]],
    correction: str,
    names: tuple[str, str] = ("system_a", "system_b"),
) -> pl.DataFrame:
    """Return the results of the test for every compared pair, each first system against the second.

    Parameters
    ----------
    scores : Scores
    pairs : PairTests
    widths : pair of ndarray, (metrics, pairs)
        Half the width of the intervals, and its Monte-Carlo error.
    compared : pair of ndarray
        Positions of the first and the second systems.
    correction : str
        The correction of the p-values for these pairs.
    names : pair of str
        What the two columns of systems are called.
    """
    import polars as pl

    width, error = widths
    wins, ties, losses = _outcomes(scores.matrix, *compared)
    numbers = {
        "difference": pairs.difference + 0.0,
        "low": pairs.difference - width,
        "high": pairs.difference + width,
        "effect": pairs.effect + 0.0,
        "p": corrected_pvalues(pairs.pvalue, correction),
        "wins": wins,
        "ties": ties,
        "losses": losses,
        **_means(scores, *compared, names),
        "p_error": pairs.pvalue_error,
        "width_error": error,
    }
    if correction != "none":
        numbers["p_uncorrected"] = pairs.pvalue
    flat = {name: part.reshape(-1) for name, part in numbers.items()}
    frame = pl.DataFrame({**pair_names(scores, *compared), **flat}).with_columns(pl.selectors.float().fill_nan(None))
    return frame.rename(dict(zip(("system_a", "system_b"), names, strict=True)))


def _means(scores: Scores, a: NDArray[np.intp], b: NDArray[np.intp], names: tuple[str, str]) -> dict[str, NDArray[Any]]:
    """The means of the system and of the baseline; nothing for all pairs, whose means stand in ``compare``."""
    if names != BASELINE_NAMES:
        return {}
    means = scores.values.mean(axis=-1)
    return {"mean": means[:, a], "baseline_mean": means[:, b]}


def means_first(compared: pl.DataFrame) -> pl.DataFrame:
    """The comparisons with baselines, with the two means directly after the names.

    Examples
    --------
    >>> import polars as pl
    >>> row = {"metric": ["AP"], "system": ["b"], "baseline": ["a"], "difference": [0.1], "p": [0.5]}
    >>> means_first(pl.DataFrame({**row, "mean": [0.4], "baseline_mean": [0.3]})).columns
    ['metric', 'system', 'baseline', 'mean', 'baseline_mean', 'difference', 'p']
    """
    first = ("metric", *BASELINE_NAMES, "mean", "baseline_mean")
    return compared.select(*first, *(name for name in compared.columns if name not in first))


def readable_differences(compared: pl.DataFrame) -> pl.DataFrame:
    """The comparisons with baselines as people read them; of two systems, each mean under the name of its system.

    The topics better, worse and tied are one column, so that a narrow terminal has room for them.

    Examples
    --------
    >>> import polars as pl
    >>> row = {"metric": "AP", "system": "b", "baseline": "a", "difference": 0.1, "p": 0.01, "effect": 0.4}
    >>> counts = {"wins": 7, "ties": 1, "losses": 2, "mean": 0.4, "baseline_mean": 0.3}
    >>> pair = readable_differences(pl.DataFrame([{**row, **counts}]))
    >>> pair.columns
    ['metric', 'mean a', 'mean b', 'difference', 'p', 'topics better/worse/tied', 'effect']
    >>> pair["topics better/worse/tied"][0]
    '7/2/1'
    """
    import polars as pl

    frame = means_first(compared)
    frame = frame.with_columns(pl.format("{}/{}/{}", "wins", "losses", "ties").alias(OUTCOMES))
    frame = frame.drop("wins", "ties", "losses")
    (first, *others), (system, *more) = (frame[name].unique(maintain_order=True) for name in ("baseline", "system"))
    if not others:
        frame = frame.drop("baseline").rename({"baseline_mean": mean_of(first)})
    if not others and not more:
        frame = frame.drop("system").rename({"mean": mean_of(system)})
        frame = frame.select("metric", mean_of(first), pl.exclude("metric", mean_of(first)))
    last = ("effect", *(name for name in frame.columns if is_error(name)))
    return frame.select(pl.exclude(last), *last)


def mean_of(system: str) -> str:
    """The heading of the column of a system's means."""
    return f"mean {system}"


def _outcomes(matrix: Floats, a: NDArray[np.intp], b: NDArray[np.intp]) -> tuple[NDArray[Any], ...]:
    """On how many topics a is above b, equal to b, and below b."""
    wins, losses = np.empty((2, len(matrix), len(a)), dtype=np.int64)
    for metric, one in enumerate(matrix):
        zero = tolerance(one, axes=2)
        # In chunks of pairs: the differences of all pairs on every topic would take most of the memory.
        for some in pair_chunks(len(a)):
            delta = one[:, a[some]] - one[:, b[some]]
            wins[metric, some], losses[metric, some] = (delta > zero).sum(axis=0), (delta < -zero).sum(axis=0)
    return wins, matrix.shape[1] - wins - losses, losses


def topic_table(scores: Scores, names: tuple[str, ...]) -> pl.DataFrame:
    """Return for every topic each system minus each baseline, or minus the best system without baselines."""
    import polars as pl

    metric, base, system = _compared_systems(scores, [scores.systems.index(name) for name in names])
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


def most_different_first(topics: pl.DataFrame) -> pl.DataFrame:
    """Differences by topic; for each comparison, the topic on which the system is furthest ahead comes first.

    Examples
    --------
    >>> import polars as pl
    >>> labels = {"metric": ["AP"] * 3, "system": ["b"] * 3, "baseline": ["a"] * 3, "topic": ["1", "2", "3"]}
    >>> most_different_first(pl.DataFrame({**labels, "delta": [0.1, -0.4, 0.3]}))["topic"].to_list()
    ['3', '1', '2']
    """
    import polars as pl

    compared = topics.select("metric", "baseline", "system").with_row_index("row")
    first = compared.select(pl.col("row").min().over("metric", "baseline", "system"))["row"]
    ordered = topics.with_columns(first).sort("row", "delta", descending=[False, True], maintain_order=True)
    return ordered.drop("row")


def _compared_systems(scores: Scores, positions: list[int]) -> NDArray[np.intp]:
    """Metric, baseline and system, best first, of every comparison."""
    rows = [
        (metric, base, system)
        for metric, means in enumerate(scores.values.mean(axis=-1))
        for base in positions or [int(means.argmax())]
        for system in np.argsort(-means, kind="stable")
        if system != base
    ]
    return np.array(rows, dtype=np.intp).T
