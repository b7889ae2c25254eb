"""Rankings of metrics by how many others they beat: table, chart and LaTeX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metameter.meta.base import Across
from metameter.meta.framework.metric_charts import aggregation_colours
from metameter.meta.framework.table_rows import ALL, few_iterations, iterations_of, one_collection
from metameter.stats.dimensions.metric_wins import dense_ranks
from metameter.view.escape import escape_latex
from metameter.view.tables.latex import row, table, tabular

if TYPE_CHECKING:
    import polars as pl


_COUNTS = ("wins", "sure_wins")

_LABELS = ("collection", "iteration", "simple", "metric")
_LOW, _HIGH = 0.025, 0.975

_LINES = (
    "Rank 1 is the best; joined dots share a rank. Click a line to highlight its metric in all panels; point at a dot "
    "for details."
)
_BEST = "Rank 1 is the best."
_RANGES = "Lines: the middle 95% of the ranks over resampled topics."

_ABREAST = 20  # columns of ranks that fit both columns of a paper
_NARROW = 8  # and one of them


@dataclass(frozen=True, eq=False)
class RankedMetrics:
    """A ranking, and the wins over resampled topics.

    Attributes
    ----------
    table : polars.DataFrame
        collection, iteration (as text), simple, metric, wins, rank, rank_low, rank_high, and other counts.
    resampled : ndarray of int, (resamples, rows)
        The wins in each resample; no rows without resamples.
    """

    table: pl.DataFrame
    resampled: NDArray[np.int16]


class Contest(NamedTuple):
    """The wins of one collection.

    Attributes
    ----------
    name : str
    iterations : tuple of str
    counts : mapping
        ``wins`` and other counts -> array, (iterations, sets, metrics).
    resampled : ndarray, (resamples, iterations, sets, metrics), or None
        The wins over resampled topics.
    """

    name: str
    iterations: tuple[str, ...]
    counts: Mapping[str, NDArray[Any]]
    resampled: NDArray[np.int16] | None


def ranked_metrics(contests: Sequence[Contest], sets: Sequence[str], metrics: Sequence[str]) -> RankedMetrics:
    """Sum wins over iterations and collections, and rank: rank 1 has the most wins, ties share a rank without a gap.

    Parameters
    ----------
    contests : sequence of Contest
        One for each collection.
    sets, metrics : sequence of str
        The labels of the sets of simple metrics, and the names of the metrics.
    """
    import polars as pl

    groups = _groups(contests)
    cells = {name: _summed([each.counts[name] for each in contests], groups) for name in contests[0].counts}
    ranks = dense_ranks(cells["wins"])
    resampled = _resampled_wins(contests, groups, ranks.shape)
    low, high = rank_ends(dense_ranks(resampled))
    order = {"wins": cells.pop("wins"), "rank": ranks, "rank_low": low, "rank_high": high, **cells}
    columns = {name: _column(each) for name, each in order.items()}
    rows = [(*group[:2], label, metric) for group in groups for label in sets for metric in metrics]
    labels = pl.DataFrame(rows, schema=dict.fromkeys(_LABELS, pl.String), orient="row")
    return RankedMetrics(labels.with_columns(**columns), resampled.reshape(len(resampled), ranks.size))


Group = tuple[str, str, list[tuple[int, int]]]


def _groups(contests: Sequence[Contest]) -> list[Group]:
    """Collection, iteration, and the cells (numbers of a collection and of an iteration in it) that they sum."""
    # Sums exist even for a single collection or iteration, so that programs find them in every table.
    collections = [*((each.name, [number]) for number, each in enumerate(contests)), (ALL, list(range(len(contests))))]
    every = dict.fromkeys(iteration for each in contests for iteration in each.iterations)
    iterations = [*((each, {each}) for each in sorted(every, key=int)), (ALL, set(every))]
    groups = []
    for collection, numbers in collections:
        # Sums over collections are of the iterations that all of them have.
        shared = set.intersection(*(set(contests[number].iterations) for number in numbers))
        for iteration, members in iterations:
            summed = members & shared
            cells = [(n, at) for n in numbers for at, each in enumerate(contests[n].iterations) if each in summed]
            groups += [(collection, iteration, cells)] if cells else []
    return groups


def _summed(arrays: Sequence[NDArray[Any]], groups: list[Group]) -> NDArray[Any]:
    """Sums over cells, ([resamples,] groups, sets, metrics)."""
    sums = [sum(arrays[number][..., at, :, :] for number, at in cells) for _, _, cells in groups]
    return np.stack(sums, axis=-3)


def _resampled_wins(contests: Sequence[Contest], groups: list[Group], shape: tuple[int, ...]) -> NDArray[Any]:
    """The sums of the wins over resampled topics; empty if a collection has none."""
    resampled = [each.resampled for each in contests if each.resampled is not None]
    fewest = min(map(len, resampled), default=0) if len(resampled) == len(contests) else 0
    if not fewest:
        return np.zeros((0, *shape), dtype=np.int16)
    # All collections have the same resamples; each is shifted by one more, so that sums are of independent resamples.
    return _summed([np.roll(each[:fewest], shift, axis=0) for shift, each in enumerate(resampled)], groups)


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


def across_rankings(results: Mapping[str, Any]) -> Across:
    """The ranking by the sums of wins over all collections, for the iterations that all of them have.

    Parameters
    ----------
    results : mapping
        By collection, results with a ranking of metrics as their second table, and the wins over resampled topics.
    """
    rankings = {name: list(result.tables.items())[1] for name, result in results.items()}
    kind, first = next(iter(rankings.values()))
    contests = [_contest(name, table, results[name].resampled) for name, (_, table) in rankings.items()]
    labels = [_sets_and_metrics(table) for _, table in rankings.values()]
    if any(each != labels[0] for each in labels) or not set.intersection(*(set(each.iterations) for each in contests)):
        return Across()
    table = ranked_metrics(contests, *labels[0]).table
    table = table.filter(table["collection"] == ALL).select(first.columns)
    chart = ranking_chart(table, f"Ranks over all {len(results)} collections: {kind.removesuffix('_ranking')}")
    return Across(tables={f"{kind}_all": table}, charts={f"{kind}_all": chart})


def _sets_and_metrics(table: pl.DataFrame) -> tuple[list[str], list[str]]:
    """The sets and the metrics of a ranking."""
    sets, metrics = (table[name].unique(maintain_order=True).to_list() for name in ("simple", "metric"))
    return sets, metrics


def _contest(name: str, table: pl.DataFrame, resampled: Any) -> Contest:
    """The wins of one collection, from its ranking without sums."""
    single = (table["iteration"] != ALL).to_numpy()
    rows = table.filter(single)
    iterations = tuple(rows["iteration"].unique(maintain_order=True).to_list())
    shape = (len(iterations), *map(len, _sets_and_metrics(table)))
    counts = {each: rows[each].to_numpy().reshape(shape) for each in _COUNTS if each in rows.columns}
    return Contest(name, iterations, counts, resampled[:, single].reshape(len(resampled), *shape))


def ranking_chart(ranking: pl.DataFrame, title: str) -> Any:
    """A line per metric along the iterations, a panel per set of simple metrics; for one iteration, dots with ranges.

    Parameters
    ----------
    ranking : polars.DataFrame
        The table ``intuitiveness_ranking`` or ``unanimity_ranking``; ``collection``, ``rank_low`` and ``rank_high`` may
        be missing. The ranks over all collections are shown, if there are such rows; else those of the first.
    title : str
    """
    from metameter.view.charts import bump, rank_intervals

    rows, which = one_collection(ranking)
    iterations, sets = iterations_of(rows), rows["simple"].unique(maintain_order=True).to_list()
    known = "rank_low" in rows.columns and rows["rank_low"].is_not_null().any()
    low, high = ("rank_low", "rank_high") if known else (None, None)
    ends = ["rank_low", "rank_high"] if known else []
    if len(iterations) < 2:
        below = " ".join(filter(None, [_BEST, _RANGES if known else "", which]))
        return rank_intervals(rows, "metric", "rank", low, high, "simple", ("wins",), title=title, below=[below])
    ordered = rows.sort(_in_order("simple", sets), _in_order("iteration", iterations), maintain_order=True)
    return bump(
        ordered.select("simple", "iteration", "metric", "rank", "wins", *ends),
        *("iteration", "rank", "metric", "simple", ("wins", *ends)),
        apart=ALL,
        title=title,
        below=[" ".join([_LINES, which]).strip()],
        colours=_colours,
    )


def _in_order(column: str, values: Sequence[str]) -> pl.Expr:
    import polars as pl

    return pl.col(column).replace_strict({value: number for number, value in enumerate(values)})


def _colours(names: Sequence[str]) -> list[str] | None:
    """The colours of the aggregations, if each metric is a product with an aggregation of its own."""
    from metameter.view.charts.theme import PALETTE

    colours = aggregation_colours([name.rpartition("*")[2].partition("@")[0] for name in names])
    whole = all("*" in name for name in names) and len(set(colours)) == len(colours) and set(colours) <= set(PALETTE)
    return colours if whole else None


def ranking_latex(ranking: pl.DataFrame, caption: str, label: str) -> str:
    r"""A row a metric; for each set of simple metrics its ranks at the first, third and last iteration and over all.

    Parameters
    ----------
    ranking : polars.DataFrame
        The table ``intuitiveness_ranking`` or ``unanimity_ranking``; ``collection`` may be missing. The ranks over all
        collections are printed, if there are such rows; else those of the first.
    caption : str
        LaTeX, printed as it is.
    label : str

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"iteration": ["1", "2", "All"] * 2, "simple": ["Rel"] * 6,
    ...                       "metric": ["ACT"] * 3 + ["nCT"] * 3, "rank": [2, 1, 2, 1, 1, 1]})
    >>> print(ranking_latex(frame, "Ranks.", "tab:ranks"))
    \begin{table}
    \centering
    \caption{Ranks.}
    \label{tab:ranks}
    \begin{tabular}{lrrr}
    \toprule
     & \multicolumn{3}{c}{Rel} \\
    \cmidrule(lr){2-4}
    Metric/Iteration & 1 & 2 & All \\
    \midrule
    ACT & 2 & 1 & 2 \\
    nCT & 1 & 1 & 1 \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    rows, _ = one_collection(ranking)
    iterations = few_iterations(iterations_of(rows), third=True)
    cells = {
        (simple, iteration, metric): "" if rank is None else str(rank)
        for simple, iteration, metric, rank in rows.select("simple", "iteration", "metric", "rank").iter_rows()
    }
    sets = rows["simple"].unique(maintain_order=True).to_list()
    metrics = rows["metric"].unique(maintain_order=True).to_list()
    abreast = max(1, _ABREAST // max(1, len(iterations)))
    lines: list[str] = []
    for start in range(0, len(sets), abreast):
        lines += _band(cells, sets[start : start + abreast], iterations, metrics)
    wide = min(abreast, len(sets)) * len(iterations) > _NARROW
    small = [r"\small\setlength{\tabcolsep}{4pt}"] * wide
    return "\n".join(table([*small, *lines], caption, label, environment="table*" if wide else "table"))


def _band(
    cells: dict[tuple[Any, Any, Any], str], sets: Sequence[Any], iterations: Sequence[Any], metrics: Sequence[Any]
) -> list[str]:
    """The rows for sets that fit side by side."""
    each = len(iterations)
    body = [
        row([escape_latex(str(metric)), *(cells.get((s, i, metric), "") for s in sets for i in iterations)])
        for metric in metrics
    ]
    names = [escape_latex(str(name)) for name in sets]
    if each == 1:
        head = [row(["Metric", *names])]
    else:
        over = [rf"\multicolumn{{{each}}}{{c}}{{{name}}}" for name in names]
        rules = " ".join(rf"\cmidrule(lr){{{2 + each * n}-{1 + each * (n + 1)}}}" for n in range(len(sets)))
        steps = [escape_latex(str(iteration)) for _ in sets for iteration in iterations]
        head = [row(["", *over]), rules, row(["Metric/Iteration", *steps])]
    return tabular("l" + "r" * (each * len(sets)), head, body)
