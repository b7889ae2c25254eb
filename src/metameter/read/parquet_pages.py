"""The values in the pages of a Parquet file, as arrays: plain ones, and those that refer to a dictionary.

What is rare is not read here but refused with a ValueError: missing values, texts of more than 127 bytes, or with bytes
that are 0 or not ASCII, compression other than zstd, newer encodings. Whoever asks has another way to read them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from metameter.read.parquet_notes import DICTIONARY, VALUES, Chunk, Page
from metameter.read.thrift import varint
from metameter.read.zstd import unpack_frame

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Values", "plain_texts", "values_of"]

# How values are written: one after the other, or as places in a dictionary. A dictionary is plain, whatever it says.
_PLAIN, _OLD_PLACES, _PLACES = 0, 2, 8
_UNCOMPRESSED, _ZSTD = 0, 6
# A text is preceded by its length, four bytes.
_LENGTH = 4
# What is packed in so many bits is read as numbers of 32.
_WIDEST = 25


class Values(NamedTuple):
    """The values of a page.

    Attributes
    ----------
    held : int
        How many.
    plain : bytes
        The values one after the other; those of the dictionary, if the page refers to one.
    entries : int
        How many there are in it.
    place : ndarray, optional
        Of a page that refers to a dictionary the place of each value in it.
    """

    held: int
    plain: bytes
    entries: int
    place: NDArray[np.uint32] | None


def values_of(data: bytes, chunk: Chunk, *, optional: bool) -> Iterator[Values]:
    """The values in the pages of a chunk; all of them must be there.

    Parameters
    ----------
    data : bytes
        The file.
    chunk : Chunk
    optional : bool
        Whether values of the column may be missing; then each page says first which are there.
    """
    dictionary, entries, found = b"", 0, 0
    for page in chunk.pages(data):
        body = _unpacked(data, chunk, page)
        if page.kind == DICTIONARY and page.encoding in (_PLAIN, _OLD_PLACES):
            dictionary, entries = body, page.entries
            continue
        if page.kind != VALUES:
            raise ValueError("a page of another kind")
        body = _without_levels(body, page.values) if optional else body
        found += page.values
        if page.encoding == _PLAIN:
            yield Values(page.values, body, page.values, None)
        elif page.encoding in (_OLD_PLACES, _PLACES):
            yield Values(page.values, dictionary, entries, _places(body, page.values, entries))
        else:
            raise ValueError("values in another encoding")
    if found != chunk.rows:
        raise ValueError("values are missing")


def plain_texts(plain: bytes, entries: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    r"""Where texts, each of which follows its length, begin and how long they are.

    Texts have no byte that is 0, and lengths have three of them: that is where they stand, which is proved by following
    them from one to the next.

    Examples
    --------
    >>> plain_texts(b"\2\0\0\0d1\3\0\0\0d10", 2)
    (array([ 4, 10]), array([2, 3]))
    """
    if not plain.isascii():
        raise ValueError("not plain letters")  # which are proved to be UTF-8 elsewhere
    codes = np.frombuffer(plain, dtype=np.uint8)
    nothing = codes[1:-2] | codes[2:-1] | codes[3:]
    begin = np.flatnonzero(nothing == 0) + _LENGTH
    if not entries or begin.size != entries or begin[0] != _LENGTH:
        raise ValueError("other texts")
    width = codes[begin - _LENGTH].astype(np.int64)
    if (begin + width != np.append(begin[1:] - _LENGTH, codes.size)).any():
        raise ValueError("other texts")
    return begin, width


def _unpacked(data: bytes, chunk: Chunk, page: Page) -> bytes:
    body = data[page.start : page.stop]
    if chunk.codec not in (_UNCOMPRESSED, _ZSTD):
        raise ValueError("another compression")
    if chunk.codec == _ZSTD and page.unpacked:
        body = unpack_frame(body, page.unpacked)
    if len(body) != page.unpacked:
        raise ValueError("a page of another size")
    return body


def _without_levels(body: bytes, count: int) -> bytes:
    """What follows the levels, which say of each value whether it is there: all must be."""
    start = _LENGTH + int.from_bytes(body[:_LENGTH], "little")
    if not all(run.all() if isinstance(run, np.ndarray) else run[0] for run in _runs(body[_LENGTH:start], 1, count)):
        raise ValueError("a value is missing")
    return body[start:]


def _places(body: bytes, count: int, entries: int) -> NDArray[np.uint32]:
    runs = _runs(body[1:], body[0], count)
    parts = [run if isinstance(run, np.ndarray) else np.full(run[1], run[0], dtype=np.uint32) for run in runs]
    place = np.concatenate(parts) if parts else np.zeros(0, dtype=np.uint32)
    if place.max(initial=0) >= entries:
        raise ValueError("a value is not in the dictionary")
    return place


def _runs(packed: bytes, width: int, count: int) -> Iterator[tuple[int, int] | NDArray[np.uint32]]:
    """Numbers of so many bits, in runs: a number and how many times it comes, or eights of them, bit after bit.

    Examples
    --------
    Five times the number 3; then eight numbers from 0 to 7 of three bits each, as in the description of the format.

    >>> list(_runs(bytes([10, 3, 3, 0b10001000, 0b11000110, 0b11111010]), 3, 13))
    [(3, 5), array([0, 1, 2, 3, 4, 5, 6, 7], dtype=uint32)]
    """
    if width > _WIDEST:
        raise ValueError("numbers of too many bits")
    at = 0
    while count > 0:
        header, at = varint(packed, at)
        size = (header >> 1) * width if header & 1 else -(-width // 8)
        held = min((header >> 1) * 8 if header & 1 else header >> 1, count)
        if not held or at + size > len(packed):
            raise ValueError("numbers are missing")
        some = packed[at : at + size]
        # As many eights as are wanted: there may be said to be any number of numbers that take no room.
        yield _eights(some, width, -(-held // 8))[:held] if header & 1 else (int.from_bytes(some, "little"), held)
        at += size
        count -= held


def _eights(packed: bytes, width: int, eights: int) -> NDArray[np.uint32]:
    """Numbers that stand one bit after the other; eight of them end where a byte ends."""
    if not width:
        return np.zeros(8 * eights, dtype=np.uint32)
    padded = np.frombuffer(packed + bytes(_LENGTH), dtype=np.uint8)
    found = np.empty((eights, 8), dtype=np.uint32)
    mask = np.uint32((1 << width) - 1)
    for number in range(8):
        first, shift = divmod(number * width, 8)
        # Every so many bytes the number that begins there, whatever else it has.
        words = np.ndarray(eights, dtype="<u4", buffer=padded, offset=first, strides=(width,))
        found[:, number] = words >> np.uint32(shift) & mask
    return found.reshape(-1)
