"""The central part of resampled values among which may be infinite and undefined ones: read off, never interpolated."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from metameter.stats.checks import Interval, check_level

if TYPE_CHECKING:
    from metameter.stats.checks import Floats

__all__ = ["order_interval"]


def order_interval(draws: Floats, level: float = 0.95) -> Interval:
    """The values between which the central ``level`` of the draws lie, along the first axis; NaN does not count.

    Examples
    --------
    >>> order_interval(np.array([-np.inf, *range(97), np.nan, np.nan, np.nan])[:, None])  # 98 draws that count
    Interval(low=array([1.]), high=array([94.]))
    """
    tail = (1.0 - check_level(level, "level")) / 2.0
    ordered = np.sort(draws, axis=0)  # NaN goes last
    count = (~np.isnan(draws)).sum(axis=0)
    ends = []
    for share in (tail, 1.0 - tail):
        place = np.maximum(np.ceil(share * count - 1e-9).astype(np.int64) - 1, 0)
        ends.append(
            np.take_along_axis(ordered, place[None], axis=0)[0] if len(ordered) else np.full(count.shape, np.nan)
        )
    return Interval(*ends)
