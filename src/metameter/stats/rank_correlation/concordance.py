"""Concordant, discordant and tied pairs between score vectors, counted exactly."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.stats.checks import RELATIVE_TOLERANCE, Floats
from metameter.stats.ties import code_counts, tied_codes

#: For more items, an O(n log n) algorithm is faster than comparing all pairs.
MOST_ITEMS = 512

_BLOCK_ROWS = 256  # pairs of vectors sorted at a time: keeps the work in the cache
_UNSURE = 0.25  # of the tolerance: more than the bits that are cut off contribute
_TINY = 1e-290  # smaller floats lose precision

_ROWS = 2048  # vectors compared at a time, to stay in the cache


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Counts of pairs of items, for each pair of vectors.

    Attributes
    ----------
    total : int
        n(n-1)/2.
    concordant, discordant : ndarray of int
        Pairs in the same order in both vectors; in opposite orders.
    tied_first, tied_second : ndarray of int
        Pairs tied in the first vector; in the second. Pairs tied in both are counted in both.
    """

    total: int
    concordant: NDArray[np.int64]
    discordant: NDArray[np.int64]
    tied_first: NDArray[np.int64]
    tied_second: NDArray[np.int64]


def count_pairs(first: NDArray[np.int64], second: NDArray[np.int64]) -> PairCounts:
    """Count concordant, discordant and tied pairs between codes of shape (vectors, n), see `tied_codes`.

    Examples
    --------
    >>> counts = count_pairs(np.array([[0, 1, 2, 2]]), np.array([[0, 2, 1, 2]]))
    >>> [int(count[0]) for count in (counts.concordant, counts.discordant, counts.tied_first, counts.tied_second)]
    [3, 1, 1, 1]
    """
    return _count_in_blocks(first, second, _of_codes)


def count_pairs_of_scores(first: Floats, second: Floats) -> PairCounts:
    """Count pairs between score vectors (vectors, n), with the result of `count_pairs` of their `tied_codes`.

    Faster for vectors that are compared once; codes pay off if they are used again.

    Examples
    --------
    >>> int(count_pairs_of_scores(np.array([[0.1, 0.2, 0.3]]), np.array([[0.1, 0.3, 0.2]])).discordant[0])
    1
    """
    if 2 <= first.shape[-1] <= MOST_ITEMS:
        return _count_in_blocks(first, second, _of_scores)
    return count_pairs(tied_codes(first), tied_codes(second))


def _count_in_blocks(first: NDArray[Any], second: NDArray[Any], count: Any) -> PairCounts:
    parts = [count(first[i : i + _ROWS], second[i : i + _ROWS]) for i in range(0, max(len(first), 1), _ROWS)]
    discordant, tied_first, tied_second, tied_both = np.concatenate(parts, axis=1)
    total = first.shape[-1] * (first.shape[-1] - 1) // 2
    concordant = total - tied_first - tied_second + tied_both - discordant
    return PairCounts(total, concordant, discordant, tied_first, tied_second)


def _of_scores(first: Floats, second: Floats) -> NDArray[np.int64]:
    n = first.shape[-1]
    encoded = permutation_codes(first, second)
    columns, tied = np.ascontiguousarray(encoded.ranks.T), np.ascontiguousarray(encoded.tied.T)
    # The ranks add up to the number of pairs less the number of tied pairs.
    tied_first = n * (n - 1) // 2 - column_sums(columns)
    counts = np.stack([inversions(columns), tied_first, *_tied_alone_and_in_both(columns, tied)])
    if encoded.unsure.size:
        codes = [tied_codes(vectors[encoded.unsure]) for vectors in (first, second)]
        counts[:, encoded.unsure] = _of_codes(*codes)
    return counts


def _tied_alone_and_in_both(columns: NDArray[Any], tied: NDArray[np.bool_]) -> NDArray[np.int64]:
    both = tied.copy()
    both[1:] &= columns[1:] == columns[:-1]
    # Concatenated, so that one pass over the items does both.
    return tied_pairs(np.concatenate([tied, both], axis=1)).reshape(2, -1)


def _of_codes(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    n = first.shape[-1]
    if n > MOST_ITEMS:
        return _of_long_codes(first, second)
    bits = max(n - 1, 1).bit_length()
    low = np.uint32((1 << bits) - 1)
    keys = ((first << bits) | second).astype(np.uint32)
    keys.sort(axis=-1)
    # Sorted by the first vector, ties by the second: every inversion that remains is a discordant pair.
    columns = (keys & low).T.astype(rank_type(n), order="C")
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
    # Two codes differ first in one bit: for each bit, count ones before zeros among codes with equal higher bits.
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


@dataclass(frozen=True, eq=False)
class PermutationCodes:
    """Pairs of score vectors as permutation codes: the ranks by the first vector in the order of the second.

    Attributes
    ----------
    ranks : ndarray of small int, (vectors, n)
        For the items in ascending order of the second vector, ties in the order of the first: how many items are lower
        in the first vector.
    tied : ndarray of bool, (vectors, n)
        Whether each item is tied in the second vector with the previous one.
    unsure : ndarray of int
        The vectors that cannot be decided this way.
    """

    ranks: NDArray[Any]
    tied: NDArray[np.bool_]
    unsure: NDArray[np.intp]


def permutation_codes(first: Floats, second: Floats) -> PermutationCodes:
    """Return the permutation codes of pairs of score vectors (vectors, n), n from 2 to 512.

    Examples
    --------
    >>> permutation_codes(np.array([[0.1, 0.2, 0.3, 0.3]]), np.array([[5.0, 7.0, 6.0, 7.0]])).ranks
    array([[0, 2, 1, 2]], dtype=uint8)
    """
    count, n = first.shape
    ranks, tied = np.empty((count, n), dtype=rank_type(n)), np.empty((count, n), dtype=np.bool_)
    sure, work = np.empty(count, dtype=np.bool_), _Work(min(count, _BLOCK_ROWS), n)
    for start in range(0, count, _BLOCK_ROWS):
        rows = slice(start, start + _BLOCK_ROWS)
        sure[rows] = _write(first[rows], second[rows], ranks[rows], tied[rows], work)
    return PermutationCodes(ranks, tied, np.flatnonzero(~sure))


class _Work:
    """Buffers for a block of rows of n items, reused because allocating costs more than sorting."""

    def __init__(self, rows: int, n: int) -> None:
        self.position = np.arange(n)
        self.begin = np.arange(0, rows * n, n)[:, None]
        self.keys, self.carried, self.rank, self.rank_of_item = (np.empty((rows, n), np.int64) for _ in range(4))
        self.gap, self.perhaps = np.zeros((rows, n)), np.empty((rows, n), np.bool_)


def _write(
    first: Floats, second: Floats, ranks: NDArray[Any], tied: NDArray[np.bool_], work: _Work
) -> NDArray[np.bool_]:
    """Fill in ranks and ties; return which rows are certain."""
    count = len(first)
    sure = _sort(first, work.position, tied, work)
    item, rank, rank_of_item = work.carried[:count], work.rank[:count], work.rank_of_item[:count]
    item += work.begin[:count]
    # Tied items have the rank of the first of them.
    np.multiply(~tied, work.position, out=rank)
    np.maximum.accumulate(rank, axis=-1, out=rank)
    rank_of_item.reshape(-1)[item.reshape(-1)] = rank.reshape(-1)
    sure &= _sort(second, rank_of_item, tied, work)
    np.copyto(ranks, work.carried[:count], casting="unsafe")
    _in_order_of_the_first(ranks, tied, work.gap[:count])
    return sure


def _sort(scores: Floats, carried: NDArray[np.int64], tied: NDArray[np.bool_], work: _Work) -> NDArray[np.bool_]:
    """Sort each row with its carried numbers, mark scores tied with the previous one; return which rows are certain."""
    count, n = scores.shape
    bits = (n - 1).bit_length()
    low = (1 << bits) - 1
    keys, gap, perhaps = work.keys[:count], work.gap[:count], work.perhaps[:count]
    np.bitwise_and(np.ascontiguousarray(scores).view(np.int64), ~low, out=keys)
    keys |= carried
    keys.sort(axis=-1)
    np.bitwise_and(keys, low, out=work.carried[:count])
    keys &= ~low
    values = keys.view(np.float64)
    largest = values[:, -1:]
    # As one long row; the gaps between rows are overwritten below.
    with np.errstate(all="ignore"):
        np.subtract(values.reshape(-1)[1:], values.reshape(-1)[:-1], out=gap.reshape(-1)[1:])
    np.less_equal(gap, largest * (RELATIVE_TOLERANCE * (1 - _UNSURE)), out=tied)
    np.less_equal(gap, largest * (RELATIVE_TOLERANCE * (1 + _UNSURE)), out=perhaps)
    tied[:, 0] = perhaps[:, 0] = False
    zero = largest[:, 0] == 0
    if zero.any():  # the smallest floats become 0 without their lowest bits
        zero[zero] = ~scores[zero].any(axis=-1)
    # Bits of negative floats sort in another order; tiny floats have too few bits.
    sure: NDArray[np.bool_] = (keys[:, 0] >= 0) & np.isfinite(largest[:, 0]) & (zero | (largest[:, 0] > _TINY))
    if np.count_nonzero(tied) != np.count_nonzero(perhaps):
        sure &= (tied == perhaps).all(axis=-1)
    return sure


def _in_order_of_the_first(ranks: NDArray[Any], tied: NDArray[np.bool_], gap: Floats) -> None:
    # Scores that are tied but unequal are still in their own order.
    unequal = (gap != 0) & tied
    if not unequal.any():
        return
    rows = np.flatnonzero(unequal.any(axis=-1))
    bits = (ranks.shape[1] - 1).bit_length()
    keys = np.cumsum(~tied[rows], axis=-1, dtype=np.uint32)
    keys <<= np.uint32(bits)
    keys |= ranks[rows]
    keys.sort(axis=-1)
    ranks[rows] = keys & np.uint32((1 << bits) - 1)


def rank_type(n: int) -> Any:
    """Return the smallest unsigned type that holds the ranks 0 to n - 1 and counts of items.

    Examples
    --------
    >>> rank_type(129), rank_type(257)
    (<class 'numpy.uint8'>, <class 'numpy.uint16'>)
    """
    return np.uint8 if n <= 256 else np.uint16


def inversions(columns: NDArray[Any]) -> NDArray[np.int64]:
    """Return the number of inversions in each column of ranks (items, columns).

    Examples
    --------
    >>> inversions(np.array([[0, 2], [1, 1], [1, 0]], dtype=np.uint8))
    array([0, 3])
    """
    n, count = columns.shape
    flat = np.ascontiguousarray(columns).reshape(-1)
    higher = np.empty(flat.size, dtype=np.bool_)
    later_are_lower = np.zeros(flat.size, dtype=flat.dtype)
    # Buffers are reused: allocating for each distance would cost more than the comparisons.
    for distance in range(1, n):
        end = (n - distance) * count
        np.greater(flat[:end], flat[distance * count :], out=higher[:end])
        np.add(later_are_lower[:end], higher[:end].view(np.uint8), out=later_are_lower[:end])
    return column_sums(later_are_lower.reshape(n, count))


def tied_pairs(tied: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the number of tied pairs in each column, given which items are tied with the previous one.

    Parameters
    ----------
    tied : ndarray of bool, (items, columns)
        False for the first item.

    Examples
    --------
    >>> tied_pairs(np.array([[False, False], [True, False], [True, True]]))  # three items tied; two
    array([3, 1])
    """
    n = len(tied)
    # The rank of the first item of each group; the ranks add up to the number of pairs less the tied pairs.
    rank = np.arange(n, dtype=rank_type(n))[:, None] * ~tied
    for previous, here in pairwise(rank):
        np.maximum(previous, here, out=here)
    return n * (n - 1) // 2 - column_sums(rank)


def column_sums(columns: NDArray[Any]) -> NDArray[np.int64]:
    """Return the sum of each column of small integers.

    Examples
    --------
    >>> column_sums(np.array([[255, 0], [254, 1]], dtype=np.uint8))
    array([509,   1])
    """
    # 256 items have 32,640 pairs.
    width: Any = np.uint16 if columns.dtype == np.uint8 else np.uint32
    return np.asarray(np.add.reduce(columns, axis=0, dtype=width), dtype=np.int64)
