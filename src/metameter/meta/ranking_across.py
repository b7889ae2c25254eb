"""Rankings of metrics over all collections of a study: wins summed, as the paper sums them over years."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from metameter.meta.base import Across
from metameter.meta.metric_ranking import Contest, ranked_metrics
from metameter.meta.ranking_charts import ranking_chart
from metameter.meta.shown_rows import ALL

if TYPE_CHECKING:
    import polars as pl

__all__ = ["across_rankings"]

_COUNTS = ("wins", "sure_wins")


def across_rankings(results: Mapping[str, Any]) -> Across:
    """The ranking by the sums of wins over all collections, for what all of them have.

    Parameters
    ----------
    results : mapping
        By collection, results with a ranking of metrics as their second table, and the wins over resampled topics.
    """
    rankings = {name: list(result.tables.items())[1] for name, result in results.items()}
    kind, first = next(iter(rankings.values()))
    contests = [_contest(name, table, results[name].resampled) for name, (_, table) in rankings.items()]
    asked = [_asked(table) for _, table in rankings.values()]
    if any(each != asked[0] for each in asked) or not set.intersection(*(set(each.iterations) for each in contests)):
        return Across()
    table = ranked_metrics(contests, *asked[0]).table
    table = table.filter(table["collection"] == ALL).select(first.columns)
    chart = ranking_chart(table, f"Ranks over all {len(results)} collections: {kind.removesuffix('_ranking')}")
    return Across(tables={f"{kind}_all": table}, charts={f"{kind}_all": chart})


def _asked(table: pl.DataFrame) -> tuple[list[str], list[str]]:
    """The sets and the metrics of a ranking."""
    sets, metrics = (table[name].unique(maintain_order=True).to_list() for name in ("simple", "metric"))
    return sets, metrics


def _contest(name: str, table: pl.DataFrame, resampled: Any) -> Contest:
    """The wins of one collection, from its ranking; sums are made anew."""
    single = (table["iteration"] != ALL).to_numpy()
    rows = table.filter(single)
    iterations = tuple(rows["iteration"].unique(maintain_order=True).to_list())
    shape = (len(iterations), *map(len, _asked(table)))
    counts = {each: rows[each].to_numpy().reshape(shape) for each in _COUNTS if each in rows.columns}
    return Contest(name, iterations, counts, resampled[:, single].reshape(len(resampled), *shape))
