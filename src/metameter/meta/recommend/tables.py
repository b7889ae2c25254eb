"""From similarity, consistency and power to rows: each alternative held against its canonical metric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.recommend.difference import Difference
from metameter.meta.recommend.verdict import verdict, words

if TYPE_CHECKING:
    import polars as pl

    from metameter.stats.checks import Floats

__all__ = ["recommendation_rows"]

_SCHEMA: dict[str, Any] = {
    "metric": str,
    "canonical": str,
    "tau_to_canonical": float,
    **{f"{what}_{end}": float for what in ("consistency", "power") for end in ("difference", "low", "high")},
    "verdict": str,
    "words": str,
    "group": str,
    **{f"{what}_{end}_se": float for what in ("consistency", "power") for end in ("low", "high")},
    "power_difference_closed": float,
}


def recommendation_rows(
    metrics: tuple[str, ...],
    pairs: dict[str, list[tuple[int, int]]],
    similarity: pl.DataFrame,
    consistency_pairs: pl.DataFrame,
    power: dict[str, Floats],
    similar: float,
) -> pl.DataFrame:
    """The table ``recommendation``, in the order of the metrics.

    Parameters
    ----------
    metrics : tuple of str
    pairs : dict
        Group -> (alternative, its canonical metric), positions among the metrics.
    similarity, consistency_pairs : polars.DataFrame
        As `similarity` and `consistency` make them.
    power : dict of ndarray
        As `power_differences` makes them.
    similar : float
        From this tau on, a metric ranks systems like the canonical one.
    """
    import polars as pl

    taus = {frozenset(names): tau for *names, tau in similarity["metric_a", "metric_b", "statistic"].iter_rows()}
    rows = []
    places = sorted((member, canonical, group) for group, members in pairs.items() for member, canonical in members)
    for number, (member, canonical, group) in enumerate(places):
        names = metrics[member], metrics[canonical]
        tau = taus[frozenset(names)]
        half, half_errors = _consistency(consistency_pairs, *names)
        apart = {key: _plain(values[number]) for key, values in power.items()}
        told = Difference(apart["difference"] or 0.0, apart["low"], apart["high"], apart["difference_closed"])
        rows.append(
            {
                "metric": names[0],
                "canonical": names[1],
                "tau_to_canonical": tau,
                "consistency_difference": half.value,
                "consistency_low": half.low,
                "consistency_high": half.high,
                **{f"power_{key}": value for key, value in apart.items()},
                "verdict": verdict(tau, half, told, similar),
                "words": words(*names, tau, half, told, similar),
                "group": group,
                **half_errors,
            }
        )
    return pl.DataFrame(rows, schema=_SCHEMA)


def _consistency(pairs: pl.DataFrame, metric: str, canonical: str) -> tuple[Difference, dict[str, float | None]]:
    """The difference of a pair, whichever way round it stands in the table."""
    import polars as pl

    columns = ("difference", "low", "high", "low_se", "high_se")
    a, b = pl.col("metric_a"), pl.col("metric_b")
    straight = pairs.filter(a == metric, b == canonical).select(columns)
    if straight.height:
        value, low, high, low_se, high_se = straight.row(0)
    else:
        turned = pairs.filter(a == canonical, b == metric).select(columns).row(0)
        # 0.0 minus, so that zero stays zero without a sign.
        value, high, low = (None if each is None else 0.0 - each for each in turned[:3])
        high_se, low_se = turned[3:]
    return Difference(value, low, high), {"consistency_low_se": low_se, "consistency_high_se": high_se}


def _plain(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
