"""The table of `agreement`: a row for every set of simple metrics, iteration and collection of the two rankings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.stats.order_interval import order_interval
from metameter.stats.rank_agreement import exact_rho_p, rank_correlations, rho_p

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["agreement_rows"]

FEWEST = 3


def agreement_rows(
    first: pl.DataFrame, second: pl.DataFrame, drawn: tuple[NDArray[Any], NDArray[Any]] | None = None
) -> pl.DataFrame:
    """Compare the wins of two rankings, group by group.

    Parameters
    ----------
    first, second : polars.DataFrame
        Rankings with the same rows: [collection,] iteration, simple, metric, wins.
    drawn : pair of ndarray, (resamples, rows), optional
        The wins over resampled topics, the same ones for both.

    Examples
    --------
    >>> import polars as pl
    >>> labels = {"iteration": ["1"] * 4, "simple": ["p"] * 4, "metric": list("abcd")}
    >>> one, other = pl.DataFrame({**labels, "wins": [3, 2, 1, 0]}), pl.DataFrame({**labels, "wins": [3, 2, 0, 1]})
    >>> [round(value, 6) for value in agreement_rows(one, other).row(0)[2:5]]
    [0.8, 0.2, 4]
    """
    import polars as pl

    keys = [name for name in ("collection", "iteration", "simple") if name in first.columns]
    groups = first.select(keys).unique(maintain_order=True)
    n = first.height // max(groups.height, 1)
    wins = [frame["wins"].to_numpy().reshape(groups.height, n) for frame in (first, second)]
    rho = rank_correlations(*wins) if n >= FEWEST else np.full(groups.height, np.nan)
    low, high = _range(drawn, groups.height, n)
    exact = [exact_rho_p(*each) if n >= FEWEST else np.nan for each in zip(*wins, strict=True)]
    return groups.with_columns(
        rho=pl.Series(rho),
        p=pl.Series(rho_p(rho, n)),
        n=pl.lit(n, dtype=pl.Int64),
        low=pl.Series(np.where(np.isnan(rho), np.nan, low)),
        high=pl.Series(np.where(np.isnan(rho), np.nan, high)),
        p_exact=pl.Series(np.array(exact, dtype=np.float64)),
    ).with_columns(pl.selectors.float().fill_nan(None))


def _range(drawn: tuple[Any, Any] | None, groups: int, n: int) -> tuple[Any, Any]:
    if drawn is None or n < FEWEST or not len(drawn[0]) or drawn[0].shape != drawn[1].shape:
        return np.full(groups, np.nan), np.full(groups, np.nan)
    return order_interval(rank_correlations(*(each.reshape(len(each), groups, n) for each in drawn)))
