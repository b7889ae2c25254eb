"""Concordant less discordant pairs of rows that are known by their counts, for many resamples of the counts at once.

That number is a quadratic form in the counts. Its matrix is never made whole: in the order of the scores, rows of one
chunk meet each other in a small matrix of signs, and chunks meet each other in their totals by label. So the work grows
with the number of different counts, not with its square. All figures are exact whole numbers, whatever the order in
which they are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Concordance", "CountBlocks", "summing"]

#: Up to this many rows twice their number is exact in single precision, and their square in double precision.
_SINGLE, _DOUBLE = 1 << 23, 90_000_000
#: The same for squares in integers of 64 bits. Beyond, numbers are no longer exact.
_INTEGERS = 3_000_000_000
#: Counts in one product of matrices: what is computed from them stays near the processor.
_TOGETHER = 1 << 18
#: Fewer resamples together would take longer to set up than to compute.
_FEWEST = 64
#: Counts in a chunk: fewer make more chunks, more make larger matrices.
_WIDTH = 32


@dataclass(frozen=True, eq=False)
class CountBlocks:
    """Resamples of the counts of cells, laid out for products: what all metrics need of them.

    Attributes
    ----------
    blocks : tuple of ndarray, (cells, some)
        In the narrowest numbers in which all that is computed from them is exact.
    rows : ndarray, (resamples,)
        How many rows each resample has.
    untied : ndarray, (resamples,)
        In how many ordered pairs of them the labels differ.
    """

    blocks: tuple[NDArray[Any], ...]
    rows: NDArray[Any]
    untied: NDArray[Any]

    @classmethod
    def of(cls, drawn: Sequence[NDArray[Any]], level: NDArray[np.int64]) -> CountBlocks:
        """Lay out resamples, each (some, cells), of cells with these labels.

        Examples
        --------
        >>> made = CountBlocks.of([np.array([[2, 1, 1], [0, 4, 0]])], np.array([0, 1, 1]))
        >>> made.rows, made.untied, made.blocks[0].dtype  # twice 2 x 2 pairs, and none
        (array([4., 4.]), array([8., 0.]), dtype('float32'))
        """
        most = max((int(each.sum(axis=1).max(initial=0)) for each in drawn), default=0)
        narrow, wide = _numbers(most)
        whole, together = np.concatenate(drawn), max(_TOGETHER // max(len(level), 1), _FEWEST)
        pieces = [whole[at : at + together] for at in range(0, len(whole), together)]
        blocks: tuple[NDArray[Any], ...] = tuple(np.ascontiguousarray(piece.T, dtype=narrow) for piece in pieces)
        by_level = summing(level, np.arange(len(level)), (int(level.max(initial=-1)) + 1, len(level)), narrow)
        margins: NDArray[Any] = np.concatenate([by_level @ block for block in blocks], axis=1).astype(wide)
        rows = margins.sum(axis=0)
        return cls(blocks, rows, rows * rows - _products(margins, margins))


def _numbers(rows: int) -> tuple[type, type]:
    """Kinds of numbers in which counts of so many rows, and products of two such counts, are exact."""
    if rows <= _SINGLE:
        return np.float32, np.float64
    return (np.int64, np.int64) if _DOUBLE < rows <= _INTEGERS else (np.float64, np.float64)


def summing(to: NDArray[np.int64], of: NDArray[np.int64], shape: tuple[int, int], kind: type) -> Any:
    """The sparse matrix whose product adds the entries ``of`` into the entries ``to``, one by one.

    Examples
    --------
    >>> summing(np.array([0, 0, 1]), np.array([0, 1, 2]), (2, 3), int) @ np.array([[5], [6], [7]])
    array([[11],
           [ 7]])
    """
    from scipy.sparse import csr_array

    starts = np.concatenate([[0], np.cumsum(np.bincount(to, minlength=shape[0]))])
    return csr_array((np.ones(len(to), dtype=kind), of[np.argsort(to, kind="stable")], starts), shape=shape)


def _products(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    """Sums of products down the columns, in numbers wide enough."""
    wide = np.int64 if one.dtype == np.int64 else np.float64
    return np.asarray(np.einsum("gb,gb->b", one, other, dtype=wide))


@dataclass(frozen=True, eq=False)
class Concordance:
    """The pairs of cells that one metric and the labels order alike, less those that they order otherwise.

    Attributes
    ----------
    grouped : sparse array, (places, cells)
        Adds up the cells with equal scores and labels, and puts them in the order of the scores, in chunks.
    signs : ndarray, (chunks, width, width)
        Within a chunk: 1 where the second is below the first in score and label, -1 where in score only.
    totals : sparse array, (chunks x labels + scores, places)
        Adds up each chunk by label, and everything by score.
    labels : int
        How many there are.
    """

    grouped: Any
    signs: NDArray[Any]
    totals: Any
    labels: int

    @classmethod
    def of(cls, code: NDArray[np.int64], level: NDArray[np.int64], kind: type | np.dtype[Any]) -> Concordance:
        """Prepare for cells with these scores and labels, both numbered from 0, for counts of this kind of numbers."""
        codes, labels = (int(each.max(initial=-1)) + 1 for each in (code, level))
        # Scores and labels are alike to pairs: chunks meet in the totals of whichever are fewer.
        order, mark, labels = (level, code, codes) if labels > codes else (code, level, labels)
        keys, own = np.unique(order * max(labels, 1) + mark, return_inverse=True)
        high, low = np.divmod(keys, max(labels, 1))
        chunk, place, width = _chunked(high, labels)
        chunks = int(chunk.max(initial=-1)) + 1
        score = np.empty_like(keys)
        score[own] = code
        numbers = np.dtype(kind).type
        grouped = summing(place[own], np.arange(len(own)), (chunks * width, len(own)), numbers)
        into, out_of = np.concatenate([chunk * labels + low, chunks * labels + score]), np.tile(place, 2)
        totals = summing(into, out_of, (chunks * labels + codes, chunks * width), numbers)
        filled = np.zeros((2, chunks * width), dtype=np.int64)
        filled[:, place] = high, low
        above, labelled = filled.reshape(2, chunks, width)
        signs = np.sign(labelled[:, :, None] - labelled[:, None]) * (above[:, :, None] > above[:, None])
        return cls(grouped, signs.astype(numbers), totals, labels)

    def sums(self, block: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Of counts (cells, resamples): concordant less discordant pairs, and the sum of squares of counts by score.

        Examples
        --------
        >>> Concordance.of(np.array([0, 1, 0]), np.array([0, 1, 1]), int).sums(np.array([[5], [6], [7]]))
        (array([30]), array([180]))
        """
        counts = self.grouped @ block
        chunks, width, _ = self.signs.shape
        below_within = self.signs @ counts.reshape(chunks, width, -1)
        difference = _products(below_within.reshape(counts.shape), counts)
        totals = self.totals @ counts
        tables, margin = np.split(totals, [chunks * self.labels])
        table = tables.reshape(chunks, self.labels, -1)
        # Of the chunks below each: those with lower labels count for, those with higher ones against.
        below = np.cumsum(table, axis=0) - table
        up_to = np.cumsum(below, axis=1)
        balance = 2 * up_to - below - up_to[:, -1:]
        return difference + _products(balance.reshape(tables.shape), tables), _products(margin, margin)


def _chunked(high: NDArray[np.int64], labels: int) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Divide entries, sorted by score, into chunks of one width: of each entry its chunk and place, and the width.

    No score is divided between chunks: so pairs of entries with equal scores are within one.

    Examples
    --------
    >>> _chunked(np.repeat([0, 1, 2], 12), 12)[1][[0, 12, 24]]  # the third begins another chunk of 32
    array([ 0, 12, 32])
    """
    at = np.arange(len(high))
    first = np.searchsorted(high, high)
    most = int((at - first).max(initial=0)) + 1
    # With more labels the totals of chunks cost more: fewer and wider ones cost least.
    width = max(_WIDTH, 2 * most, int(6 * labels**0.5))
    # The last score that begins in a chunk still fits into it.
    chunk = first // (width - most + 1)
    return chunk, chunk * width + at - np.searchsorted(chunk, chunk), width
