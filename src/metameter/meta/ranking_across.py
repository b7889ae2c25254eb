"""Rankings of metrics over all collections of a study: wins summed, as the paper sums them over years."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.base import Across
from metameter.meta.metric_ranking import rank_ends
from metameter.meta.ranking_charts import ranking_chart
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
    import polars as pl

    places = [frame.select(_KEYS).with_row_index(f"place_{n}") for n, frame in enumerate(rankings)]
    shared = places[0]
    for other in places[1:]:
        shared = shared.join(other, on=_KEYS, how="inner", maintain_order="left")
    rows = [shared[f"place_{n}"].to_numpy() for n in range(len(rankings))]
    counted = [name for name in ("wins", "sure_wins") if name in rankings[0].columns]
    sums = {
        name: np.sum([frame[name].to_numpy()[at] for frame, at in zip(rankings, rows, strict=True)], axis=0)
        for name in counted
    }
    table = shared.select(_KEYS)
    groups = table.select(pl.struct("iteration", "simple").rle_id()).to_series().to_numpy()
    drawn = _drawn(resampled, rows)
    columns: dict[str, Any] = {"wins": sums["wins"], "rank": _by_group(sums["wins"][None], groups)[0]}
    columns |= dict(zip(("rank_low", "rank_high"), rank_ends(_by_group(drawn, groups)), strict=True))
    columns |= {name: each for name, each in sums.items() if name != "wins"}
    return table.with_columns(**{name: pl.Series(each, dtype=pl.Int64) for name, each in columns.items()})


def _drawn(resampled: list[Any], rows: list[Any]) -> Any:
    """Summed wins over resampled topics, (resamples, rows); none where a collection has none."""
    fewest = min(len(each) for each in resampled)
    moved = [np.roll(each[:fewest], place, axis=0) for place, each in enumerate(resampled)]
    return np.sum([each[:, at] for each, at in zip(moved, rows, strict=True)], axis=0)


def _by_group(wins: Any, groups: Any) -> Any:
    """Dense ranks within each group of rows, (resamples, rows)."""
    parts = [dense_ranks(wins[:, groups == group]) for group in dict.fromkeys(groups.tolist())]
    return np.concatenate(parts, axis=1) if parts else np.zeros(wins.shape, dtype=np.int64)
