"""The table of `recommend`: each alternative compared with its canonical metric."""

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
    places = sorted((member, canonical, group) for group, members in pairs.items() for member, canonical in members)
    rows = []
    for number, (member, canonical, group) in enumerate(places):
        names = metrics[member], metrics[canonical]
        halves = _consistency(consistency_pairs, *names)
        own = {key: _plain(values[number]) for key, values in power.items()}
        rows.append({**_row(names, taus[frozenset(names)], halves, own, similar), "group": group})
    return pl.DataFrame(rows, schema=_SCHEMA)


def _row(
    names: tuple[str, str],
    tau: float | None,
    halves: tuple[Difference, dict[str, float | None]],
    power: dict[str, float | None],
    similar: float,
) -> dict[str, Any]:
    consistency, errors = halves
    discriminating = Difference(power["difference"] or 0.0, power["low"], power["high"], power["difference_closed"])
    return {
        "metric": names[0],
        "canonical": names[1],
        "tau_to_canonical": tau,
        "consistency_difference": consistency.value,
        "consistency_low": consistency.low,
        "consistency_high": consistency.high,
        **{f"power_{key}": value for key, value in power.items()},
        "verdict": verdict(tau, consistency, discriminating, similar),
        "words": words(*names, tau, consistency, discriminating, similar),
        **errors,
    }


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
