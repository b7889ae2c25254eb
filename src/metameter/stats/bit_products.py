"""Products of matrices of zeros and ones, 64 of them in a word: exact counts, and no threads but the caller's."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Words", "bit_product", "packed", "unpacked"]

Words: TypeAlias = "NDArray[np.uint64]"

_WORDS = 1 << 16  # held at a time, to stay in the cache


def packed(matrix: NDArray[np.bool_]) -> Words:
    """A matrix of truth values (..., columns) as words (..., ceil(columns / 64)), filled up with zeros.

    Examples
    --------
    >>> packed(np.ones((2, 65), dtype=bool)).shape
    (2, 2)
    """
    octets = np.packbits(matrix, axis=-1)
    filled = np.zeros((*octets.shape[:-1], -(-octets.shape[-1] // 8) * 8), dtype=np.uint8)
    filled[..., : octets.shape[-1]] = octets
    return filled.view(np.uint64)


def unpacked(words: Words) -> NDArray[np.bool_]:
    """The truth values again, and the zeros that they were filled up with.

    Examples
    --------
    >>> unpacked(packed(np.array([True, False, True])))[:4]
    array([ True, False,  True, False])
    """
    return np.unpackbits(words.view(np.uint8), axis=-1).view(np.bool_)


def bit_product(first: Words, second: Words) -> NDArray[np.int64]:
    """In how many columns both a row of the first and a row of the second have a one: their product, (rows, rows).

    Examples
    --------
    >>> one, other = np.array([[1, 1, 0], [0, 1, 1]]), np.array([[1, 1, 1], [0, 0, 1]])
    >>> bit_product(packed(one == 1), packed(other == 1)), one @ other.T
    (array([[2, 0], [2, 1]]), array([[2, 0], [2, 1]]))
    """
    found = np.empty((len(first), len(second)), dtype=np.int64)
    step = max(1, _WORDS // max(second.size, 1))
    for start in range(0, len(first), step):
        common = first[start : start + step, None] & second
        found[start : start + step] = np.bitwise_count(common).sum(axis=-1, dtype=np.uint32)
    return found
