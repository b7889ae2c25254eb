"""Kendall's tau: whether two score vectors order the systems alike."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metameter.errors import MetameterError
from metameter.stats.rank_correlation.concordance import PairCounts, count_pairs, count_pairs_of_scores
from metameter.stats.ties import tied_codes

#: For up to this many rows the number of pairs is exact in 64-bit integers; beyond, floats are used.
_INTEGERS = 3_000_000_000


def tau_b(x: ArrayLike, y: ArrayLike) -> Any:
    r"""Return Kendall's tau_b, the rank correlation of vectors that may have ties.

    .. math:: \tau_b = (P - Q) / \sqrt{(n_0 - n_1)(n_0 - n_2)}

    P concordant and Q discordant pairs of n_0 = n(n-1)/2; n_1 and n_2 pairs are tied in x and in y. Vectors are along
    the last axis; leading axes broadcast.

    Parameters
    ----------
    x, y : array-like, (..., n)
        Scores; ties are those of `tied_codes`.

    Returns
    -------
    float or ndarray
        NaN where a vector is constant or has fewer than two items. Exactly 1 for equal orders.

    References
    ----------
    kendall1945

    Examples
    --------
    >>> tau_b([1, 2, 3, 4], [1, 2, 4, 3])  # 5 concordant, 1 discordant of 6 pairs
    0.6666666666666666
    >>> tau_b([[1, 2, 3], [3, 2, 1]], [1, 2, 3])
    array([ 1., -1.])
    """
    return _tau(tied_codes(x), tied_codes(y))


def tau_b_of_codes(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return `tau_b` of vectors of codes, (vectors, n) each.

    Examples
    --------
    >>> tau_b_of_codes(np.array([[0, 1, 2]]), np.array([[2, 1, 0]]))
    array([-1.])
    """
    return _ratio(count_pairs(first, second))


def tau_b_of_scores(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `tau_b` of score vectors, (vectors, n) each; faster than via codes if each vector is compared once.

    Examples
    --------
    >>> tau_b_of_scores(np.array([[0.1, 0.2, 0.3]]), np.array([[0.5, 0.4, 0.2]]))
    array([-1.])
    """
    return _ratio(count_pairs_of_scores(first, second))


def _tau(first: NDArray[np.int64], second: NDArray[np.int64]) -> Any:
    if first.shape[-1] != second.shape[-1]:
        raise MetameterError(
            "vectors differ in length",
            given=(first.shape[-1], second.shape[-1]),
            fix="Give one score per item in both.",
        )
    first, second = np.broadcast_arrays(first, second)
    shape = math.prod(first.shape[:-1]), first.shape[-1]
    taus = _ratio(count_pairs(first.reshape(shape), second.reshape(shape)))
    return float(taus[0]) if first.ndim == 1 else taus.reshape(first.shape[:-1])


def _ratio(counts: PairCounts) -> NDArray[np.float64]:
    # One square root of the product: equal orders give exactly 1.
    untied = (counts.total - counts.tied_first).astype(np.float64) * (counts.total - counts.tied_second)
    denominator = np.sqrt(untied)
    difference = (counts.concordant - counts.discordant).astype(np.float64)
    undefined = np.full(len(difference), np.nan)
    return np.asarray(np.divide(difference, denominator, out=undefined, where=denominator > 0))


def weighted_tau_b(first: NDArray[np.int64], second: NDArray[np.int64], weights: NDArray[np.int64]) -> float:
    """Return tau_b of two vectors of codes (n,) with frequency weights (n,), see `tied_codes`.

    Examples
    --------
    >>> once = weighted_tau_b(np.array([0, 1, 2]), np.array([0, 2, 1]), np.array([1, 1, 1]))
    >>> thrice = weighted_tau_b(np.array([0, 1, 2]), np.array([0, 2, 1]), np.array([1, 1, 3]))
    >>> round(once, 4), round(thrice, 4)  # 2 - 1 of 3 pairs; 4 - 3 of the 7 that are not tied
    (0.3333, 0.1429)
    """
    total = int(weights.sum())
    if total > _INTEGERS:
        weights = weights.astype(np.float64)
    pairs = total * (total - 1) // 2
    tied_first, tied_second, tied_both = (
        tied_pairs_of(codes, weights) for codes in (first, second, _joint(first, second))
    )
    discordant = _discordant(first, second, weights)
    concordant = pairs - tied_first - tied_second + tied_both - discordant
    untied = float(pairs - tied_first) * float(pairs - tied_second)
    return (concordant - discordant) / float(np.sqrt(untied)) if untied > 0 else float("nan")


def _joint(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.unique(first * (second.max(initial=0) + 1) + second, return_inverse=True)[1].reshape(-1)


def tied_pairs_of(codes: NDArray[np.int64], weights: NDArray[np.int64]) -> int:
    """Return the number of pairs of rows with equal codes, for codes (n,) with frequency weights (n,).

    Examples
    --------
    >>> tied_pairs_of(np.array([0, 1, 0]), np.array([2, 1, 1]))
    3
    """
    sizes = _sums(codes, weights)
    return int((sizes * (sizes - 1) // 2).sum())


def _sums(codes: NDArray[np.int64], weights: NDArray[np.int64]) -> NDArray[np.int64]:
    sums = np.zeros(int(codes.max(initial=-1)) + 1, dtype=weights.dtype)
    np.add.at(sums, codes, weights)
    return sums


def _discordant(first: NDArray[np.int64], second: NDArray[np.int64], weights: NDArray[np.int64]) -> int:
    # Sorted by the first vector, ties by the second: every inversion that remains is a discordant pair. Two codes
    # differ first in one bit: for each bit, count ones before zeros among codes with equal higher bits.
    order = np.lexsort((second, first))
    codes, weight = second[order], weights[order]
    inversions = 0
    for bit in range(int(codes.max(initial=0)).bit_length()):
        prefix = codes >> (bit + 1)
        by_prefix = np.argsort(prefix, kind="stable")
        ones = ((codes[by_prefix] >> bit) & 1) * weight[by_prefix]
        before = np.cumsum(ones) - ones
        starts = np.flatnonzero(np.diff(prefix[by_prefix], prepend=-1))
        first_before = np.repeat(before[starts], np.diff(np.r_[starts, len(codes)]))
        zeros = (1 - ((codes[by_prefix] >> bit) & 1)) * weight[by_prefix]
        inversions += int(((before - first_before) * zeros).sum())
    return inversions
