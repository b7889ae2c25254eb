"""The systems of a study side by side: their means by every metric, and which are not shown to differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from metameter.meta.compare.charts import mean_chart
from metameter.meta.compare.latex import paper_table
from metameter.meta.compare.tables import mean_table, means_with_intervals, readable_means
from metameter.meta.compare.text import leaderboard_notes, leading_sentences
from metameter.meta.framework.metric_groups import BY_NAME, groups
from metameter.meta.framework.metric_names import is_canonical
from metameter.meta.framework.requirements import require_complete, require_few_pairs
from metameter.metric.presets import preset
from metameter.parallel import Workers
from metameter.registry import metric_named
from metameter.scoring.manifest import manifest_of
from metameter.stats.significance.pair_tests import run_test
from metameter.types import Scores
from metameter.view.result import Result
from metameter.view.tables.cells import DECIMALS
from metameter.view.tables.columns import printed
from metameter.view.tables.latex import first_rows_latex

if TYPE_CHECKING:
    import polars as pl


_TEST = "max-t"
#: Fewer trials than `compare` has by default: a study compares all pairs by many metrics.
_TRIALS, _RESAMPLES = 500, 1000
#: Memory per pair of systems and metric, as for `compare`.
_BYTES = 210
_OWN_COLUMNS = ("rank", "system", "low", "high", "not_different_from")


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard(Result):
    """What a study shows of `compare`.

    Attributes
    ----------
    tables : dict of polars.DataFrame
        ``leaderboard`` (rank, system, the mean by each metric; low, high and not_different_from by the first metric),
        the best by the first metric first; and ``compare``.
    metrics : tuple of str
    letters : dict of list of str
        Metric -> the groups of the systems, in the order of ``leaderboard``.
    alpha : float
    """

    table_names: ClassVar[tuple[str, ...]] = ("leaderboard", "compare")
    first_columns: ClassVar[tuple[str, ...]] = ("metric", "rank", "system")
    unnamed_columns: ClassVar[frozenset[str]] = frozenset({"group", "rank", "not_different_from"})

    metrics: tuple[str, ...] = ()
    letters: Mapping[str, list[str]] = field(default_factory=dict)
    alpha: float = 0.05

    def conclusion(self) -> list[str]:
        """Which system is first, and how many are not shown to differ from it."""
        return leading_sentences(self.tables["compare"])

    def readable(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """A table for people; ``compare`` without long lists of letters."""
        table = self.tables[self.table_name(name)]
        return readable_means(table) if self.table_name(name) == "compare" else table

    def charts(self) -> dict[str, Any]:
        """The means by the first metric, with their intervals and the means that are not shown to differ."""
        return {"leaderboard": mean_chart(self.tables["compare"], self.metrics[0], (), self.alpha)}

    def latex(self) -> dict[str, str]:
        """Each table as LaTeX; ``leaderboard`` is the table of a paper, with marks of significance."""
        tables = {name: first_rows_latex(printed(name, self.readable(name))) for name in self.tables}
        means = self.tables["leaderboard"]
        if means.height == len(self.letters[self.metrics[0]]):  # marks are for all systems, not for the first rows
            tables["leaderboard"] = paper_table(self._long(), None, (), self.alpha, self.notes[0], "tab:leaderboard")
        return tables

    def _long(self) -> pl.DataFrame:
        """Metric, system, mean and group, in the order of the table."""
        import polars as pl

        board = self.tables["leaderboard"]
        parts = [
            board.select(pl.lit(metric).alias("metric"), "system", pl.col(_column(metric)).alias("mean")).with_columns(
                pl.Series("group", self.letters[metric], dtype=pl.String)
            )
            for metric in self.metrics
        ]
        return pl.concat(parts)


def _column(metric: str) -> str:
    """The column of the means by a metric; scores from other tools may have any names."""
    return f"mean {metric}" if metric in _OWN_COLUMNS else metric


def leaderboard_metrics(metrics: tuple[str, ...]) -> list[int]:
    """Return the positions of the metrics by which a study shows the systems.

    Of a grid of browsing models and aggregations, such as the presets of papers, only everyday metrics are shown; if
    nothing else is scored, the canonical metrics of its browsing models.

    Examples
    --------
    >>> grid = tuple(f"{model}*{how}" for model in ("RBP(p=0.8)", "INST(T=2.25)") for how in ("ERG", "max", "fin"))
    >>> leaderboard_metrics(("AP", *grid))
    [0, 1, 4]
    >>> leaderboard_metrics(("AP", "RBP(p=0.8)*max"))
    [0, 1]
    >>> leaderboard_metrics(tuple(name.replace("(p=0.8)", "(p=0.5)").replace("2.25", "1") for name in grid))
    [0, 3]
    """
    grouped = groups(metrics)
    if len(grouped) == 1:
        return list(range(len(metrics)))
    in_grid = {position for name, members in grouped.items() if name != BY_NAME for position in members}
    everyday = {str(metric_named(name)) for name in preset("everyday")}
    chosen = [position for position, name in enumerate(metrics) if position not in in_grid or name in everyday]
    return chosen or [position for position, name in enumerate(metrics) if is_canonical(name)]


def leaderboard_of(
    scores: Scores,
    *,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int | Workers | None = None,
    progress: Callable[..., None] | None = None,
) -> Leaderboard:
    """Return the systems by their means, with the verdicts of `compare` on all pairs, from fewer trials.

    Parameters
    ----------
    scores : Scores
    alpha : float
        Pairs with p below it differ significantly; intervals are of the level 1 - alpha.
    seed : int
    jobs : int or Workers, optional
    progress : callable, optional
    """
    scores = require_complete(scores)
    chosen = leaderboard_metrics(scores.metrics)
    names = tuple(scores.metrics[position] for position in chosen)
    scores = Scores(names, scores.systems, scores.topics, scores.values[chosen], scores.manifest)
    require_few_pairs(scores, _BYTES)
    workers = Workers.of(jobs)
    pairs = run_test(scores.matrix, _TEST, trials=_TRIALS, alpha=alpha, seed=seed, jobs=workers, progress=progress)
    intervals = means_with_intervals(scores, _RESAMPLES, alpha, seed, workers)
    means = mean_table(scores, intervals, pairs.pvalue < alpha)
    board = _wide(means, names)
    manifest = manifest_of(
        procedure="leaderboard", test=_TEST, trials=_TRIALS, resamples=_RESAMPLES, alpha=alpha, seed=seed
    )
    return Leaderboard(
        {"leaderboard": board, "compare": means},
        {**manifest, "scores": scores.manifest},
        leaderboard_notes(pairs, _TEST, alpha, topics=len(scores.topics), resamples=_RESAMPLES),
        metrics=names,
        letters=_letters_in_order(means, board["system"].to_list()),
        alpha=alpha,
    )


def _wide(means: pl.DataFrame, metrics: tuple[str, ...]) -> pl.DataFrame:
    """A row a system, the best by the first metric first; intervals by the first metric only."""
    import polars as pl

    first, *others = metrics
    mean = pl.col("mean")
    of_first = means.filter(pl.col("metric") == first)
    board = of_first.select("rank", "system", mean.alias(_column(first)), "low", "high", "not_different_from")
    for metric in others:
        column = means.filter(pl.col("metric") == metric).select("system", mean.alias(_column(metric)))
        board = board.join(column, on="system", how="left", maintain_order="left")
    return board


def _letters_in_order(means: pl.DataFrame, systems: list[str]) -> dict[str, list[str]]:
    letters: dict[str, list[str]] = {}
    for part in means.partition_by("metric", maintain_order=True):
        of_system = dict(part.select("system", "group").iter_rows())
        letters[part["metric"][0]] = [of_system[system] for system in systems]
    return letters
