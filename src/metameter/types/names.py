"""Names, such as those of documents, where they stand among the bytes of a file.

Nearly all names of a run are never looked at: they are only told apart, compared with the judged ones and, among equal
scores, ordered. So no text is made of them. Eight bytes of a name are one number, a *word*, the first byte its lowest;
names of some ten thousand documents are then hashed and compared by a few operations on arrays of words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["PADDING", "Names"]

#: So many bytes must follow the last name, for two words are read at a time.
PADDING = bytes(16)

_BYTES, _PAIR = 8, 16
# What is kept of a word of which so many bytes belong to the name.
_KEPT = np.array([(1 << 8 * count) - 1 for count in range(_BYTES + 1)], dtype=np.uint64)
# Multiplying by odd numbers spreads differences to the high bits (Knuth's golden-ratio hashing), folding brings them
# down again: the names of a collection often differ in a digit or two only. Each word has numbers of its own, so that
# what one of them changes is not undone by another.
_GOLDEN, _MIXING, _HALF = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, np.uint64(32)


@dataclass(frozen=True, eq=False)
class Names:
    """Names among bytes.

    Attributes
    ----------
    codes : ndarray of uint8
        The bytes, UTF-8, with `PADDING` behind the last name.
    start, width : ndarray
        Where each name begins, and how many bytes it has.

    Examples
    --------
    >>> names = Names.in_bytes(b"d1 d10 d2", np.array([0, 3, 7]), np.array([2, 3, 2]))
    >>> names.texts(), names.take(np.array([2])).texts()
    (['d1', 'd10', 'd2'], ['d2'])
    """

    codes: NDArray[np.uint8]
    start: NDArray[np.int64]
    width: NDArray[np.int64]

    @classmethod
    def in_bytes(cls, data: bytes, start: NDArray[np.int64], width: NDArray[np.int64]) -> Names:
        """The names that stand in these bytes, which need no padding."""
        return cls(np.frombuffer(data + PADDING, dtype=np.uint8), start, width)

    @classmethod
    def of_texts(cls, texts: Sequence[str]) -> Names:
        """Python's texts; slow, for a few."""
        encoded = [text.encode() for text in texts]
        width = np.array([len(each) for each in encoded], dtype=np.int64)
        return cls.in_bytes(b"".join(encoded), np.cumsum(width) - width, width)

    @classmethod
    def of(cls, texts: pl.Series) -> Names:
        """The texts of a column; a missing one is an empty name.

        Examples
        --------
        >>> import polars as pl
        >>> Names.of(pl.Series(["d1", None, "d10"])).texts()
        ['d1', '', 'd10']
        """
        import polars as pl

        texts = texts if texts.dtype == pl.String else texts.cast(pl.String)
        texts = texts.fill_null("") if texts.null_count() else texts
        width = texts.str.len_bytes().to_numpy().astype(np.int64)
        together = texts.str.join().item() if len(texts) else ""
        return cls.in_bytes(together.encode(), np.cumsum(width) - width, width)

    def __len__(self) -> int:
        return self.start.size

    def take(self, rows: NDArray[np.int64]) -> Names:
        """Some of the names."""
        return Names(self.codes, self.start[rows], self.width[rows])

    def texts(self) -> list[str]:
        """The names as Python's texts; slow, for a few."""
        ends = zip(self.start.tolist(), (self.start + self.width).tolist(), strict=True)
        return [self.codes[start:end].tobytes().decode() for start, end in ends]

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

    def words(self) -> Iterator[NDArray[np.uint64]]:
        """The words of each name, the first ones first; 0 beyond its end.

        Examples
        --------
        >>> names = Names.in_bytes(b"FT911-1 FR940104-0", np.array([0, 8]), np.array([7, 10]))
        >>> for word in names.words():
        ...     print(word.view("S8"))
        [b'FT911-1' b'FR940104']
        [b'' b'-0']
        """
        for number in range(self.longest):
            if number % 2 == 0:
                pair = self.bytes_at(number)
            yield pair[number % 2] & self.kept(number)

    def hashes(self, seed: int = 0) -> NDArray[np.uint64]:
        """A 64-bit hash of each name, the same on any machine; names of up to eight bytes never collide.

        Examples
        --------
        >>> one, other = (Names.in_bytes(b"d1 d2", np.array([0, 3]), np.array([2, 2])) for _ in range(2))
        >>> bool((one.hashes() == other.hashes()).all()), one.hashes()[0] == one.hashes()[1]
        (True, np.False_)
        """
        sums = np.zeros(len(self), dtype=np.uint64)
        for number, word in enumerate(self.words()):
            # A word beyond the end is 0 and adds nothing, whatever the longest name of the column.
            odd = 2 * (64 * seed + number) + 1
            word *= np.uint64(pow(_GOLDEN, odd, 1 << 64))
            word ^= word >> _HALF
            word *= np.uint64(pow(_MIXING, odd, 1 << 64))
            sums += word
        return sums

    def differ(self) -> NDArray[np.bool_]:
        """Whether each name but the first differs from the one before it.

        Examples
        --------
        >>> Names.in_bytes(b"401402", np.array([0, 0, 3]), np.array([3, 3, 3])).differ()
        array([False,  True])
        """
        differ: NDArray[np.bool_] = self.width[1:] != self.width[:-1]
        for word in self.words():
            differ |= word[1:] != word[:-1]
        return differ

    def equal(self, others: Names, at: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each is the same as one of the others, at the place that is given for it."""
        same: NDArray[np.bool_] = self.width == others.width[at]
        for one, every in zip(self.words(), others.every_word, strict=False):
            same &= one == every[at]
        return same

    @cached_property
    def every_word(self) -> tuple[NDArray[np.uint64], ...]:
        """All words, for names that are asked for again and again."""
        return tuple(self.words())

    def order(self, groups: NDArray[np.int64], *, falling: bool = False) -> NDArray[np.int64]:
        """The order of the names, compared byte by byte, within groups that come one after the other.

        Examples
        --------
        >>> names = Names.in_bytes(b"b a c", np.array([0, 2, 4]), np.array([1, 1, 1]))
        >>> names.order(np.array([0, 0, 1])), names.order(np.zeros(3, int), falling=True)
        (array([1, 0, 2]), array([2, 0, 1]))
        """
        # The first byte must count most; a name that goes on comes after the one that ends.
        keys: list[NDArray[Any]] = [*(word.byteswap() for word in self.words()), self.width]
        keys = [~key for key in keys] if falling else keys
        return np.lexsort((*reversed(keys), groups))
