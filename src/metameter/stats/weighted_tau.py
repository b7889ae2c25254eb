"""Kendall's tau_b between two metrics over items that occur many times: each distinct item is looked at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["tied_pairs_of", "weighted_tau_b"]

#: Up to this many rows the number of their pairs is exact in integers of 64 bits; beyond it is rounded.
_INTEGERS = 3_000_000_000


def weighted_tau_b(first: NDArray[np.int64], second: NDArray[np.int64], weights: NDArray[np.int64]) -> float:
    """tau_b of two vectors of codes (see `tied_codes`) of items, each of which occurs as often as its weight says.

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
    """How many pairs of rows have the same code, if each entry stands for as many rows as its weight says.

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
    # In order of the first, ties in order of the second: every inversion left is a discordant pair. Two codes first
    # differ in exactly one bit: count, bit by bit, ones before zeros among equal higher bits.
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
