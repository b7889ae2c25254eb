"""From which depth on the ordering by each metric is settled, with an interval of that depth over topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.volatility.tables import frame_of_rows
from metameter.stats.orderings import orderings, tau_to_last
from metameter.stats.settled import settled, settled_depth
from metameter.stats.ties import tied_codes

if TYPE_CHECKING:
    import polars as pl

    from metameter.meta.volatility.families import Family
    from metameter.meta.volatility.summary import Evidence
    from metameter.stats.checks import Floats

__all__ = ["settled_table"]


def settled_table(found: Evidence, threshold: float) -> pl.DataFrame:
    """One row for each metric and kind of list; null where the ordering is not settled before the last depth.

    The depth is the first from which on tau stays at least the threshold at all depths, those included that the other
    tables leave out. Topics are resampled at the kept depths only, so the ends of intervals are among these; they hold
    for all rows together.
    """
    import polars as pl

    codes = tied_codes(found.every_mean)
    depth = settled_depth(tau_to_last(codes, codes[:, -1]), found.every_depth, threshold)
    low, high = np.full_like(depth, np.nan), np.full_like(depth, np.nan)
    if found.bounds is not None and len(found.bounds.tau_to_final.drawn):
        ends = settled(found.bounds.tau_to_final, found.kept, threshold)
        averaged = [family.averaged for family in found.families]
        low = np.where(averaged, np.fmin(ends.low, depth), np.nan)
        # What is not settled before the end has no upper end either.
        open_end = np.isnan(ends.high) | np.isnan(depth) | ~np.array(averaged)
        high = np.where(open_end, np.nan, np.fmax(ends.high, depth))
    columns: dict[str, Any] = {"threshold": threshold, "depth": depth[:, None], "low": low[:, None]}
    final = [_final(family, found.depths[-1]) for family in found.families]
    columns |= {"high": high[:, None], "final": np.array(final, dtype=np.float64)[:, None]}
    columns["tau_at_pool_depth"] = _at_pool(found)[:, None]
    columns["judging_depth"] = np.nan if found.judging.depth is None else float(found.judging.depth)
    columns["judged_share"] = np.array([found.judging.share(depth) for depth in final])[:, None]
    whole = pl.col("depth", "low", "high", "final", "judging_depth").cast(pl.Int64)
    return frame_of_rows(found.families, columns, 1).with_columns(whole)


def _final(family: Family, deepest: int) -> int:
    """The depth of the final ordering: the deepest one, or the last rank that the metric looks at."""
    # A condensed list may be filled from any depth.
    return deepest if family.condensed else family.measure.at(deepest).reach or deepest


def _at_pool(found: Evidence) -> Floats:
    """Tau between the ordering at the pool depth and the final one."""
    if found.at_pool is None:
        return np.full(len(found.families), np.nan)
    both = np.stack([found.at_pool, found.means[:, -1]], axis=1)
    return orderings(both).tau_to_final[:, 0]
