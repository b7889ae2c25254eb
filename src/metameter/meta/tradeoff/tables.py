"""The table of `tradeoff`: each metric's stability and agreement with users, and in what it leads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from metameter.meta.recommend.leaders import leaders
from metameter.registry import metric_named

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["KINDS", "STABILITY", "tradeoff_rows"]

STABILITY = ("consistency", "power")
#: What users say: how satisfied they were, and which page they prefer.
KINDS = ("satisfaction", "preference")


def tradeoff_rows(
    metrics: pl.DataFrame,
    satisfaction: pl.DataFrame | None = None,
    preference: pl.DataFrame | None = None,
    simple: Sequence[str] = (),
) -> pl.DataFrame:
    """Every metric with its figures, in what it leads, and whether it is on the front.

    Parameters
    ----------
    metrics : polars.DataFrame
        The table ``metrics`` of the recommendation.
    satisfaction, preference : polars.DataFrame, optional
        The tables of these names, without metrics that are normalised by the page; what is not in them has no figure.
    simple : sequence of str
        Metrics of one dimension only, which do not compete for the lead in stability.

    Examples
    --------
    >>> import polars as pl
    >>> metrics = pl.DataFrame({"metric": ["AP", "RR"], "consistency": [0.8, 0.5], "power": [0.5, 0.2],
    ...                         "consistency_group": ["a", "b"], "power_group": ["a", "a"]})
    >>> users = pl.DataFrame({"metric": ["AP", "RR"], "concordance": [0.6, 0.7], "beats": [0, 1], "beaten_by": [1, 0]})
    >>> tradeoff_rows(metrics, users)["metric", "consistency_leader", "satisfaction_leader", "front"].rows()
    [('AP', True, False, True), ('RR', False, True, True)]
    """
    table = _stable(metrics, simple)
    for kind, users in zip(KINDS, (satisfaction, preference), strict=True):
        if users is not None:
            known = _agreeing(users, kind).rename({"metric": "_name"}).unique("_name", maintain_order=True)
            named = table.with_columns(_names(table))
            table = named.join(known, on="_name", how="left", maintain_order="left").drop("_name")
    figures = [name for name in (*STABILITY, *KINDS) if name in table.columns]
    return table.with_columns(front=_front(table.select(figures)))


def _stable(metrics: pl.DataFrame, simple: Sequence[str]) -> pl.DataFrame:
    import polars as pl

    groups = [f"{what}_group" for what in STABILITY]
    table = metrics.select("metric", *STABILITY, *groups)
    # What does not measure relevance does not compete either.
    diagnostic = metrics.filter("diagnostic")["metric"].to_list() if "diagnostic" in metrics.columns else []
    competing = table.filter(~pl.col("metric").is_in([*simple, *diagnostic]))
    competing = competing if competing.height else table
    found = leaders(competing)
    led = {"consistency": found.consistent, "power": found.powerful} if found else {}
    known = set(competing["metric"]) if found else set()
    columns = {
        f"{what}_leader": [name in led[what] if name in known else None for name in table["metric"]]
        for what in STABILITY
    }
    return table.with_columns(pl.Series(name, values, dtype=pl.Boolean) for name, values in columns.items())


def _names(table: pl.DataFrame) -> pl.Series:
    """The metrics by the names that pages are scored under: a table may call RBP(p=0.8)*ERG just RBP(p=0.8)."""
    import polars as pl

    return pl.Series("_name", [str(metric_named(name) or name) for name in table["metric"]], dtype=pl.String)


def _agreeing(users: pl.DataFrame, kind: str) -> pl.DataFrame:
    import polars as pl

    # A constant metric beats nobody and is beaten by nobody: that is no lead.
    known = pl.col("concordance").is_not_null() & pl.col("concordance").is_not_nan()
    figures = {"": "concordance", "_low": "concordance_low", "_high": "concordance_high", "_ties": "ties"}
    counts = {"_tau_b": "tau_b", "_beats": "beats", "_beaten_by": "beaten_by"}
    taken = {end: name for end, name in {**figures, **counts}.items() if name in users.columns}
    return users.select(
        "metric",
        *(pl.when(known).then(pl.col(name)).alias(f"{kind}{end}") for end, name in taken.items()),
        pl.when(known).then(pl.col("beaten_by") == 0).alias(f"{kind}_leader"),
    )


def _front(figures: pl.DataFrame) -> pl.Series:
    """Which metrics no other exceeds in all figures; null where a figure is missing.

    Examples
    --------
    >>> import polars as pl
    >>> _front(pl.DataFrame({"x": [1.0, 2.0, 3.0], "y": [1.0, 3.0, None]})).to_list()
    [False, True, None]
    """
    import polars as pl

    values: NDArray[np.float64] = figures.cast(pl.Float64).to_numpy()
    # A figure that is not known is neither higher nor lower than another.
    higher: NDArray[np.bool_] = np.all(values[:, None, :] < values[None, :, :], axis=2)
    unbeaten = pl.Series("front", ~np.any(higher, axis=1), pl.Boolean)
    known = pl.Series(~np.any(np.isnan(values), axis=1))
    return unbeaten.set(~known, None)
