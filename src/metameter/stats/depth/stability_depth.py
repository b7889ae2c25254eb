"""From which depth on is the order of the systems settled? The depth, and its interval over topics."""

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
    """The depth from which on tau to the final order stays at or above a threshold; all arrays (rows,).

    NaN means: not before the end of the depths. At the last depth the order is the final one, whatever the topics say;
    that is no evidence that it had settled.

    Attributes
    ----------
    depth : ndarray
        On these topics.
    low, high : ndarray
        The interval of that depth for as many topics like these.
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
    """Find the depth from which on each row's order is settled, with intervals that hold for all rows at once.

    The interval is that of the depths found on resampled topics, between percentiles; the level is divided among the
    rows (Bonferroni). It is to hold the depth from which on the tau to be expected on as many topics like these is at
    least the threshold.

    Parameters
    ----------
    taus : DrawnTaus
        To the final order, (rows, depths): from `depth_bounds`.
    depths : array-like, (depths,)
        Rising; the last is the final one.
    threshold : float
    level : float
        How often the intervals are to hold the depths.
    together : bool
        Of all rows at once; otherwise of each row for itself.

    Examples
    --------
    >>> from metameter.stats.depth.orderings import DepthTaus
    >>> estimate = np.array([[0.5, 0.95, 0.97, 1.0], [0.5, 0.95, 0.8, 1.0]])
    >>> certain = np.broadcast_to(estimate, (9, 2, 4))  # every resample says the same
    >>> found = stability_depth(DepthTaus(estimate, certain, topics=50), [1, 10, 100, 1000])
    >>> found.depth, found.low, found.high  # the second row is stability_depth at the end only
    (array([10., nan]), array([10., nan]), array([10., nan]))
    """
    check_number(threshold, "threshold", "Give a tau, such as 0.9.")
    tail = (1.0 - check_level(level, "level")) / 2.0 / (len(taus.estimate) if together else 1)
    depth = first_stable_depth(taus.estimate, depths, threshold)
    if not len(taus.drawn):
        none = np.full_like(depth, np.nan)
        return StabilityDepth(depth, none, none, threshold, level)
    # What is not settled before the end is deeper than all else.
    resampled = first_stable_depth(taus.drawn, depths, threshold)
    drawn, here = (np.where(np.isnan(each), np.inf, each) for each in (resampled, depth))
    low = np.minimum(np.quantile(drawn, tail, axis=0, method="lower"), here)
    high = np.maximum(np.quantile(drawn, 1.0 - tail, axis=0, method="higher"), here)
    low, high = (np.where(np.isinf(end), np.nan, end) for end in (low, high))
    return StabilityDepth(depth, low, high, threshold, level)


def first_stable_depth(taus: ArrayLike, depths: ArrayLike, threshold: float = 0.9) -> Floats:
    """The first depth from which on taus (..., depths) stay at or above the threshold; NaN if only the last one is.

    A tau that is undefined (NaN) is not above.

    Examples
    --------
    >>> first_stable_depth([[0.2, 0.95, 0.8, 0.9, 1.0], [0.9, 0.9, 0.9, 0.5, 1.0]], [1, 2, 5, 10, 20])
    array([10., nan])
    """
    values, at = np.asarray(taus, dtype=np.float64), np.asarray(depths, dtype=np.float64)
    if at.shape != values.shape[-1:] or (np.diff(at) <= 0).any():
        fix = "Give the depths of the taus, rising."
        raise MetameterError("depths do not fit the taus", given=at.shape, allowed=str(values.shape[-1:]), fix=fix)
    before_the_end = values[..., :-1] >= threshold - _ROUNDING
    stays = np.logical_and.accumulate(before_the_end[..., ::-1], axis=-1)[..., ::-1]
    first = np.count_nonzero(~stays, axis=-1)
    return np.asarray(np.append(at[:-1], np.nan)[first])
