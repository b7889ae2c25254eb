"""Plain decimal numbers, such as the scores of a run, many at a time.

Eight characters are one word. What is missing is filled up with zeros, the point is taken out by moving what follows
it, and eight digits become a number in three multiplications (as in simdjson). So a cell is a whole number below 10^15
divided by a power of ten: both are exact doubles, the division rounds once, and the result is the nearest double, as
of any good reader.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from metameter.read.lines import NUMBER
from metameter.types.names import Names

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["decimals"]

_MINUS, _CHARACTERS, _MOST_DIGITS = ord("-"), 8, 15
# One cell among so many may be read by itself.
_FEW = 8
_POWERS = 10.0 ** np.arange(_MOST_DIGITS + 1)


def _each(byte: int) -> np.uint64:
    """A word with this in every byte."""
    return np.uint64(0x0101010101010101 * byte)


_ZEROS, _POINTS = _each(ord("0")), _each(ord("0") ^ ord("."))
_ONES, _TOPS, _SIXES, _UPPER = (_each(byte) for byte in (1, 0x80, 6, 0xF0))
_EVERYTHING, _SEVEN_DIGITS = np.uint64((1 << 64) - 1), np.uint64(10**7)
_1, _7, _8, _56 = (np.uint64(number) for number in (1, 7, 8, 56))
# From digits to pairs of them, to fours, to eight: what is looked at, what the higher of two is worth beside the lower.
_STEPS = tuple(
    (np.uint64(kept), np.uint64((worth << bits) + 1), np.uint64(bits))
    for kept, worth, bits in ((0x0F0F0F0F0F0F0F0F, 10, 8), (0xFF00FF00FF00FF, 100, 16), (0xFFFF0000FFFF, 10_000, 32))
)


def decimals(cells: Names) -> NDArray[np.float64] | None:
    """The numbers in cells of digits, with a point among them or without, and a minus before them or none.

    Among many such cells, a few may be written otherwise (an exponent, more than fifteen digits). None if there are
    more of these, or a cell is no finite number: then all are to be read in another way.

    Examples
    --------
    >>> decimals(Names.in_bytes(b"-9367.355 320 0.25", np.array([0, 10, 14]), np.array([9, 3, 4]))).tolist()
    [-9367.355, 320.0, 0.25]
    >>> decimals(Names.in_bytes(b"9.998e-02", np.array([0]), np.array([9])))
    """
    if not len(cells) or cells.width.min() < 1:
        return None
    numbers, odd = _plain(cells)
    texts = cells.take(odd).texts() if _FEW * odd.size <= len(cells) else [""]
    if not all(map(NUMBER.fullmatch, texts)):
        return None
    numbers[odd] = list(map(float, texts))
    return numbers if np.isfinite(numbers[odd]).all() else None


def _plain(cells: Names) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The numbers, and the rows that are not plain, where they mean nothing."""
    negative = cells.codes[cells.start] == _MINUS
    signed = bool(negative.any())
    if signed:
        cells = Names(cells.codes, cells.start + negative, cells.width - negative)
    width = cells.width
    longest = int(width.max())
    # From here on a byte is the digit, and 0 beyond the end of the cell.
    words = cells.bytes_at(0)[: 1 if longest <= _CHARACTERS else 2]
    words ^= _ZEROS
    for number, word in enumerate(words):
        word &= cells.kept(number)
    before = _before_point(words)
    _close(words, before)
    other = (words + _SIXES | words) & _UPPER  # where some byte is more than nine
    digits = np.minimum(np.bitwise_count(before).sum(axis=0, dtype=np.uint8) >> 3, width)
    alone = (width <= 1) & (digits == 0)  # a point, or a sign
    odd = np.zeros(0, dtype=np.int64)
    if longest > _MOST_DIGITS or other.any() or alone.any():
        # Sixteen digits, or more characters than two words have.
        long = (width > _MOST_DIGITS) & ((width > _MOST_DIGITS + 1) | (digits > _MOST_DIGITS))
        odd = np.flatnonzero(other.any(axis=0) | alone | long)
    numbers = _whole(words).astype(np.float64)
    numbers /= np.take(_POWERS, (_CHARACTERS if len(words) == 1 else _MOST_DIGITS) - digits, mode="clip")
    return np.where(negative, -numbers, numbers) if signed else numbers, odd


def _before_point(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """All bits of the characters before the point; of all characters, if there is none.

    Examples
    --------
    >>> [hex(each) for each in _before_point(np.array([[0x01001E0203, 0x09]], dtype=np.uint64))[0]]
    ['0xffff', '0xffffffffffffffff']
    """
    other = words ^ _POINTS
    points = other - _ONES  # a byte that is 0 borrows from its top bit; so may those above it, which do not matter
    points &= ~other
    points &= _TOPS
    points &= -points
    points >>= _7
    points -= _1
    if len(points) > 1:
        points[1] *= points[0] == _EVERYTHING  # if the point is in the first word, all of the second one comes after it
    return points


def _close(words: NDArray[np.uint64], before: NDArray[np.uint64]) -> None:
    """Take the point out: what follows it moves, and a zero comes in at the end."""
    moved = words >> _8
    if len(words) > 1:
        moved[0] |= words[1] << _56
    moved &= ~before
    words &= before
    words |= moved


def _whole(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The whole number that all digits are, the first one in the lowest byte: eight, or fifteen and a zero."""
    if len(words) > 1:
        words[1] <<= _8  # without the zero, which is its last
    for kept, worth, bits in _STEPS:
        words &= kept
        words *= worth
        words >>= bits
    return np.asarray(words[0] if len(words) == 1 else words[0] * _SEVEN_DIGITS + words[1])
