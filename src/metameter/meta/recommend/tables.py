"""The table of `recommend`: each alternative compared with its canonical metric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.consistency.tables import about_observed
from metameter.meta.recommend.difference import Difference
from metameter.meta.recommend.verdict import verdict, words
from metameter.parallel import Workers
from metameter.stats.tukey_power import resampled_power, tukey_power

if TYPE_CHECKING:
    import polars as pl

    from metameter.stats.checks import Floats

__all__ = ["power_differences", "recommendation_rows"]

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


def power_differences(
    matrix: Floats,
    observed: Floats,
    pairs: dict[str, list[tuple[int, int]]],
    *,
    resamples: int,
    alpha: float,
    seed: int,
    jobs: int | Workers | None,
) -> dict[str, Floats]:
    """Power of each alternative minus that of its canonical metric, with its interval for other topics.

    The difference is the observed one. How far it moves is how far the closed-form difference moves when topics are
    resampled. Resampled means are noisier than those over the topics themselves, so systems look further apart and
    all powers are too high: that shift, as far as it is unequal, is taken out.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    observed : ndarray, (metrics,)
        The power of each metric by the test that was asked for.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> matrix = np.linspace(0, 1, 8) + rng.normal(0, 0.5, (2, 20, 8)) * np.array([1.0, 4.0])[:, None, None]
    >>> found = power_differences(matrix, tukey_power(matrix), {"RBP": [(1, 0)]},
    ...                           resamples=100, alpha=0.05, seed=0, jobs=1)
    >>> {key: float(found[key].round(2)[0]) for key in ("difference", "low", "high")}
    {'difference': -0.32, 'low': -0.48, 'high': -0.11}
    """
    places = sorted(place for members in pairs.values() for place in members)
    first, second = (np.array([place[side] for place in places], dtype=np.intp) for side in (0, 1))
    closed = tukey_power(matrix, alpha)
    resampled = resampled_power(matrix, resamples, alpha=alpha, seed=seed, jobs=jobs)
    difference = observed[first] - observed[second]
    ends, errors = about_observed(resampled[:, first] - resampled[:, second], difference)
    return {"difference": difference, **ends, **errors, "difference_closed": closed[first] - closed[second]}


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
