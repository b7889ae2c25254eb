"""Concordant, discordant and tied pairs between score vectors, counted exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.stats.inversions import MOST_ITEMS, inversions, place_type, summed, tied_pairs
from metameter.stats.sequences import sequences
from metameter.stats.ties import code_counts, tied_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats

__all__ = ["PairCounts", "count_pairs", "count_pairs_of_scores"]

_ROWS = 2048  # vectors compared at a time: enough for whole rows, few enough for the cache


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
    return _counted(first, second, _of_codes)


def count_pairs_of_scores(first: Floats, second: Floats) -> PairCounts:
    """Count pairs between score vectors, (vectors, n) each: as `count_pairs` does between their `tied_codes`.

    For vectors that are compared once: codes, which can be used again, take longer.

    Examples
    --------
    >>> int(count_pairs_of_scores(np.array([[0.1, 0.2, 0.3]]), np.array([[0.1, 0.3, 0.2]])).discordant[0])
    1
    """
    if 2 <= first.shape[-1] <= MOST_ITEMS:
        return _counted(first, second, _of_scores)
    return count_pairs(tied_codes(first), tied_codes(second))


def _counted(first: NDArray[Any], second: NDArray[Any], count: Any) -> PairCounts:
    parts = [count(first[i : i + _ROWS], second[i : i + _ROWS]) for i in range(0, max(len(first), 1), _ROWS)]
    discordant, tied_first, tied_second, tied_both = np.concatenate(parts, axis=1)
    total = first.shape[-1] * (first.shape[-1] - 1) // 2
    concordant = total - tied_first - tied_second + tied_both - discordant
    return PairCounts(total, concordant, discordant, tied_first, tied_second)


def _of_scores(first: Floats, second: Floats) -> NDArray[np.int64]:
    n = first.shape[-1]
    written = sequences(first, second)
    columns, tied = np.ascontiguousarray(written.places.T), np.ascontiguousarray(written.tied.T)
    # All places add up to the number of pairs, less one for every pair that is tied.
    tied_first = n * (n - 1) // 2 - summed(columns)
    counts = np.stack([inversions(columns), tied_first, *_tied_alone_and_in_both(columns, tied)])
    if written.unsure.size:
        codes = [tied_codes(vectors[written.unsure]) for vectors in (first, second)]
        counts[:, written.unsure] = _of_codes(*codes)
    return counts


def _tied_alone_and_in_both(columns: NDArray[Any], tied: NDArray[np.bool_]) -> NDArray[np.int64]:
    both = tied.copy()
    both[1:] &= columns[1:] == columns[:-1]
    # Side by side: one pass down the items.
    return tied_pairs(np.concatenate([tied, both], axis=1)).reshape(2, -1)


def _of_codes(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    n = first.shape[-1]
    if n > MOST_ITEMS:
        return _of_long_codes(first, second)
    bits = max(n - 1, 1).bit_length()
    low = np.uint32((1 << bits) - 1)
    keys = ((first << bits) | second).astype(np.uint32)
    keys.sort(axis=-1)
    # In order of the first vector, ties in order of the second: every inversion left is a discordant pair.
    columns = (keys & low).T.astype(place_type(n), order="C")
    tied_first, tied_both = _tied_alone_and_in_both(columns, _tied_with_previous(keys >> np.uint32(bits)))
    tied_second = tied_pairs(_tied_with_previous(np.sort(second.astype(np.uint32), axis=-1)))
    return np.stack([inversions(columns), tied_first, tied_second, tied_both])


def _tied_with_previous(ascending: NDArray[Any]) -> NDArray[np.bool_]:
    tied = np.zeros(ascending.shape[::-1], dtype=np.bool_)
    np.equal(ascending[:, 1:].T, ascending[:, :-1].T, out=tied[1:])
    return tied


def _of_long_codes(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    if second.max() > first.max():
        return _of_long_codes(second, first)[[0, 2, 1, 3]]  # fewer distinct values in the second: fewer bits
    bits = (first.shape[-1] - 1).bit_length()
    keys = ((first << bits) | second).astype(np.uint32 if bits <= 16 else np.uint64)
    keys.sort(axis=-1)
    rows = (keys & keys.dtype.type((1 << bits) - 1)).astype(np.int64)
    joint = np.zeros(first.shape, dtype=np.int64)
    joint[:, 1:] = np.cumsum(keys[:, 1:] != keys[:, :-1], axis=-1)
    discordant = np.array([_inversions_by_bits(row) for row in rows], dtype=np.int64)
    return np.stack([discordant, *map(_tied_pairs, (first, second, joint))])


def _tied_pairs(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    counts = code_counts(codes)
    return np.asarray((counts * (counts - 1) // 2).sum(axis=-1))


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
