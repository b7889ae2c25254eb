"""tau_AP, a rank correlation that weights the top ranks, of many pairs of vectors at once."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metameter.errors import MetameterError
from metameter.stats.checks import Floats
from metameter.stats.ties import code_counts, tied_codes

if TYPE_CHECKING:
    Codes = NDArray[np.int64]


_CELLS = 1 << 18  # compared at a time, to stay in the cache


def tau_ap(truth: ArrayLike, estimate: ArrayLike) -> float:
    r"""Return tau_AP of an estimated order against the true order; mistakes at the top cost most.

    .. math:: \tau_{AP} = \frac{2}{n-1} \sum_{i=2}^{n} \frac{c_i}{i-1} - 1

    c_i is the number of items above rank i of the estimate that are above that item in the truth. For ties in the
    estimate it is the expected value over random orders of the tied items. Ties in the truth count one half.

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
    return float(tau_ap_of_codes(true[None], estimated[None])[0])


def tau_ap_symmetric(x: ArrayLike, y: ArrayLike) -> float:
    """Return the mean of `tau_ap` with each of the two vectors as the truth.

    Examples
    --------
    >>> tau_ap_symmetric([3, 2, 1], [1, 2, 3])
    -1.0
    """
    return (tau_ap(x, y) + tau_ap(y, x)) / 2.0


def tau_ap_of_codes(truth: Codes, estimate: Codes) -> Floats:
    """Return `tau_ap` of vectors of codes (see `tied_codes`), (vectors, n) each.

    Examples
    --------
    >>> truth = np.array([[4, 3, 2, 1, 0], [4, 3, 2, 1, 0]])
    >>> tau_ap_of_codes(truth, np.array([[3, 4, 2, 1, 0], [2, 2, 1, 1, 0]])).round(7)  # swapped; tied
    array([0.5      , 0.6666667])
    """
    count, n = truth.shape
    if n < 2:
        return np.full(count, np.nan)
    step = max(1, _CELLS // n)
    parts = [_sum_of_shares(truth[i : i + step], estimate[i : i + step]) for i in range(0, count, step)]
    return np.asarray(2.0 * np.concatenate([np.empty(0), *parts]) / (n - 1) - 1.0)


def _sum_of_shares(truth: Codes, estimate: Codes) -> Floats:
    """The sum over i of c_i / (i - 1) for each pair of vectors."""
    n = truth.shape[-1]
    bits = (n - 1).bit_length()
    keys = ((n - 1 - estimate) << bits) | truth
    keys = keys.astype(np.uint32) if bits <= 16 else keys
    keys.sort(axis=-1)
    # Best estimate first, tied items by ascending truth: then no tied item before an item is above it in the truth.
    true = (keys & keys.dtype.type((1 << bits) - 1)).T.astype(np.min_scalar_type(n), order="C")
    correct = _truly_above(true, np.greater).astype(np.float64)
    tied = np.flatnonzero(truth.max(axis=-1) < n - 1)
    if tied.size:
        mates = _group_start(n, keys[tied].T) - np.arange(n)[:, None]
        correct[:, tied] += 0.5 * (_truly_above(np.ascontiguousarray(true[:, tied]), np.equal) + mates)
    contributions = correct / np.maximum(np.arange(n), 1)[:, None]
    grouped = np.flatnonzero(estimate.max(axis=-1) < n - 1)
    if grouped.size:
        strictly_above = _group_start(n, (keys[grouped] >> keys.dtype.type(bits)).T)
        contributions[:, grouped] = _of_groups(correct[:, grouped], strictly_above)
    # Row by row, so that the order of additions does not depend on the other vectors.
    return np.asarray(np.ascontiguousarray(contributions.T).sum(axis=-1))


def _truly_above(true: NDArray[Any], compare: np.ufunc) -> NDArray[Any]:
    """For each item (items, vectors), the number of earlier items for which the comparison holds."""
    n, count = true.shape
    flat = true.reshape(-1)
    holds = np.empty(flat.size, dtype=np.bool_)
    count_above = np.zeros(flat.size, dtype=flat.dtype)
    for distance in range(1, n):
        start = distance * count
        end = flat.size - start
        compare(flat[:end], flat[start:], out=holds[:end])
        np.add(count_above[start:], holds[:end].view(np.uint8), out=count_above[start:])
    return count_above.reshape(n, count)


def _group_start(n: int, groups: NDArray[Any]) -> NDArray[np.int32]:
    """The rank of the first item of each item's group of ties, (items, vectors)."""
    start = np.zeros(groups.shape, dtype=np.int32)
    np.multiply(groups[1:] != groups[:-1], np.arange(1, n)[:, None], out=start[1:], casting="unsafe")
    for previous, here in pairwise(start):
        np.maximum(previous, here, out=here)
    return start


def _of_groups(correct: Floats, p: NDArray[np.int32]) -> Floats:
    """The expected c_i / (i - 1) over the orders of m tied items with p items strictly above them."""
    n = len(correct)
    m = np.take_along_axis(code_counts(np.ascontiguousarray(p.T)), p.T, axis=-1).T
    # Sums over the position s in the group of 1/(p+s-1) and of (s-1)/(p+s-1).
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, n + 1))])
    inverse = harmonic[p + m - 1] - harmonic[np.maximum(p - 1, 0)]
    later = np.where(p > 0, m - p * inverse, m - 1)
    # Of two tied items one is above the other in the truth, or each counts half: (m - 1) m / 2 in total.
    return np.where(m > 1, (correct * inverse + later / 2.0) / m, correct / np.maximum(p, 1))
