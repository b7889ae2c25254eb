"""The rows of a regular run or qrels file from its bytes, without a Python string for every name.

The file is scanned in blocks that stay in the processor's cache; the positions of blanks delimit its cells. Anything
unexpected (other blanks, comments, numbers that are not plain) leaves the whole file to `trec.parse`, the definition.

Of a number, eight characters are one machine word. Missing digits are filled up with zeros, the point is removed by
shifting what follows, and eight digits become a number in three multiplications (as in simdjson). A cell is then an
integer below 10^15 divided by a power of ten: both are exact doubles, so one division gives the nearest double.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.read.trec.parse import END, NUMBER, blanks_in, has_control, is_plain, regular_text, separator_of
from metameter.types.byte_strings import PADDING, Names
from metameter.types.run_rows import GatheredRows, Rows, beginnings, joined_stretches, salted, salts, topics_interleave

if TYPE_CHECKING:
    from metameter.read.trec.parse import Layout


_BLOCK = 1 << 20
# Offsets in a block of whole topics take 31 bits.
_MOST = 1 << 31
_COMMENT = ord("#")


def split_rows(data: bytes, layout: Layout) -> Rows | None:
    r"""The rows of a regular file with the columns topic, doc and one of numbers; None if it is not one.

    Examples
    --------
    >>> from metameter.read.trec.parse import RUN
    >>> rows = split_rows(b"401 Q0 d1 1 9.5 tag\n401 Q0 d2 2 9.1 tag\n402 Q0 d1 1 7 tag\n", RUN)
    >>> rows.topics, rows.begin, rows.doc.texts(), rows.value
    (('401', '402'), array([0, 2]), ['d1', 'd2', 'd1'], array([9.5, 9.1, 7. ]))
    """
    text = regular_text(data)
    separator = separator_of(text) if is_plain(text) else None
    if separator is None:
        return None
    text += PADDING if text.endswith(b"\n") else b"\n" + PADDING
    codes = np.frombuffer(text, dtype=np.uint8)
    parts, begins = [], []
    for start, stop in _blocks(text):
        part = _part(codes, start, stop, ord(separator), layout)
        if part is None and has_control(text, start, stop):
            part = _part(codes, start, stop, ord(separator), layout, exact=True)
        if part is None:
            return None
        parts.append(part)
        begins.append(start)
    value, hashes = (np.concatenate([getattr(part, name) for part in parts]) for name in ("value", "hashes"))
    begin, topics = joined_stretches([(part.value.size, part.begin, part.topics) for part in parts])
    rows = Rows(begin, topics, Names.concatenate(codes, [part.doc for part in parts], begins), value)
    return replace(rows, known_keys=salted(hashes, np.repeat(salts(rows.topics), rows.length)))


def split_blocks(blocks: Iterable[bytes], layout: Layout) -> Rows | None:
    """The rows of a regular file in blocks of whole lines; of its text only the documents' names are kept."""
    gathered = GatheredRows()
    for block in blocks:
        rows = split_rows(block, layout) if len(block) < _MOST else None
        if rows is None:
            return None
        gathered.add(rows)
    return gathered.rows()


def _blocks(text: bytes) -> Iterator[tuple[int, int]]:
    """Blocks of whole lines, without the padding: where each begins and ends."""
    start, size = 0, len(text) - len(PADDING)
    while start < size:
        stop = min(start + _BLOCK, size)
        # A line that is longer than a block makes a longer block.
        stop = text.rfind(b"\n", start, stop) + 1 or text.find(b"\n", stop) + 1
        yield start, stop
        start = stop


@dataclass(frozen=True, eq=False)
class _Part:
    """The rows of a block: where stretches of a topic begin, and their topics; the documents and numbers."""

    begin: NDArray[np.int64]
    topics: list[str]
    doc: Names
    value: NDArray[np.float64]
    hashes: NDArray[np.uint64]


def _part(
    codes: NDArray[np.uint8], start: int, stop: int, separator: int, layout: Layout, *, exact: bool = False
) -> _Part | None:
    block = codes[start:stop]
    columns = len(layout.columns)
    blank = blanks_in(block, exact=exact)
    blanks = np.flatnonzero(blank)
    if blanks.size % columns or blank[0] or (blank[1:] & blank[:-1]).any():
        return None  # some line has other columns than those of the layout, or blanks stand side by side
    ends = blanks.reshape(-1, columns)
    lines = len(ends)
    if (block[ends[:, -1]] != END).any() or np.count_nonzero(block == separator) != lines * (columns - 1):
        return None
    begins = np.append(0, ends[:-1, -1] + 1)
    if (block[begins] == _COMMENT).any():
        return None
    # Words of eight bytes may extend beyond the block.
    beyond = codes[start : stop + len(PADDING)]

    def cells(name: str) -> Names:
        column = layout.columns.index(name)
        first = ends[:, column - 1] + 1 if column else begins
        return Names(beyond, first, ends[:, column] - first)

    value = decimals(cells(layout.numbers[0]))
    if value is None:
        return None
    topic, doc = cells("topic"), cells("doc")
    begin = beginnings(topic.differ())
    if topics_interleave(begin.size, lines):
        return None
    return _Part(begin, topic.take(begin).texts(), doc, value, doc.hashes())


_MINUS, _CHARACTERS, _MOST_DIGITS = ord("-"), 8, 15
# Irregular cells are parsed one by one if they are at most this share (one in so many) of all cells.
_FEW = 8
_POWERS = 10.0 ** np.arange(_MOST_DIGITS + 1)


def _each(byte: int) -> np.uint64:
    """A word with this in every byte."""
    return np.uint64(0x0101010101010101 * byte)


_ZEROS, _POINTS = _each(ord("0")), _each(ord("0") ^ ord("."))
_ONES, _TOPS, _SIXES, _UPPER = (_each(byte) for byte in (1, 0x80, 6, 0xF0))
_EVERYTHING, _SEVEN_DIGITS = np.uint64((1 << 64) - 1), np.uint64(10**7)
_1, _7, _8, _56 = (np.uint64(number) for number in (1, 7, 8, 56))
# From digits to pairs of them, to fours, to eight: a mask, the weight of the higher of two, and a shift.
_STEPS = tuple(
    (np.uint64(mask), np.uint64((worth << bits) + 1), np.uint64(bits))
    for mask, worth, bits in ((0x0F0F0F0F0F0F0F0F, 10, 8), (0xFF00FF00FF00FF, 100, 16), (0xFFFF0000FFFF, 10_000, 32))
)


def decimals(cells: Names) -> NDArray[np.float64] | None:
    """The numbers in cells of digits, perhaps with a point and a minus.

    A few may be written otherwise (an exponent, more than fifteen digits). None if many are, or one is not finite.
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
    """The numbers, and the rows that are not plain, whose numbers mean nothing."""
    negative = cells.codes[cells.start] == _MINUS
    signed = bool(negative.any())
    if signed:
        cells = Names(cells.codes, cells.start + negative, cells.width - negative)
    width = cells.width
    longest = int(width.max())
    # From here on a byte is the digit, and 0 beyond the end of the cell.
    word64 = cells.bytes_at(0)[: 1 if longest <= _CHARACTERS else 2]
    word64 ^= _ZEROS
    for number, word in enumerate(word64):
        word &= cells.mask(number)
    before = _before_point(word64)
    _close(word64, before)
    other = (word64 + _SIXES | word64) & _UPPER  # where some byte is more than nine
    digits = np.minimum(np.bitwise_count(before).sum(axis=0, dtype=np.uint8) >> 3, width)
    alone = (width <= 1) & (digits == 0)  # a point, or a sign
    odd = np.zeros(0, dtype=np.int64)
    if longest > _MOST_DIGITS or other.any() or alone.any():
        # Sixteen digits, or more characters than two words have.
        long = (width > _MOST_DIGITS) & ((width > _MOST_DIGITS + 1) | (digits > _MOST_DIGITS))
        odd = np.flatnonzero(other.any(axis=0) | alone | long)
    numbers = _whole(word64).astype(np.float64)
    numbers /= np.take(_POWERS, (_CHARACTERS if len(word64) == 1 else _MOST_DIGITS) - digits, mode="clip")
    return np.where(negative, -numbers, numbers) if signed else numbers, odd


def _before_point(word64: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """All bits of the characters before the point; of all characters, if there is none."""
    other = word64 ^ _POINTS
    points = other - _ONES  # a zero byte borrows from its top bit; so may those above it, which do not matter
    points &= ~other
    points &= _TOPS
    points &= -points
    points >>= _7
    points -= _1
    if len(points) > 1:
        points[1] *= points[0] == _EVERYTHING  # if the point is in the first word, all of the second one comes after it
    return points


def _close(word64: NDArray[np.uint64], before: NDArray[np.uint64]) -> None:
    """Take the point out: what follows it moves, and a zero comes in at the end."""
    moved = word64 >> _8
    if len(word64) > 1:
        moved[0] |= word64[1] << _56
    moved &= ~before
    word64 &= before
    word64 |= moved


def _whole(word64: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The integer of all digits, the first one in the lowest byte: eight, or fifteen and a zero."""
    if len(word64) > 1:
        word64[1] <<= _8  # without the zero, which is its last
    for mask, worth, bits in _STEPS:
        word64 &= mask
        word64 *= worth
        word64 >>= bits
    return np.asarray(word64[0] if len(word64) == 1 else word64[0] * _SEVEN_DIGITS + word64[1])
