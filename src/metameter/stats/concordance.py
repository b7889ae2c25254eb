"""Concordant, discordant and tied pairs between score vectors, counted exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.stats.ties import code_counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PairCounts", "count_pairs"]

_ROWS = 1024  # vectors compared at a time: keeps the comparison tables in the cache
_SQUARE = 512  # with more items, comparing all pairs is slower than O(n log n)


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Pairs of items, per pair of vectors.

    Attributes
    ----------
    total : int
        n(n-1)/2.
    concordant, discordant : ndarray of int
        Pairs in the same order in both vectors; in opposite orders.
    tied_first, tied_second : ndarray of int
        Pairs tied in the first vector; in the second (pairs tied in both are in both).
    """

    total: int
    concordant: NDArray[np.int64]
    discordant: NDArray[np.int64]
    tied_first: NDArray[np.int64]
    tied_second: NDArray[np.int64]


def count_pairs(first: NDArray[np.int64], second: NDArray[np.int64]) -> PairCounts:
    """Count pairs between codes (see `tied_codes`) of shape (vectors, n).

    Examples
    --------
    >>> counts = count_pairs(np.array([[0, 1, 2, 2]]), np.array([[0, 2, 1, 2]]))
    >>> [int(count[0]) for count in (counts.concordant, counts.discordant, counts.tied_first, counts.tied_second)]
    [3, 1, 1, 1]
    """
    parts = [_count(first[i : i + _ROWS], second[i : i + _ROWS]) for i in range(0, max(len(first), 1), _ROWS)]
    discordant, tied_first, tied_second, tied_both = np.concatenate(parts, axis=1)
    n = first.shape[-1]
    total = n * (n - 1) // 2
    concordant = total - tied_first - tied_second + tied_both - discordant
    return PairCounts(total, concordant, discordant, tied_first, tied_second)


def _count(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    if first.shape[-1] > _SQUARE and second.max() > first.max():
        return _count(second, first)[[0, 2, 1, 3]]  # fewer distinct values in the second: fewer bits to go through
    bits = max(first.shape[-1] - 1, 1).bit_length()
    keys = ((first << bits) | second).astype(np.uint32 if bits <= 16 else np.uint64)
    keys.sort(axis=-1)
    # In order of the first vector, ties in order of the second: every inversion left is a discordant pair.
    discordant = _inversions((keys & keys.dtype.type((1 << bits) - 1)).astype(np.int64))
    tied_first, tied_second = _tied_pairs(first), _tied_pairs(second)
    joint = np.zeros(first.shape, dtype=np.int64)
    some = (tied_first > 0) & (tied_second > 0)
    if some.any():
        joint[some, 1:] = np.cumsum(keys[some, 1:] != keys[some, :-1], axis=-1)
    tied_both = np.where(some, _tied_pairs(joint), 0)
    return np.stack([discordant, tied_first, tied_second, tied_both])


def _tied_pairs(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    # Codes are dense: a vector without ties reaches n - 1.
    pairs = np.zeros(len(codes), dtype=np.int64)
    if codes.shape[-1] == 0:
        return pairs
    tied = codes.max(axis=-1) < codes.shape[-1] - 1
    counts = code_counts(codes[tied])
    pairs[tied] = (counts * (counts - 1) // 2).sum(axis=-1)
    return pairs


def _inversions(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    if codes.shape[-1] > _SQUARE:
        return np.array([_inversions_by_bits(row) for row in codes], dtype=np.int64)
    small: Any = np.uint8 if codes.shape[-1] <= 256 else np.uint16
    columns = np.ascontiguousarray(codes.T.astype(small))  # items x vectors: whole rows are compared at once
    inversions = np.zeros(len(codes), dtype=np.int64)
    for distance in range(1, len(columns)):
        later_is_lower = columns[:-distance] > columns[distance:]
        inversions += np.add.reduce(later_is_lower.view(np.uint8), axis=0, dtype=small)
    return inversions


def _inversions_by_bits(codes: NDArray[np.int64]) -> int:
    # Two codes first differ in exactly one bit: count, bit by bit, ones before zeros among equal higher bits.
    inversions = 0
    for bit in range(int(codes.max()).bit_length()):
        prefix = codes >> (bit + 1)
        order = np.argsort(prefix.astype(np.uint16) if prefix.max() < 1 << 16 else prefix, kind="stable")
        ones = (codes[order] >> bit) & 1
        ones_before = np.cumsum(ones) - ones
        sizes = np.bincount(prefix)
        start = (np.cumsum(sizes) - sizes)[prefix[order]]
        inversions += int(((ones_before - ones_before[start]) * (1 - ones)).sum())
    return inversions
