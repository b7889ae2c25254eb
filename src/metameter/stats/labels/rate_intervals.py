"""Intervals of shares that users (or rows) add to in unlike numbers: Wilson's, for as many trials as they are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.stats.checks import Floats
from metameter.stats.labels.counts import effective_number

if TYPE_CHECKING:
    from metameter.stats.labels.counts import LabelCounts


_LEVEL = 0.975


def rate_intervals(counts: LabelCounts, tried: NDArray[np.bool_], did: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """95% intervals, for other users (or rows), of the shares of those who tried something that did it.

    Rows that are independent have Wilson's interval. Rows of one user are not: they are worth as many independent ones
    as would vary as much, and t stands in place of the normal distribution, with one degree of freedom fewer than
    there are users, or than users of equal size would be worth as much. So few users, or one who has most of the rows,
    make intervals wide. Where all users did alike, they count once each.

    Parameters
    ----------
    counts : LabelCounts
    tried, did : ndarray of bool, (cells, shares)
        Which cells count in the share, and which of these did it.

    References
    ----------
    wilson1927, korn1998

    Examples
    --------
    >>> from metameter.stats.labels.counts import LabelCounts
    >>> did, tried = np.array([[True], [False]]), np.ones((2, 1), dtype=bool)
    >>> rows = LabelCounts(np.array([0, 1]), np.array([0, 0]), np.array([70, 30]))
    >>> [end.round(3).tolist() for end in rate_intervals(rows, tried, did)]  # 70 of 100
    [[0.604], [0.781]]
    >>> two = np.repeat([0, 1], 5)
    >>> users = LabelCounts(two, 0 * two, np.array([13, 14, 14, 14, 15, 7, 6, 6, 6, 5]), np.tile(np.arange(5), 2))
    >>> [end.round(3).tolist() for end in rate_intervals(users, tried, did)]  # the same of five users
    [[0.562], [0.809]]
    """
    from scipy.special import stdtrit

    if counts.user is None:
        trials = (counts.by_cell @ tried).astype(np.float64)
        return wilson(_ratio(np.asarray(counts.by_cell @ (did & tried)), trials), trials)
    size, done = (np.asarray(counts.by_user.T @ each.astype(np.float64)) for each in (tried, did & tried))
    trials, rate = size.sum(axis=0), _ratio(done.sum(axis=0), size.sum(axis=0))
    worth = effective_number(size)
    # A user who has most of the rows draws the share to their own: what is left over is too little by that much.
    left = (done - rate * size) ** 2 * _ratio(trials, trials - size)
    varies = left.sum(axis=0)
    independent = rate * (1.0 - rate) * trials**2
    equivalent = np.where(varies > 0, np.minimum(_ratio(independent, varies), trials), worth)
    freedom = np.maximum(worth - 1.0, 0.0)
    far = np.where(freedom > 0, stdtrit(np.maximum(freedom, 1e-6), _LEVEL), np.inf)
    low, high = wilson(rate, equivalent, np.minimum(far, 1e6))
    return low, high


def _ratio(one: Floats | NDArray[np.int64], other: Floats) -> Floats:
    """One by the other; infinite, or not known, where the other is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(one / other)


def wilson(share: Floats, trials: Floats | NDArray[np.int64], z: Floats | None = None) -> tuple[Floats, Floats]:
    """The 95% interval of a share by Wilson's score: it has a width where all, or none, of few trials succeeded.

    Parameters
    ----------
    share, trials : ndarray
    z : ndarray, optional
        By how many standard errors an interval extends; by default those of the normal distribution.

    References
    ----------
    wilson1927

    Examples
    --------
    >>> low, high = wilson(np.array([1.0, 0.5]), np.array([3, 10]))
    >>> low.round(3), high.round(3)
    (array([0.439, 0.237]), array([1.   , 0.763]))
    """
    from scipy.special import ndtri

    far = np.asarray(ndtri(_LEVEL) if z is None else z)
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = (share + far**2 / (2 * trials)) / (1 + far**2 / trials)
        half = far / (1 + far**2 / trials) * np.sqrt(share * (1 - share) / trials + far**2 / (4 * trials**2))
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)
