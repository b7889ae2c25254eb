"""Names, such as those of documents, where they stand among the bytes of a file.

Nearly all names of a run are never looked at: they are only told apart, compared with the judged ones and, among equal
scores, ordered. So no text is made of them. Eight bytes of a name are one number, a *word*, the first byte its lowest;
names of some ten thousand documents are then hashed and compared by a few operations on arrays of words.
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


#: So many bytes must follow the last name, for two words are read at a time.
PADDING = bytes(16)

_BYTES, _PAIR = 8, 16
# So many words are looked at for all names of a column; further ones only where names go on, the rest one by one: a
# single name of a megabyte among short ones must not cost a megabyte for each of them.
_FEW, _MANY = 4, 64
# Offsets below this have 32 bits, even where looking at a name goes a few words beyond its end.
_SMALL = (1 << 31) - (1 << 12)
_END = ord("\n")
# The bytes of so many names are gathered at a time.
_TOGETHER = 1 << 15
# What is kept of a word of which so many bytes belong to the name.
_KEPT = np.array([(1 << 8 * count) - 1 for count in range(_BYTES + 1)], dtype=np.uint64)
# A hash is the sum of what a name's words become: each is multiplied by an odd number of its own, which moves upwards
# what its low bytes tell, turned round byte by byte, and multiplied again. Names of a collection often differ in a
# digit or two only, wherever these stand; a sum of words that are multiplied once could not tell some of them apart.
_GOLDEN, _MIXING = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
_WIDTH = np.uint64(0xA24BAED4963EE407)
# Where names do not differ by that hash, whether by chance or on purpose, a keyed one is used.
_SECRET = os.urandom(16)


@dataclass(frozen=True, eq=False)
class Names:
    """Names among bytes.

    Attributes
    ----------
    codes : ndarray of uint8
        The bytes, UTF-8, with `PADDING` behind the last name.
    start, width : ndarray
        Where each name begins, and how many bytes it has.
    known_words : tuple of ndarray, optional
        Their first words, where these were looked at already.

    Examples
    --------
    >>> names = Names.in_bytes(b"d1 d10 d2", np.array([0, 3, 7]), np.array([2, 3, 2]))
    >>> names.texts(), names.take(np.array([2])).texts()
    (['d1', 'd10', 'd2'], ['d2'])
    """

    codes: NDArray[np.uint8]
    start: NDArray[np.signedinteger[Any]]
    width: NDArray[np.signedinteger[Any]]
    known_words: tuple[NDArray[np.uint64], ...] | None = None

    @classmethod
    def in_bytes(
        cls, data: bytes, start: NDArray[np.signedinteger[Any]], width: NDArray[np.signedinteger[Any]]
    ) -> Names:
        """The names that stand in these bytes, which need no padding."""
        return cls(np.frombuffer(data + PADDING, dtype=np.uint8), start, width)

    @classmethod
    def side_by_side(cls, codes: NDArray[np.uint8], width: NDArray[np.signedinteger[Any]]) -> Names:
        """Names of these widths with nothing between them, and `PADDING` behind the last one."""
        kind: Any = np.int32 if codes.size < _SMALL else np.int64
        start = np.cumsum(width, dtype=kind)
        start -= width
        return cls(codes, start, width)

    @classmethod
    def of_texts(cls, texts: Sequence[str]) -> Names:
        """Python's texts; slow, for a few."""
        encoded = [text.encode() for text in texts]
        width = np.array([len(each) for each in encoded], dtype=np.int64)
        return _side_by_side(b"".join(encoded), width)

    @classmethod
    def of(cls, texts: pl.Series) -> Names:
        """The texts of a column, in which none is missing.

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
    def joined(cls, codes: NDArray[np.uint8], parts: Sequence[Names], begins: Sequence[int]) -> Names:
        """The names of several parts of these bytes, each of which begins somewhere; their words are known.

        Examples
        --------
        >>> codes = np.frombuffer(b"d1 d10" + PADDING, dtype=np.uint8)
        >>> one, other = Names(codes, np.array([0]), np.array([2])), Names(codes[3:], np.array([0]), np.array([3]))
        >>> Names.joined(codes, [one, other], [0, 3]).texts()
        ['d1', 'd10']
        """
        start = np.concatenate([part.start + begin for part, begin in zip(parts, begins, strict=True)])
        width = np.concatenate([part.width for part in parts])
        most = max(len(part.words) for part in parts)
        words = tuple(np.concatenate([part._word(number) for part in parts]) for number in range(most))
        return cls(codes, start, width, words)

    def _word(self, number: int) -> NDArray[np.uint64]:
        return self.words[number] if number < len(self.words) else np.zeros(len(self), dtype=np.uint64)

    def __len__(self) -> int:
        return self.start.size

    def take(self, rows: NDArray[np.int64]) -> Names:
        """Some of the names."""
        words = vars(self).get("words", self.known_words)
        known = None if words is None else tuple(word[rows] for word in words)
        return Names(self.codes, self.start[rows], self.width[rows], known)

    def texts(self) -> list[str]:
        """The names as Python's texts; slow, for a few."""
        return [self.codes[start : start + width].tobytes().decode() for start, width in self._places()]

    def gathered_bytes(self) -> Iterator[bytes]:
        """The bytes of all names, one name after another, some names at a time."""
        for row in range(0, len(self), _TOGETHER):
            width = self.width[row : row + _TOGETHER]
            at = np.repeat(self.start[row : row + _TOGETHER] - (np.cumsum(width) - width), width)
            at += np.arange(at.size)
            yield self.codes[at].tobytes()

    def column(self) -> pl.Series:
        """The names as a column of texts; none of them may have a line feed.

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
        """How many words the longest name takes."""
        return -(-int(self.width.max(initial=0)) // _BYTES)

    def kept(self, number: int) -> NDArray[np.uint64]:
        """Which bits of the word of this number belong to each name."""
        left = self.width - number * _BYTES if number else self.width
        return np.take(_KEPT, left, mode="clip")

    def bytes_at(self, number: int) -> NDArray[np.uint64]:
        """The words of this number and the next one, whatever stands in them behind the name: 2 x names."""
        # Two words at a time cost no more than one; where nothing is left of the name, any place will do.
        at = np.minimum(self.start + number * _BYTES, self.codes.size - _PAIR) if number else self.start
        every = np.ndarray(self.codes.size - _PAIR + 1, dtype=f"V{_PAIR}", buffer=self.codes, strides=(1,))
        return np.ascontiguousarray(every[at].view("<u8").reshape(-1, 2).T, dtype=np.uint64)

    @cached_property
    def words(self) -> tuple[NDArray[np.uint64], ...]:
        r"""The first words of each name, as many as the longest has, but few; 0 beyond its end.

        Examples
        --------
        >>> names = Names.in_bytes(b"FT911-1 FR940104-0", np.array([0, 8]), np.array([7, 10]))
        >>> for word in names.words:
        ...     print([each.tobytes().strip(b"\0") for each in word.astype("<u8")])
        [b'FT911-1', b'FR940104']
        [b'', b'-0']
        """
        return tuple(self._words()) if self.known_words is None else self.known_words

    def _words(self) -> Iterator[NDArray[np.uint64]]:
        for number in range(min(self.longest, _FEW)):
            if number % 2 == 0:
                pair = self.bytes_at(number)
            word = pair[number % 2]
            word &= self.kept(number)
            yield word

    def hashes(self, seed: int = 0) -> NDArray[np.uint64]:
        """A 64-bit hash of each name, the same on any machine and in any column.

        Examples
        --------
        >>> one, other = (Names.in_bytes(b"d1 d2", np.array([0, 3]), np.array([2, 2])) for _ in range(2))
        >>> bool((one.hashes() == other.hashes()).all()), one.hashes()[0] == one.hashes()[1]
        (True, np.False_)
        """
        # A word beyond the end is 0 and adds nothing.
        sums = self.width.astype(np.uint64)
        sums *= _WIDTH
        for number, word in enumerate(self.words):
            sums += _mixed(word, number, seed)
        for number, rows, rest in self._going_on():
            for further, word in enumerate(rest.words):
                sums[rows] += _mixed(word, number + further, seed)
        for row in np.flatnonzero(self.width > _MANY * _BYTES).tolist() if self.longest > _MANY else ():
            digest = blake2b(self._end_of(row), digest_size=_BYTES, key=seed.to_bytes(_BYTES, "little")).digest()
            sums[row] ^= np.uint64(int.from_bytes(digest, "little"))
        return sums

    def secret_hashes(self, seed: int) -> NDArray[np.uint64]:
        """A 64-bit hash of each name with a key that only this process knows: nobody can make names that collide.

        Slow, for names that `hashes` does not tell apart.

        Examples
        --------
        >>> names = Names.of_texts(["d1", "d2", "d1"])
        >>> len(set(names.secret_hashes(1).tolist())), bool((names.secret_hashes(1) == names.secret_hashes(2)).any())
        (2, False)
        """
        key = _SECRET + seed.to_bytes(_BYTES, "little")
        digests = (blake2b(self.encoded(row), digest_size=_BYTES, key=key).digest() for row in range(len(self)))
        return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)

    def _going_on(self) -> Iterator[tuple[int, NDArray[np.int64], Names]]:
        """Where names go on after their first words, a few words at a time: from which on, which rows, what is left."""
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
        >>> Names.in_bytes(b"401402", np.array([0, 0, 3]), np.array([3, 3, 3])).differ()
        array([False,  True])
        """
        differ: NDArray[np.bool_] = self.width[1:] != self.width[:-1]
        for word in self.words:
            differ |= word[1:] != word[:-1]
        if self.longest > _FEW:
            same = np.flatnonzero(~differ)
            differ[same] = ~self.take(same + 1)._go_on_alike(self.take(same))
        return differ

    def equal(self, others: Names, at: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each is the same as one of the others, at the place that is given for it."""
        others = others.take(at)
        same: NDArray[np.bool_] = self.width == others.width
        for one, other in zip(self.words, others.words, strict=False):
            same &= one == other
        if self.longest > _FEW:
            rows = np.flatnonzero(same)
            same[rows] = self.take(rows)._go_on_alike(others.take(rows))
        return same

    def _go_on_alike(self, others: Names) -> NDArray[np.bool_]:
        """Whether names of the same width are the same beyond their first words."""
        same = np.ones(len(self), dtype=np.bool_)
        for (_, rows, rest), (_, _, other) in zip(self._going_on(), others._going_on(), strict=True):
            for one, two in zip(rest.words, other.words, strict=True):
                same[rows] &= one == two
        for row in np.flatnonzero(same & (self.width > _MANY * _BYTES)).tolist():
            same[row] = self._end_of(row) == others._end_of(row)
        return same

    def encoded(self, row: int) -> bytes:
        """The bytes of one name."""
        start = int(self.start[row])
        return self.codes[start : start + int(self.width[row])].tobytes()

    def _places(self) -> Iterator[tuple[int, int]]:
        return zip(self.start.tolist(), self.width.tolist(), strict=True)

    def __reduce__(self) -> tuple[Any, ...]:
        # Only the names go elsewhere, not all that they stand among.
        return _side_by_side, (b"".join(self.gathered_bytes()), self.width)


def _side_by_side(data: bytes, width: NDArray[np.signedinteger[Any]]) -> Names:
    return Names.side_by_side(np.frombuffer(data + PADDING, dtype=np.uint8), width)


def _mixed(word: NDArray[np.uint64], number: int, seed: int) -> NDArray[np.uint64]:
    """What a word adds to the hash; nothing, if it is 0."""
    odd = 2 * (_MANY * seed + number) + 1
    mixed = word * np.uint64(pow(_GOLDEN, odd, 1 << 64))
    mixed.byteswap(inplace=True)
    mixed *= np.uint64(pow(_MIXING, odd, 1 << 64))
    return mixed


_MOST_COUNTED = np.iinfo(np.uint16).max


def order_of_names(names: Names, groups: NDArray[np.int64], *, falling: bool = False) -> NDArray[np.int64]:
    """The order of the names within groups that come one after the other.

    Examples
    --------
    >>> from metameter.types.byte_strings import Names
    >>> names = Names.in_bytes(b"b a c", np.array([0, 2, 4]), np.array([1, 1, 1]))
    >>> order_of_names(names, np.array([0, 0, 1])), order_of_names(names, np.zeros(3, int), falling=True)
    (array([1, 0, 2]), array([2, 0, 1]))
    """
    order = np.arange(len(names))
    # What is not in its place yet, and among which others: word by word there is less of it.
    left, among = order.copy(), groups
    for word in names.words:
        # The first byte must count most.
        key = word[order[left]].byteswap()
        sorted_left = _within(among, ~key if falling else key)
        order[left], key = order[left][sorted_left], key[sorted_left]
        alike = (among[1:] == among[:-1]) & (key[1:] == key[:-1])
        if not alike.any():
            return order
        left, among = _meeting(alike, left)
    rows = [(group, names.encoded(row), row) for group, row in zip(among.tolist(), order[left].tolist(), strict=True)]
    rows.sort(key=itemgetter(1), reverse=falling)
    order[left] = [row for _, _, row in sorted(rows, key=itemgetter(0))]
    return order


def _within(groups: NDArray[np.int64], key: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The order by key within groups that come one after the other; that of equal keys does not matter."""
    by_key = np.argsort(key)
    # Small numbers are sorted in no time, by counting.
    small = groups.astype(np.uint16) if groups.size and groups[-1] <= _MOST_COUNTED else groups
    return np.asarray(by_key[np.argsort(small[by_key], kind="stable")])


def _meeting(alike: NDArray[np.bool_], places: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The places that are like the one before or after, and a number for each lot of them."""
    after, before = np.append(False, alike), np.append(alike, False)
    kept = np.flatnonzero(after | before)
    return places[kept], np.cumsum(~after[kept])
