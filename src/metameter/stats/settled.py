"""From which depth on is the order of the systems settled? The depth, and its interval for all topics like these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metameter.errors import MetameterError
from metameter.stats.checks import check_level
from metameter.stats.options import check_number

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from metameter.stats.checks import Floats
    from metameter.stats.depth_bounds import DrawnTaus

__all__ = ["Settled", "settled", "settled_depth"]

_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Settled:
    """The depth from which on tau to the final order stays at or above a threshold; all arrays (rows,).

    NaN means: not before the end of the depths. At the last depth the order is the final one, whatever the topics say;
    that is no evidence that it had settled.

    Attributes
    ----------
    depth : ndarray
        On these topics.
    low, high : ndarray
        The interval of that depth for the order over all topics like these. From `high` on the order is settled, as
        far as these topics can tell; before `low` it is not.
    threshold, level : float
    """

    depth: Floats
    low: Floats
    high: Floats
    threshold: float
    level: float


def settled(
    taus: DrawnTaus, depths: ArrayLike, threshold: float = 0.9, level: float = 0.95, *, together: bool = True
) -> Settled:
    """Find the depth from which on each row's order is settled, with intervals that hold for all rows at once.

    What is estimated: the depth from which on the order of the systems by their means over *all* topics like these
    stays close to the final order by their means over all topics. `high` is the first depth from which on the lower
    bounds of tau stay at or above the threshold, `low` the first from which on the upper bounds do. For `high` to be
    too shallow, the bound at one depth must be wrong, the last at which the order has not settled yet: so the level of
    a single tau is that of the depth, however many depths there are. The levels of the rows are Bonferroni's.

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
    >>> from metameter.stats.depth_bounds import DrawnTaus
    >>> estimate = np.array([[0.5, 0.95, 0.97, 1.0], [0.5, 0.95, 0.8, 1.0]])
    >>> certain = np.broadcast_to(estimate, (9, 2, 4))  # every resample says the same
    >>> found = settled(DrawnTaus(estimate, certain, certain, estimate, topics=50), [1, 10, 100, 1000])
    >>> found.depth, found.low, found.high  # the second row is settled at the end only
    (array([10., nan]), array([10., nan]), array([10., nan]))
    """
    check_number(threshold, "threshold", "Give a tau, such as 0.9.")
    family = len(taus.estimate) if together else 1
    low, high = taus.interval(1.0 - (1.0 - check_level(level, "level")) / family)
    depth, first, last = (settled_depth(each, depths, threshold) for each in (taus.estimate, high, low))
    return Settled(depth, first, last, threshold, level)


def settled_depth(taus: ArrayLike, depths: ArrayLike, threshold: float = 0.9) -> Floats:
    """The first depth from which on taus (..., depths) stay at or above the threshold; NaN if only the last one is.

    A tau that is undefined (NaN) is not above.

    Examples
    --------
    >>> settled_depth([[0.2, 0.95, 0.8, 0.9, 1.0], [0.9, 0.9, 0.9, 0.5, 1.0]], [1, 2, 5, 10, 20])
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
