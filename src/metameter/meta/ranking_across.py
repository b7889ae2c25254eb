"""Rankings of metrics over all collections of a study: wins summed, as the paper sums them over years."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.base import Across
from metameter.meta.metric_ranking import rank_ends
from metameter.meta.ranking_charts import ranking_chart
from metameter.meta.shown_rows import ALL
from metameter.stats.metric_wins import dense_ranks

if TYPE_CHECKING:
    import polars as pl

__all__ = ["across_rankings"]

_KEYS = ["iteration", "simple", "metric"]


def across_rankings(results: Mapping[str, Any]) -> Across:
    """The ranking by the sums of wins over all collections, for what all of them have.

    Parameters
    ----------
    results : mapping
        By collection, results with a ranking of metrics as their second table, and the wins over resampled topics.
    """
    rankings = [list(result.tables.items())[1] for result in results.values()]
    name = rankings[0][0]
    table = _summed([frame for _, frame in rankings], [result.resampled for result in results.values()])
    if not table.height:
        return Across()
    chart = ranking_chart(table, f"Ranks over all {len(results)} collections: {name.removesuffix('_ranking')}")
    return Across(tables={f"{name}_all": table}, charts={f"{name}_all": chart})


def _summed(rankings: list[pl.DataFrame], resampled: list[Any]) -> pl.DataFrame:
    """Sums for the iterations, sets and metrics that all collections have, and over these iterations."""
    import polars as pl

    single = [frame.with_row_index("place").filter(pl.col("iteration") != ALL) for frame in rankings]
    shared = single[0].select(_KEYS)
    for other in single[1:]:
        shared = shared.join(other.select(_KEYS), on=_KEYS, how="semi", maintain_order="left")
    if not shared.height:
        return shared
    rows = [shared.join(each, on=_KEYS, maintain_order="left") for each in single]
    iterations = shared["iteration"].unique(maintain_order=True).to_list()
    counts = {
        name: _over(np.sum([each[name].to_numpy() for each in rows], axis=0)[None], len(iterations))
        for name in ("wins", "sure_wins")
        if name in rankings[0].columns
    }
    drawn = _over(_drawn(resampled, [each["place"].to_numpy() for each in rows]), len(iterations))
    labels = shared.head(shared.height // len(iterations)).drop("iteration")
    table = pl.concat([labels.select(pl.lit(each).alias("iteration"), pl.all()) for each in (*iterations, ALL)])
    metrics = labels["metric"].n_unique()
    ranks, low, high = _ranks(counts["wins"], metrics)[0], *rank_ends(_ranks(drawn, metrics))
    columns = {"wins": counts.pop("wins")[0], "rank": ranks, "rank_low": low, "rank_high": high}
    columns |= {name: each[0] for name, each in counts.items()}
    return table.with_columns(**{name: pl.Series(each, dtype=pl.Int64) for name, each in columns.items()})


def _drawn(resampled: list[Any], places: list[Any]) -> Any:
    """Summed wins over resampled topics, (resamples, rows); none where a collection has none."""
    fewest = min(len(each) for each in resampled)
    # Draws of one number are the same for all collections: one further each, so that they are independent.
    moved = [np.roll(each[:fewest], place, axis=0) for place, each in enumerate(resampled)]
    return np.sum([each[:, at] for each, at in zip(moved, places, strict=True)], axis=0)


def _over(wins: Any, iterations: int) -> Any:
    """The same with rows for the sums over iterations behind, (resamples, rows)."""
    by_iteration = wins.reshape(len(wins), iterations, -1)
    return np.concatenate([wins, by_iteration.sum(axis=1)], axis=1)


def _ranks(wins: Any, metrics: int) -> Any:
    """Dense ranks of the metrics of each iteration and set, (resamples, rows)."""
    return dense_ranks(wins.reshape(len(wins), -1, metrics)).reshape(wins.shape)
