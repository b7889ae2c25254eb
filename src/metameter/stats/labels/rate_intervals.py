"""Wilson's intervals of shares of rows that users contribute in unequal numbers, for an effective number of trials."""

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
    """95% intervals of the shares of the rows in ``tried`` that are in ``did``, with users (or rows) as the sample.

    Independent rows have Wilson's interval. Rows of one user are correlated: the number of trials is the number of
    independent rows whose share would vary as much, and t replaces the normal distribution, with one degree of freedom
    fewer than the effective number of users. So intervals are wide for few users, or if one user has most of the rows.
    If the shares of all users are equal, the number of trials is the effective number of users.

    Parameters
    ----------
    counts : LabelCounts
    tried, did : ndarray of bool, (cells, shares)
        The cells in the denominator of each share, and those in its numerator.

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
    effective = effective_number(size)
    # A user with most of the rows pulls the share towards their own, so their deviation is too small by that amount.
    squares = (done - rate * size) ** 2 * _ratio(trials, trials - size)
    variation = squares.sum(axis=0)
    independent = rate * (1.0 - rate) * trials**2
    equivalent = np.where(variation > 0, np.minimum(_ratio(independent, variation), trials), effective)
    df = np.maximum(effective - 1.0, 0.0)
    quantile = np.where(df > 0, stdtrit(np.maximum(df, 1e-6), _LEVEL), np.inf)
    low, high = wilson(rate, equivalent, np.minimum(quantile, 1e6))
    return low, high


def _ratio(dividend: Floats | NDArray[np.int64], divisor: Floats) -> Floats:
    """The quotient; infinite or NaN where the divisor is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(dividend / divisor)


def wilson(share: Floats, trials: Floats | NDArray[np.int64], z: Floats | None = None) -> tuple[Floats, Floats]:
    """Wilson's 95% score interval of a share; it has positive width even if all trials, or none, succeed.

    Parameters
    ----------
    share, trials : ndarray
    z : ndarray, optional
        Half the width in standard errors; by default the 97.5% point of the normal distribution.

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

    quantile = np.asarray(ndtri(_LEVEL) if z is None else z)
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = (share + quantile**2 / (2 * trials)) / (1 + quantile**2 / trials)
        half = (
            quantile
            / (1 + quantile**2 / trials)
            * np.sqrt(share * (1 - share) / trials + quantile**2 / (4 * trials**2))
        )
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)
