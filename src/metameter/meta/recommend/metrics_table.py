"""All metrics side by side: consistency and power with groups of ties, and which ones no other beats in both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.recommend.comparisons import named_metrics
from metameter.stats.all_pairs import differing_pairs
from metameter.stats.letters import group_names

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from metameter.meta.recommend.evidence import Evidence
    from metameter.stats.checks import Floats

__all__ = ["metric_rows"]

_SCHEMA: dict[str, Any] = {
    "metric": str,
    "consistency": float,
    "power": float,
    "front": bool,
    "consistency_group": str,
    "power_group": str,
    "beats": int,
    "beaten_by": int,
    "named": bool,
}


def metric_rows(
    metrics: tuple[str, ...],
    found: Evidence,
    figures: tuple[Floats, Floats],
    case: dict[str, Any],
    *,
    units: int,
    alpha: float,
) -> pl.DataFrame:
    """Every metric: consistency, power, whether it is on the front, and with which others it is level.

    Parameters
    ----------
    metrics : tuple of str
    found : Evidence
        What the comparisons have decided is decided here too.
    figures : tuple of ndarray, (metrics,)
        Consistency and power, as `consistency` and `power` print them.
    case : dict
        ``similar``, ``margin``, ``row``: what the verdicts depend on besides.
    units : int
        How many topics (or systems) the resamples are drawn from.
    alpha : float
        The chance that any two metrics that do not differ, and were not compared in `found`, share no letter.
    """
    import polars as pl

    draws = found.draws
    consistency, power = figures
    columns: dict[str, Any] = {
        "metric": list(metrics),
        "consistency": consistency,
        "power": power,
        "front": _front(consistency, power),
        "named": np.isin(np.arange(len(metrics)), named_metrics(metrics)),
    }
    if len(draws.power):
        differs = differing_pairs(draws, topics=units, alpha=alpha)
        # What the rows have decided is decided here too.
        shown, same = found.decided(case)
        differs = tuple((apart | row) & ~alike for apart, row, alike in zip(differs, shown, same, strict=True))
        for what, values, apart in zip(("consistency", "power"), (consistency, power), differs, strict=True):
            columns[f"{what}_group"] = group_names(apart, np.argsort(-values, kind="stable"))
        above, below = _shown(differs, (consistency, power)), _shown(differs, (-consistency, -power))
        # In one of the two, and not the other way round in the other.
        columns |= {"beats": (below & ~above).sum(axis=1), "beaten_by": (above & ~below).sum(axis=1)}
    columns |= {name: [None] * len(metrics) for name in _SCHEMA if name not in columns}
    return pl.DataFrame({name: columns[name] for name in _SCHEMA}, _SCHEMA)


def _front(consistency: Floats, power: Floats) -> NDArray[np.bool_]:
    """Which metrics no other exceeds in both.

    Examples
    --------
    >>> _front(np.array([0.9, 0.8, 0.7]), np.array([0.1, 0.3, 0.2])).tolist()
    [True, True, False]
    """
    beaten = (consistency[:, None] < consistency) & (power[:, None] < power)
    return np.asarray(~beaten.any(axis=1))


def _shown(differs: tuple[NDArray[np.bool_], ...], values: tuple[Floats, ...]) -> NDArray[np.bool_]:
    """Where the column's metric is shown to be above the row's in one of the two."""
    above = [apart & (value[:, None] < value) for apart, value in zip(differs, values, strict=True)]
    return np.asarray(above[0] | above[1])
