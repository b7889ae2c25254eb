"""The central part of resampled values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.stats.checks import Interval, check_level

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["as_float", "percentile_interval"]


def percentile_interval(distribution: ArrayLike, level: float = 0.95) -> Interval:
    """Return the central ``level`` of a distribution of replicates along the first axis, ignoring NaN.

    Examples
    --------
    >>> percentile_interval(np.arange(101), level=0.5)
    Interval(low=25.0, high=75.0)
    """
    tail = (1.0 - check_level(level, "level")) / 2.0
    values = np.asarray(distribution, dtype=np.float64)
    empty = np.isnan(values).all(axis=0)
    values = np.where(empty, 0.0, values)
    # The version that skips NaN is many times slower; both give the same where there is none.
    quantile = np.nanquantile if np.isnan(values).any() else np.quantile
    low, high = quantile(values, [tail, 1.0 - tail], axis=0)
    return Interval(*(as_float(np.where(empty, np.nan, bound)) for bound in (low, high)))


def as_float(value: Any) -> Any:
    """Return an array without axes as a plain float, and any other array as it is.

    Examples
    --------
    >>> as_float(np.array(0.5)), as_float(np.array([0.5]))
    (0.5, array([0.5]))
    """
    return float(value) if np.ndim(value) == 0 else value
