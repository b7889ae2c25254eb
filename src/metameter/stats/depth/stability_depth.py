"""The stability depth: the depth from which on the order of the systems stays close to the final order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from metameter.errors import MetameterError
from metameter.stats.checks import Floats, check_level, check_number

if TYPE_CHECKING:
    from metameter.stats.depth.orderings import DepthTaus


_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class StabilityDepth:
    """The depth from which on tau with the final order stays at or above a threshold; arrays (rows,).

    NaN means that no depth before the last one qualifies. At the last depth the order is the final order by definition,
    which is no evidence of stability.

    Attributes
    ----------
    depth : ndarray
        On the observed topics.
    low, high : ndarray
        The interval of that depth for as many topics of this kind.
    threshold, level : float
    """

    depth: Floats
    low: Floats
    high: Floats
    threshold: float
    level: float


def stability_depth(
    taus: DepthTaus, depths: ArrayLike, threshold: float = 0.9, level: float = 0.95, *, together: bool = True
) -> StabilityDepth:
    """Return the stability depth of each row, with simultaneous intervals for all rows.

    The interval is the percentile interval of the depths on resampled topics, Bonferroni-corrected for the rows. It
    estimates the depth from which on the expected tau on as many topics of this kind is at least the threshold.

    Parameters
    ----------
    taus : DepthTaus
        To the final order, (rows, depths): from `depth_bounds`.
    depths : array-like, (depths,)
        Increasing; the last is the final one.
    threshold : float
    level : float
        Confidence of the intervals.
    together : bool
        Whether the level holds for all rows simultaneously, or for each row on its own.

    Examples
    --------
    >>> from metameter.stats.depth.orderings import DepthTaus
    >>> estimate = np.array([[0.5, 0.95, 0.97, 1.0], [0.5, 0.95, 0.8, 1.0]])
    >>> constant = np.broadcast_to(estimate, (9, 2, 4))  # all resamples are equal
    >>> result = stability_depth(DepthTaus(estimate, constant, topics=50), [1, 10, 100, 1000])
    >>> result.depth, result.low, result.high  # the second row falls below 0.9 at depth 100
    (array([10., nan]), array([10., nan]), array([10., nan]))
    """
    check_number(threshold, "threshold", "Give a tau, such as 0.9.")
    tail = (1.0 - check_level(level, "level")) / 2.0 / (len(taus.estimate) if together else 1)
    depth = first_stable_depth(taus.estimate, depths, threshold)
    if not len(taus.resampled):
        none = np.full_like(depth, np.nan)
        return StabilityDepth(depth, none, none, threshold, level)
    # No stability before the end counts as deeper than any depth.
    resampled = first_stable_depth(taus.resampled, depths, threshold)
    drawn, observed = (np.where(np.isnan(values), np.inf, values) for values in (resampled, depth))
    low = np.minimum(np.quantile(drawn, tail, axis=0, method="lower"), observed)
    high = np.maximum(np.quantile(drawn, 1.0 - tail, axis=0, method="higher"), observed)
    low, high = (np.where(np.isinf(end), np.nan, end) for end in (low, high))
    return StabilityDepth(depth, low, high, threshold, level)


def interval_at_all_depths(ends: StabilityDepth, depths: ArrayLike, estimate: Floats) -> tuple[Floats, Floats]:
    """Return the interval of a stability depth among all depths, from resamples at some of them.

    Where the order settles at one of these depths, and not at the one before, it settled at any depth between: the
    lower end is the first of them.

    Parameters
    ----------
    ends : StabilityDepth
        From resamples at ``depths``.
    depths : array-like, (depths,)
        Increasing; the last is the final one.
    estimate : ndarray, (rows,)
        The stability depth among all depths, which the interval contains; NaN if there is none before the last one.

    Examples
    --------
    >>> ends = StabilityDepth(np.array([5.0]), np.array([5.0]), np.array([10.0]), 0.9, 0.95)
    >>> interval_at_all_depths(ends, [1, 2, 5, 10, 20], np.array([7.0]))
    (array([3.]), array([10.]))
    """
    at = np.asarray(depths, dtype=np.float64)
    # Without a stability depth before the last one, it lies behind the last but one.
    first = np.searchsorted(at, np.where(np.isnan(ends.low), at[-1], ends.low))
    low = np.append(0.0, at)[first] + 1.0
    open_end = np.isnan(ends.high) | np.isnan(estimate)
    return np.where(np.isnan(estimate) & np.isnan(ends.low), np.nan, np.fmin(low, estimate)), np.where(
        open_end, np.nan, np.fmax(ends.high, estimate)
    )


def first_stable_depth(taus: ArrayLike, depths: ArrayLike, threshold: float = 0.9) -> Floats:
    """Return the first depth from which on taus (..., depths) stay at or above the threshold; NaN if there is none.

    The last depth does not count. An undefined tau (NaN) counts as below the threshold.

    Examples
    --------
    >>> first_stable_depth([[0.2, 0.95, 0.8, 0.9, 1.0], [0.9, 0.9, 0.9, 0.5, 1.0]], [1, 2, 5, 10, 20])
    array([10., nan])
    """
    values, at = np.asarray(taus, dtype=np.float64), np.asarray(depths, dtype=np.float64)
    if at.shape != values.shape[-1:] or (np.diff(at) <= 0).any():
        fix = "Give the depths of the taus in increasing order."
        raise MetameterError("depths do not fit the taus", given=at.shape, allowed=str(values.shape[-1:]), fix=fix)
    before_the_end = values[..., :-1] >= threshold - _ROUNDING
    stays = np.logical_and.accumulate(before_the_end[..., ::-1], axis=-1)[..., ::-1]
    first = np.count_nonzero(~stays, axis=-1)
    return np.asarray(np.append(at[:-1], np.nan)[first])
