"""tau_AP: whether two vectors order the best systems alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from metameter.errors import MetameterError
from metameter.stats.ties import tied_codes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from metameter.stats.checks import Floats

__all__ = ["tau_ap", "tau_ap_symmetric"]


def tau_ap(truth: ArrayLike, estimate: ArrayLike) -> float:
    r"""Compare an estimated order with the true one; mistakes at the top cost most.

    .. math:: \tau_{AP} = \frac{2}{n-1} \sum_{i=2}^{n} \frac{c_i}{i-1} - 1

    c_i is how many of the items above position i of the estimate are truly above that item. With ties in the
    estimate: the expected value over random orders of the tied items. Ties in the truth count one half.

    Parameters
    ----------
    truth, estimate : array-like, (n,)
        Scores: higher is better.

    Returns
    -------
    float
        In [-1, 1]; NaN for fewer than two items.

    References
    ----------
    yilmaz2008

    Examples
    --------
    >>> tau_ap([5, 4, 3, 2, 1], [4, 5, 3, 2, 1])  # the first two swapped
    0.5
    >>> tau_ap([5, 4, 3, 2, 1], [5, 4, 3, 1, 2])  # the last two swapped
    0.875
    """
    true, estimated = tied_codes(truth), tied_codes(estimate)
    if true.shape != estimated.shape or true.ndim != 1:
        raise MetameterError(
            "truth and estimate are not vectors of one length",
            given=(true.shape, estimated.shape),
            fix="Give two lists with one score for each item.",
        )
    n = len(true)
    return float(2.0 / (n - 1) * _contributions(true, estimated).sum() - 1.0) if n > 1 else np.nan


def tau_ap_symmetric(x: ArrayLike, y: ArrayLike) -> float:
    """Return the mean of `tau_ap` with either vector as the truth.

    Examples
    --------
    >>> tau_ap_symmetric([3, 2, 1], [1, 2, 3])
    -1.0
    """
    return (tau_ap(x, y) + tau_ap(y, x)) / 2.0


def _contributions(true: NDArray[np.int64], estimated: NDArray[np.int64]) -> Floats:
    truly_above = (true > true[:, None]) + 0.5 * (true == true[:, None])
    above = estimated > estimated[:, None]
    mates = (estimated == estimated[:, None]) & ~np.eye(len(true), dtype=bool)
    correct_above, correct_mates = (truly_above * above).sum(axis=1), (truly_above * mates).sum(axis=1)
    p, m = above.sum(axis=1), mates.sum(axis=1) + 1
    # Item at place s of its group of m below p others: sums over s of 1/(p+s-1) and of (s-1)/(p+s-1).
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, len(true) + 1))])
    places = np.where(m > 1, harmonic[p + m - 1] - harmonic[np.maximum(p - 1, 0)], 1.0 / np.maximum(p, 1))
    mates_above = np.where(p > 0, m - p * places, m - 1) / np.maximum(m - 1, 1)
    return np.asarray((correct_above * places + correct_mates * mates_above) / m)
