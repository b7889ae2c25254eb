"""From which depth on the ordering by each metric is settled, with an interval of that depth for all topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.volatility.tables import frame_of_rows
from metameter.stats.orderings import orderings
from metameter.stats.settled import settled, settled_depth

if TYPE_CHECKING:
    import polars as pl

    from metameter.meta.volatility.summary import Evidence
    from metameter.stats.checks import Floats

__all__ = ["settled_table"]


def settled_table(found: Evidence, threshold: float) -> pl.DataFrame:
    """One row for each metric and kind of list; null where the ordering is not settled before the last depth.

    The depth is the first of the kept depths from which on tau stays at least the threshold at all of them; the
    intervals hold for all rows together.
    """
    import polars as pl

    at = np.searchsorted(found.depths, found.kept)
    taus = orderings(found.means[:, at]).tau_to_final
    depth = settled_depth(taus, found.kept, threshold)
    low, high = np.full_like(depth, np.nan), np.full_like(depth, np.nan)
    if found.bounds is not None:
        ends = settled(found.bounds.tau_to_final, found.kept, threshold)
        averaged = [family.averaged for family in found.families]
        low, high = (np.where(averaged, end, np.nan) for end in (ends.low, ends.high))
    columns: dict[str, Any] = {"threshold": threshold, "depth": depth[:, None], "low": low[:, None]}
    columns |= {"high": high[:, None], "final": float(found.depths[-1])}
    columns["tau_at_pool_depth"] = _at_pool(found)[:, None]
    whole = pl.col("depth", "low", "high", "final").cast(pl.Int64)
    return frame_of_rows(found.families, columns, 1).with_columns(whole)


def _at_pool(found: Evidence) -> Floats:
    """Tau between the ordering at the pool depth and the final one."""
    if found.at_pool is None:
        return np.full(len(found.families), np.nan)
    both = np.stack([found.at_pool, found.means[:, -1]], axis=1)
    return orderings(both).tau_to_final[:, 0]
