"""Byte strings, such as document names, as offsets and widths in the bytes of a file.

Most document names of a run are never displayed: they are only compared with each other and with the judged ones, and
ordered among equal scores. So no Python strings are made. Eight bytes of a name are one integer, a *word*, with the
first byte lowest; a few array operations then hash or compare the names of tens of thousands of documents.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl


#: The bytes that must follow the last name, since two words are read at a time.
PADDING = bytes(16)

_BYTES, _PAIR = 8, 16
# The first _FEW words are read for all names, further ones up to _MANY only for names that long, and the rest name by
# name: a single name of a megabyte among short ones must not cost a megabyte for each of them.
_FEW, _MANY = 4, 64
# Offsets below this fit in 32 bits, even where reading a name goes a few words beyond its end.
_SMALL = (1 << 31) - (1 << 12)
_END = ord("\n")
# How many names are gathered at a time.
_TOGETHER = 1 << 15
# Masks that keep the first 0 to 8 bytes of a word.
_MASKS = np.array([(1 << 8 * count) - 1 for count in range(_BYTES + 1)], dtype=np.uint64)
# A hash is the sum of a name's mixed words: each is multiplied by an odd number of its own, which carries its low bits
# upwards, byte-swapped, and multiplied again. Names of a collection often differ in a digit or two at any position; a
# sum of words multiplied only once would give some of them the same hash.
_GOLDEN, _MIXING = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
_WIDTH = np.uint64(0xA24BAED4963EE407)
# A keyed hash is used where names collide in the first one, by chance or on purpose.
_SECRET = os.urandom(16)


@dataclass(frozen=True, eq=False)
class Names:
    """An array of byte strings.

    Attributes
    ----------
    codes : ndarray of uint8
        The bytes, in UTF-8, with `PADDING` after the last name.
    start, width : ndarray
        The offset and the number of bytes of each name.
    known_word64s : tuple of ndarray, optional
        The first words of the names, if they have been read already.

    Examples
    --------
    >>> names = Names.of_texts(["d1", "d10", "d2"])
    >>> names.texts(), names.take(np.array([2])).texts()
    (['d1', 'd10', 'd2'], ['d2'])
    """

    codes: NDArray[np.uint8]
    start: NDArray[np.signedinteger[Any]]
    width: NDArray[np.signedinteger[Any]]
    known_word64s: tuple[NDArray[np.uint64], ...] | None = None

    @classmethod
    def side_by_side(cls, codes: NDArray[np.uint8], width: NDArray[np.signedinteger[Any]]) -> Names:
        """Make an array of names of these widths that follow each other without gaps, with `PADDING` at the end."""
        dtype: Any = np.int32 if codes.size < _SMALL else np.int64
        start = np.cumsum(width, dtype=dtype)
        start -= width
        return cls(codes, start, width)

    @classmethod
    def of_texts(cls, texts: Sequence[str]) -> Names:
        """Make an array of Python strings."""
        together = "".join(texts)
        if together.isascii():  # many times as fast as text by text
            width = np.fromiter(map(len, texts), np.int64, len(texts))
            return _side_by_side(together.encode(), width)
        encoded = [text.encode() for text in texts]
        width = np.array([len(each) for each in encoded], dtype=np.int64)
        return _side_by_side(b"".join(encoded), width)

    @classmethod
    def of(cls, texts: pl.Series) -> Names:
        """Make an array of the strings of a column without nulls.

        Examples
        --------
        >>> import polars as pl
        >>> Names.of(pl.Series(["d1", "d10"])).texts()
        ['d1', 'd10']
        """
        import polars as pl

        texts = texts if texts.dtype == pl.String else texts.cast(pl.String)
        width = texts.str.len_bytes().to_numpy().astype(np.int64)
        together = texts.str.join().item() if len(texts) else ""
        return _side_by_side(together.encode(), width)

    @classmethod
    def concatenate(cls, codes: NDArray[np.uint8], parts: Sequence[Names], begins: Sequence[int]) -> Names:
        """Join the names of several parts of these bytes, given the offset of each part.

        Examples
        --------
        >>> codes = np.frombuffer(b"d1 d10" + PADDING, dtype=np.uint8)
        >>> one, other = Names(codes, np.array([0]), np.array([2])), Names(codes[3:], np.array([0]), np.array([3]))
        >>> Names.concatenate(codes, [one, other], [0, 3]).texts()
        ['d1', 'd10']
        """
        start = np.concatenate([part.start + begin for part, begin in zip(parts, begins, strict=True)])
        width = np.concatenate([part.width for part in parts])
        most = max(len(part.word64s) for part in parts)
        words = tuple(np.concatenate([part._word(number) for part in parts]) for number in range(most))
        return cls(codes, start, width, words)

    def _word(self, number: int) -> NDArray[np.uint64]:
        return self.word64s[number] if number < len(self.word64s) else np.zeros(len(self), dtype=np.uint64)

    def __len__(self) -> int:
        return self.start.size

    def take(self, rows: NDArray[np.int64]) -> Names:
        """The names of these rows."""
        words = vars(self).get("word64s", self.known_word64s)
        known = None if words is None else tuple(word[rows] for word in words)
        return Names(self.codes, self.start[rows], self.width[rows], known)

    def texts(self) -> list[str]:
        """The names as Python strings; slow, for small numbers of names."""
        return [self.codes[start : start + width].tobytes().decode() for start, width in self._spans()]

    def gathered_bytes(self) -> Iterator[bytes]:
        """Yield the bytes of all names without gaps, in blocks of names."""
        for row in range(0, len(self), _TOGETHER):
            width = self.width[row : row + _TOGETHER]
            at = np.repeat(self.start[row : row + _TOGETHER] - (np.cumsum(width) - width), width)
            at += np.arange(at.size)
            yield self.codes[at].tobytes()

    def column(self) -> pl.Series:
        """The names as a column of strings; none of them may contain a line feed.

        Examples
        --------
        >>> Names.of_texts(["d1", "d10"]).column().to_list()
        ['d1', 'd10']
        """
        import polars as pl

        if not len(self):
            return pl.Series(dtype=pl.String)
        lines = np.full(int(self.width.sum()) + len(self), _END, dtype=np.uint8)
        between = np.ones(lines.size, dtype=np.bool_)
        between[np.cumsum(self.width + 1) - 1] = False
        lines[between] = np.frombuffer(b"".join(self.gathered_bytes()), dtype=np.uint8)
        return pl.Series([lines[:-1].tobytes().decode()]).str.split("\n").explode()

    @cached_property
    def longest(self) -> int:
        """The number of words of the longest name."""
        return -(-int(self.width.max(initial=0)) // _BYTES)

    def mask(self, number: int) -> NDArray[np.uint64]:
        """The mask of the bits of word ``number`` that belong to each name."""
        left = self.width - number * _BYTES if number else self.width
        return np.take(_MASKS, left, mode="clip")

    def bytes_at(self, number: int) -> NDArray[np.uint64]:
        """Words ``number`` and ``number`` + 1, including bytes beyond the end of the name: 2 x names."""
        # Reading two words costs as much as one; beyond the end of a name, any offset will do.
        offset = np.minimum(self.start + number * _BYTES, self.codes.size - _PAIR) if number else self.start
        pairs = np.ndarray(self.codes.size - _PAIR + 1, dtype=f"V{_PAIR}", buffer=self.codes, strides=(1,))
        return np.ascontiguousarray(pairs[offset].view("<u8").reshape(-1, 2).T, dtype=np.uint64)

    @cached_property
    def word64s(self) -> tuple[NDArray[np.uint64], ...]:
        r"""The first words of each name, up to those of the longest but at most 4; 0 beyond its end.

        Examples
        --------
        >>> names = Names.of_texts(["FT911-1", "FR940104-0"])
        >>> for word in names.word64s:
        ...     print([each.tobytes().strip(b"\0") for each in word.astype("<u8")])
        [b'FT911-1', b'FR940104']
        [b'', b'-0']
        """
        return tuple(self._word64s()) if self.known_word64s is None else self.known_word64s

    def _word64s(self) -> Iterator[NDArray[np.uint64]]:
        for number in range(min(self.longest, _FEW)):
            if number % 2 == 0:
                pair = self.bytes_at(number)
            word = pair[number % 2]
            word &= self.mask(number)
            yield word

    def hashes(self, seed: int = 0) -> NDArray[np.uint64]:
        """A 64-bit hash of each name, which is the same on any machine.

        Examples
        --------
        >>> one, other = (Names.of_texts(["d1", "d2"]) for _ in range(2))
        >>> bool((one.hashes() == other.hashes()).all()), one.hashes()[0] == one.hashes()[1]
        (True, np.False_)
        """
        # A word beyond the end is 0 and adds nothing.
        sums = self.width.astype(np.uint64)
        sums *= _WIDTH
        for number, word in enumerate(self.word64s):
            sums += _mix(word, number, seed)
        for first, rows, rest in self._long_rests():
            for number, word in enumerate(rest.word64s, start=first):
                sums[rows] += _mix(word, number, seed)
        for row in np.flatnonzero(self.width > _MANY * _BYTES).tolist() if self.longest > _MANY else ():
            digest = blake2b(self._end_of(row), digest_size=_BYTES, key=seed.to_bytes(_BYTES, "little")).digest()
            sums[row] ^= np.uint64(int.from_bytes(digest, "little"))
        return sums

    def secret_hashes(self, seed: int) -> NDArray[np.uint64]:
        """A keyed 64-bit hash of each name; the key is secret, so that no one can construct names that collide.

        Slow, for names that collide in `hashes`.

        Examples
        --------
        >>> names = Names.of_texts(["d1", "d2", "d1"])
        >>> len(set(names.secret_hashes(1).tolist())), bool((names.secret_hashes(1) == names.secret_hashes(2)).any())
        (2, False)
        """
        key = _SECRET + seed.to_bytes(_BYTES, "little")
        digests = (blake2b(self.encoded(row), digest_size=_BYTES, key=key).digest() for row in range(len(self)))
        return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)

    def _long_rests(self) -> Iterator[tuple[int, NDArray[np.int64], Names]]:
        """Yield the rest of long names a few words at a time: the first word's number, the rows and the rest."""
        if self.longest <= _FEW:
            return
        number, rows = _FEW, np.flatnonzero(self.width > _FEW * _BYTES)
        while rows.size and number < _MANY:
            yield (
                number,
                rows,
                Names(self.codes, self.start[rows] + number * _BYTES, self.width[rows] - number * _BYTES),
            )
            number += _FEW
            rows = rows[self.width[rows] > number * _BYTES]

    def _end_of(self, row: int) -> bytes:
        start = int(self.start[row])
        return self.codes[start + _MANY * _BYTES : start + int(self.width[row])].tobytes()

    def differ(self) -> NDArray[np.bool_]:
        """Whether each name but the first differs from the one before it.

        Examples
        --------
        >>> Names.of_texts(["401", "401", "402"]).differ()
        array([False,  True])
        """
        differ: NDArray[np.bool_] = self.width[1:] != self.width[:-1]
        for word in self.word64s:
            differ |= word[1:] != word[:-1]
        if self.longest > _FEW:
            same = np.flatnonzero(~differ)
            differ[same] = ~self.take(same + 1)._rests_equal(self.take(same))
        return differ

    def equal(self, others: Names, at: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each name equals the one at the given position in ``others``."""
        others = others.take(at)
        same: NDArray[np.bool_] = self.width == others.width
        for one, other in zip(self.word64s, others.word64s, strict=False):
            same &= one == other
        if self.longest > _FEW:
            rows = np.flatnonzero(same)
            same[rows] = self.take(rows)._rests_equal(others.take(rows))
        return same

    def _rests_equal(self, others: Names) -> NDArray[np.bool_]:
        """Whether names of the same width are equal beyond their first words."""
        same = np.ones(len(self), dtype=np.bool_)
        for (_, rows, rest), (_, _, other) in zip(self._long_rests(), others._long_rests(), strict=True):
            for one, two in zip(rest.word64s, other.word64s, strict=True):
                same[rows] &= one == two
        for row in np.flatnonzero(same & (self.width > _MANY * _BYTES)).tolist():
            same[row] = self._end_of(row) == others._end_of(row)
        return same

    def encoded(self, row: int) -> bytes:
        """The bytes of one name."""
        start = int(self.start[row])
        return self.codes[start : start + int(self.width[row])].tobytes()

    def _spans(self) -> Iterator[tuple[int, int]]:
        return zip(self.start.tolist(), self.width.tolist(), strict=True)

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickle only the names, not the bytes around them.
        return _side_by_side, (b"".join(self.gathered_bytes()), self.width)


def _side_by_side(data: bytes, width: NDArray[np.signedinteger[Any]]) -> Names:
    return Names.side_by_side(np.frombuffer(data + PADDING, dtype=np.uint8), width)


def _mix(word: NDArray[np.uint64], number: int, seed: int) -> NDArray[np.uint64]:
    """The contribution of a word to the hash; 0 for the word 0."""
    odd = 2 * (_MANY * seed + number) + 1
    mixed = word * np.uint64(pow(_GOLDEN, odd, 1 << 64))
    mixed.byteswap(inplace=True)
    mixed *= np.uint64(pow(_MIXING, odd, 1 << 64))
    return mixed


_MOST_GROUPS = np.iinfo(np.uint16).max


def order_of_names(names: Names, groups: NDArray[np.int64], *, falling: bool = False) -> NDArray[np.int64]:
    """The order of the names within consecutive groups, byte by byte.

    Examples
    --------
    >>> from metameter.types.byte_strings import Names
    >>> names = Names.of_texts(["b", "a", "c"])
    >>> order_of_names(names, np.array([0, 0, 1])), order_of_names(names, np.zeros(3, int), falling=True)
    (array([1, 0, 2]), array([2, 0, 1]))
    """
    order = np.arange(len(names))
    # Positions not yet ordered, and their groups: word by word they become fewer.
    unordered, among = order.copy(), groups
    for word in names.word64s:
        # The first byte must be the most significant one.
        key = word[order[unordered]].byteswap()
        by_key = _order_within(among, ~key if falling else key)
        order[unordered], key = order[unordered][by_key], key[by_key]
        alike = (among[1:] == among[:-1]) & (key[1:] == key[:-1])
        if not alike.any():
            return order
        unordered, among = _runs_of_equals(alike, unordered)
    remaining = zip(among.tolist(), order[unordered].tolist(), strict=True)
    rows = [(group, names.encoded(row), row) for group, row in remaining]
    rows.sort(key=itemgetter(1), reverse=falling)
    order[unordered] = [row for _, _, row in sorted(rows, key=itemgetter(0))]
    return order


def _order_within(groups: NDArray[np.int64], key: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The order by key within consecutive groups; equal keys may come in any order."""
    by_key = np.argsort(key)
    # NumPy sorts 16-bit integers by radix sort, which is fast.
    small = groups.astype(np.uint16) if groups.size and groups[-1] <= _MOST_GROUPS else groups
    return np.asarray(by_key[np.argsort(small[by_key], kind="stable")])


def _runs_of_equals(
    alike: NDArray[np.bool_], positions: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The positions whose key equals that of a neighbour, and the number of the run that each belongs to."""
    after, before = np.append(False, alike), np.append(alike, False)
    equal = np.flatnonzero(after | before)
    return positions[equal], np.cumsum(~after[equal])
