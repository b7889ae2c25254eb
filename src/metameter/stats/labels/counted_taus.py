"""Rank agreement between scores of items and ordered labels, from counts of labels by item instead of single rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metameter.parallel import Progress, Workers
from metameter.stats.checks import Floats
from metameter.stats.rank_correlation.kendall import tied_pairs_of
from metameter.stats.resampling.replicates import Replicates, map_blocks

if TYPE_CHECKING:
    from metameter.stats.labels.counts import LabelCounts


#: Up to this many rows, twice the number is exact in single precision, and the square in double precision.
_SINGLE, _DOUBLE = 1 << 23, 90_000_000
#: Up to this many rows, squares fit into 64-bit integers; beyond, floats are used, which are not exact.
_INTEGERS = 3_000_000_000
#: Counts in one matrix product, few enough for the cache.
_COUNTS_IN_PRODUCT = 1 << 18
#: The least number of resamples in one matrix product; with fewer, overhead dominates.
_LEAST_RESAMPLES = 64
#: Counts in a chunk: with a lower number there are more chunks, with a higher one larger matrices.
_WIDTH = 32

#: Counts in memory at a time.
_CHUNK = 1 << 22


@dataclass(frozen=True, eq=False)
class CountedTaus:
    """tau_b of each metric with the labels, and the p-value of no association; NaN where it is constant.

    Attributes
    ----------
    statistic, pvalue : ndarray, (metrics,)
        The p-value is two-sided, by the normal approximation with ties.
    difference : ndarray, (metrics,)
        Concordant less discordant pairs of rows.
    """

    statistic: Floats
    pvalue: Floats
    difference: Floats


def counted_taus(codes: NDArray[np.int64], counts: LabelCounts) -> CountedTaus:
    """tau_b between the scores of metrics and the labels.

    Parameters
    ----------
    codes : ndarray of int, (metrics, items)
        The scores of each metric as dense ranks from 0, as `tied_codes` gives them.
    counts : LabelCounts

    Examples
    --------
    >>> from metameter.stats.labels.counts import LabelCounts
    >>> counts = LabelCounts(np.array([0, 1, 2]), np.array([0, 1, 0]), np.array([1, 1, 2]))
    >>> counted_taus(np.array([[0, 1, 0], [0, 1, 1]]), counts).statistic.round(4)
    array([1.    , 0.3333])
    """
    item, level = counts.cells.T
    samples = CountBlocks.of([counts.by_cell[None]], level)
    labels = _margin(level, counts.by_cell)
    distinct, which = _distinct(codes)
    statistic, pvalue, differences = np.full((3, len(distinct)), np.nan)
    for row, each in enumerate(distinct):
        difference, squares = _sums(each[item], level, samples)
        statistic[row] = _ratio(difference, samples, squares)[0]
        differences[row] = difference[0]
        pvalue[row] = _pvalue(float(difference[0]), _margin(each[item], counts.by_cell), labels)
    return CountedTaus(statistic[which], pvalue[which], differences[which])


def _distinct(codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct rows of codes, and for each metric the index of its row: equal rows have the same tau.

    Examples
    --------
    >>> _distinct(np.array([[0, 1], [1, 0], [0, 1]]))
    (array([[0, 1],
           [1, 0]]), array([0, 1, 0]))
    """
    numbers: dict[bytes, int] = {}
    which = np.array([numbers.setdefault(each.tobytes(), len(numbers)) for each in codes], dtype=np.int64)
    return codes[np.unique(which, return_index=True)[1]], which


def _margin(code: NDArray[np.int64], count: NDArray[np.int64]) -> Floats:
    return np.bincount(code, weights=count).astype(np.float64)


def resampled_taus(
    codes: NDArray[np.int64],
    counts: LabelCounts,
    resamples: Iterable[NDArray[Any]],
    jobs: int | Workers | None = None,
    progress: Progress | None = None,
    statistic: Literal["tau_b", "concordance", "both"] = "tau_b",
) -> Floats:
    """tau_b of each metric with the labels in every resample, (resamples, metrics); NaN where one is constant.

    With ``both``: tau_b and concordance, (resamples, metrics, 2).

    Parameters
    ----------
    codes : ndarray of int, (metrics, items)
    counts : LabelCounts
    resamples : Replicates or iterable of ndarray, (some, cells)
        As `label_resamples` draws them, or any other counts of the cells.
    jobs : int or Workers, optional
    progress : callable, optional
        Called with the number of taus done and their total, if that is known.
    statistic : {"tau_b", "concordance", "both"}
        Concordance is the share of the pairs with different labels that the scores order in the same way, tied scores
        counting half. Unlike tau_b, it does not rise if scores are tied.

    Examples
    --------
    >>> from metameter.stats.labels.counts import LabelCounts, label_resamples
    >>> counts = LabelCounts(np.array([0, 1, 2]), np.array([0, 1, 0]), np.array([10, 10, 20]))
    >>> taus = resampled_taus(np.array([[0, 1, 0], [0, 1, 1]]), counts, label_resamples(counts, trials=100))
    >>> taus.shape, set(taus[:, 0].tolist()), float(taus[:, 1].mean().round(1))  # the second is 1/3 in the rows
    ((100, 2), {1.0}, 0.3)
    >>> once = [np.array([[1, 1, 1]])]
    >>> resampled_taus(np.array([[0, 1, 1]]), counts, once, statistic="concordance")  # one and a half of two pairs
    array([[0.75]])
    """
    distinct, which = _distinct(codes)
    workers = Workers.of(jobs)
    item, level = counts.cells.T
    parts, done = [], 0
    for some in _chunks(_resample_blocks(resamples, workers), len(level)):
        samples = CountBlocks.of(some, level)
        taus = []
        for each in workers.map(_taus, distinct[:, item], level=level, samples=samples, statistic=statistic):
            taus.append(each)
            done += len(each)
            if progress is not None and isinstance(resamples, Replicates):
                progress(done, resamples.trials * len(distinct), "resample")
        parts.append(np.stack(taus, axis=1))
    return np.concatenate(parts)[:, which] if parts else np.empty((0, len(codes)))


def _resample_blocks(resamples: Iterable[NDArray[Any]], workers: Workers) -> Iterable[NDArray[Any]]:
    """Yield the blocks of resamples in order; the workers draw those of `Replicates`."""
    return workers.map(resamples.block, range(len(resamples))) if isinstance(resamples, Replicates) else resamples


def _chunks(resamples: Iterable[NDArray[Any]], cells: int) -> Iterator[list[NDArray[Any]]]:
    """Yield lists of blocks, each list as soon as it has ``_CHUNK`` counts."""
    waiting: list[NDArray[Any]] = []
    for block in resamples:
        waiting.append(block)
        if sum(map(len, waiting)) * cells >= _CHUNK:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def _taus(code: NDArray[np.int64], *, level: NDArray[np.int64], samples: CountBlocks, statistic: str) -> Floats:
    difference, squares = _sums(code, level, samples)
    if statistic == "both":
        return np.stack([_ratio(difference, samples, squares), _share(difference, samples)], axis=-1)
    return _share(difference, samples) if statistic == "concordance" else _ratio(difference, samples, squares)


def _share(difference: NDArray[Any], samples: CountBlocks) -> Floats:
    """The share of the pairs with different labels that the scores order in the same way, ties counting half."""
    untied = samples.untied.astype(np.float64)
    shares = np.full(len(difference), np.nan)
    return np.asarray(np.divide(difference, untied, out=shares, where=untied > 0)) + 0.5


def _sums(code: NDArray[np.int64], level: NDArray[np.int64], samples: CountBlocks) -> tuple[NDArray[Any], NDArray[Any]]:
    concordance = Concordance.of(code, level, samples.blocks[0].dtype)
    differences, squares = zip(*(concordance.sums(block) for block in samples.blocks), strict=True)
    return np.concatenate(differences), np.concatenate(squares)


def _ratio(difference: NDArray[Any], samples: CountBlocks, squares: NDArray[Any]) -> Floats:
    """tau_b from concordant less discordant pairs, and the squares of the counts by score."""
    by_score = (samples.rows * samples.rows - squares).astype(np.float64) / 2
    # One square root of the product, not two: equal orders give exactly 1.
    product = by_score * (samples.untied.astype(np.float64) / 2)
    taus = np.full(len(difference), np.nan)
    return np.asarray(np.divide(difference, np.sqrt(product), out=taus, where=product > 0))


def _pvalue(difference: float, scores: Floats, labels: Floats) -> float:
    """Two-sided p of no association given the two margins, by the normal approximation with ties."""
    n = float(labels.sum())
    pairs = n * (n - 1.0)
    (one, first, third), (other, second, fourth) = _tie_sums(scores), _tie_sums(labels)
    if n < 3 or 2 * max(one, other) >= pairs:
        return float("nan")
    variance = (pairs * (2 * n + 5) - first - second) / 18 + 2 * one * other / pairs
    variance += third * fourth / (9 * pairs * (n - 2))
    return math.erfc(abs(difference) / math.sqrt(2 * variance))


def _tie_sums(margin: Floats) -> tuple[float, float, float]:
    pairs = margin * (margin - 1)
    return float(pairs.sum() / 2), float((pairs * (2 * margin + 5)).sum()), float((pairs * (margin - 2)).sum())


@dataclass(frozen=True, eq=False)
class CountBlocks:
    """Resampled counts of cells, in the layout of matrix products, with the totals that all metrics use.

    Attributes
    ----------
    blocks : tuple of ndarray, (cells, some)
        In the narrowest dtype in which all computations are exact.
    rows : ndarray, (resamples,)
        The number of rows of each resample.
    untied : ndarray, (resamples,)
        The number of ordered pairs of rows with different labels.
    """

    blocks: tuple[NDArray[Any], ...]
    rows: NDArray[Any]
    untied: NDArray[Any]

    @classmethod
    def of(cls, samples: Sequence[NDArray[Any]], level: NDArray[np.int64]) -> CountBlocks:
        """Arrange resamples, each (some, cells), of cells with these labels.

        Examples
        --------
        >>> samples = CountBlocks.of([np.array([[2, 1, 1], [0, 4, 0]])], np.array([0, 1, 1]))
        >>> samples.rows, samples.untied, samples.blocks[0].dtype  # twice 2 x 2 pairs, and none
        (array([4., 4.]), array([8., 0.]), dtype('float32'))
        """
        most = max((int(each.sum(axis=1).max(initial=0)) for each in samples), default=0)
        narrow, wide = _exact_dtypes(most)
        whole, step = np.concatenate(samples), max(_COUNTS_IN_PRODUCT // max(len(level), 1), _LEAST_RESAMPLES)
        pieces = [whole[at : at + step] for at in range(0, len(whole), step)]
        blocks: tuple[NDArray[Any], ...] = tuple(np.ascontiguousarray(piece.T, dtype=narrow) for piece in pieces)
        by_level = summation_matrix(level, np.arange(len(level)), (int(level.max(initial=-1)) + 1, len(level)), narrow)
        margins: NDArray[Any] = np.concatenate([by_level @ block for block in blocks], axis=1).astype(wide)
        rows = margins.sum(axis=0)
        return cls(blocks, rows, rows * rows - _products(margins, margins))


def _exact_dtypes(rows: int) -> tuple[type, type]:
    """The dtypes that represent counts up to this many rows, and products of two such counts, exactly."""
    if rows <= _SINGLE:
        return np.float32, np.float64
    return (np.int64, np.int64) if _DOUBLE < rows <= _INTEGERS else (np.float64, np.float64)


def summation_matrix(to: NDArray[np.int64], of: NDArray[np.int64], shape: tuple[int, int], kind: type) -> Any:
    """The sparse matrix whose product with an array adds row ``of[i]`` of the array to row ``to[i]``, for every i.

    Examples
    --------
    >>> summation_matrix(np.array([0, 0, 1]), np.array([0, 1, 2]), (2, 3), int) @ np.array([[5], [6], [7]])
    array([[11],
           [ 7]])
    """
    from scipy.sparse import csr_array

    starts = np.concatenate([[0], np.cumsum(np.bincount(to, minlength=shape[0]))])
    return csr_array((np.ones(len(to), dtype=kind), of[np.argsort(to, kind="stable")], starts), shape=shape)


def _products(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    """The sums of the columns of the elementwise product, in a dtype that is wide enough."""
    wide = np.int64 if one.dtype == np.int64 else np.float64
    return np.asarray(np.einsum("gb,gb->b", one, other, dtype=wide))


@dataclass(frozen=True, eq=False)
class Concordance:
    """The matrices that count concordant less discordant pairs of one metric and the labels.

    Attributes
    ----------
    grouped : sparse array, (slots, cells)
        Adds up the cells with equal scores and labels, and puts the sums into slots in the order of the scores.
    signs : ndarray, (chunks, width, width)
        For two slots of a chunk: 1 if the second is lower in score and label, -1 if lower in score and higher in label.
    totals : sparse array, (chunks x labels + scores, slots)
        Adds up the counts of each chunk by label, and all counts by score.
    labels : int
        The number of labels.
    """

    grouped: Any
    signs: NDArray[Any]
    totals: Any
    labels: int

    @classmethod
    def of(cls, code: NDArray[np.int64], level: NDArray[np.int64], kind: type | np.dtype[Any]) -> Concordance:
        """Build the matrices for cells with these codes of scores and labels, both from 0, and counts of this dtype."""
        codes, labels = (int(each.max(initial=-1)) + 1 for each in (code, level))
        # Concordance is symmetric: totals are by score or by label, whichever has fewer values.
        order, mark, labels = (level, code, codes) if labels > codes else (code, level, labels)
        keys, own = np.unique(order * max(labels, 1) + mark, return_inverse=True)
        high, low = np.divmod(keys, max(labels, 1))
        chunk, cell, width = _chunk_layout(high, labels)
        chunks = int(chunk.max(initial=-1)) + 1
        score = np.empty_like(keys)
        score[own] = code
        numbers = np.dtype(kind).type
        grouped = summation_matrix(cell[own], np.arange(len(own)), (chunks * width, len(own)), numbers)
        into, out_of = np.concatenate([chunk * labels + low, chunks * labels + score]), np.tile(cell, 2)
        totals = summation_matrix(into, out_of, (chunks * labels + codes, chunks * width), numbers)
        filled = np.zeros((2, chunks * width), dtype=np.int64)
        filled[:, cell] = high, low
        above, labelled = filled.reshape(2, chunks, width)
        signs = np.sign(labelled[:, :, None] - labelled[:, None]) * (above[:, :, None] > above[:, None])
        return cls(grouped, signs.astype(numbers), totals, labels)

    def sums(self, block: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Concordant less discordant pairs, and the sum of squared counts by score, for counts (cells, resamples).

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
        # In lower chunks, counts with lower labels are concordant and those with higher labels discordant.
        below = np.cumsum(table, axis=0) - table
        up_to = np.cumsum(below, axis=1)
        balance = 2 * up_to - below - up_to[:, -1:]
        return difference + _products(balance.reshape(tables.shape), tables), _products(margin, margin)


def _chunk_layout(high: NDArray[np.int64], labels: int) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Divide entries, sorted by score, into chunks of equal width: the chunk and the slot of each entry, and the width.

    Entries with equal scores are in one chunk.

    Examples
    --------
    >>> _chunk_layout(np.repeat([0, 1, 2], 12), 12)[1][[0, 12, 24]]  # the third begins another chunk of 32
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


def resampled_agreements(
    signs: NDArray[np.int64],
    preferred: NDArray[np.int64],
    counts: LabelCounts,
    resamples: Iterable[NDArray[Any]],
    jobs: int | Workers | None = None,
    progress: Progress | None = None,
) -> Floats:
    """The share of the pairs with a preference whose score difference has its sign; a difference of 0 counts half.

    The share does not depend on which page of a pair is the first: swapping them changes both signs.

    Parameters
    ----------
    signs : ndarray of int, (metrics, items)
        Whether the difference of scores is below, at or above zero: -1, 0, 1.
    preferred : ndarray of int, (levels,)
        The sign of the preference of each label: -1, 0, 1.
    counts : LabelCounts
    resamples : Replicates or iterable of ndarray, (some, cells)
        As `label_resamples` draws them, or any other counts of the cells.
    jobs : int or Workers, optional
    progress : callable, optional
        Called with the number of resamples done and their total, if that is known.

    Returns
    -------
    ndarray, (resamples, metrics)
        NaN if no label is a preference.

    Examples
    --------
    >>> from metameter.stats.labels.counts import LabelCounts
    >>> counts = LabelCounts(np.array([0, 1, 2, 3]), np.array([0, 2, 2, 1]), np.array([4, 3, 1, 9]))
    >>> once = [counts.by_cell[None]]
    >>> resampled_agreements(np.array([[-1, 1, 0, 1]]), np.array([-1, 0, 1]), counts, once)  # 4 + 3 + 1/2 of 8
    array([[0.9375]])
    """
    item, level = counts.cells.T
    distinct, which = np.unique(signs[:, item] * preferred[level], axis=0, return_inverse=True)
    # Sums of whole numbers below 2 ** 53: exact, in whatever order they are added.
    likewise, decided = distinct.T.astype(np.float64), (preferred[level] != 0).astype(np.float64)
    if not isinstance(resamples, Replicates):
        return _stacked_columns([_shares(block, likewise, decided) for block in resamples], which)
    parts = list[Any]()
    for shares in map_blocks(_block_shares, resamples, jobs, likewise=likewise, decided=decided):
        parts.append(shares)
        if progress is not None:
            progress(sum(map(len, parts)), resamples.trials, "resample")
    return _stacked_columns(parts, which)


def _stacked_columns(parts: list[Floats], which: NDArray[np.int64]) -> Floats:
    return np.concatenate(parts)[:, which.reshape(-1)] if parts else np.empty((0, which.size))


def _block_shares(number: int, *, replicates: Replicates, likewise: Floats, decided: Floats) -> Floats:
    return _shares(replicates.block(number), likewise, decided)


def _shares(block: NDArray[Any], likewise: Floats, decided: Floats) -> Floats:
    counts = block.astype(np.float64)
    lead, rows = counts @ likewise, (counts @ decided)[:, None]
    return np.asarray(0.5 + np.divide(lead, 2.0 * rows, out=np.full(lead.shape, np.nan), where=rows > 0))


class OrderedPairs(NamedTuple):
    """Shares of the pairs with different labels, (metrics,): in the order of the labels, and tied in score."""

    agreement: Floats
    ties: Floats


def ordered_pairs(codes: NDArray[np.int64], counts: LabelCounts, taus: CountedTaus) -> OrderedPairs:
    """Return the shares of pairs in the order of the labels and of tied pairs; tau_b corrects for ties only in part.

    Parameters
    ----------
    codes : ndarray of int, (metrics, items)
        The scores of each metric as dense ranks from 0.
    counts : LabelCounts
    taus : CountedTaus
        The result of `counted_taus` for these codes.

    Examples
    --------
    >>> from metameter.stats.labels.counts import LabelCounts
    >>> counts = LabelCounts(np.array([0, 1, 2]), np.array([0, 1, 2]), np.array([1, 1, 1]))
    >>> codes = np.array([[0, 1, 1], [1, 0, 2]])
    >>> [each.round(2).tolist() for each in ordered_pairs(codes, counts, counted_taus(codes, counts))]
    [[0.67, 0.67], [0.33, 0.0]]
    """
    pairs = counts.total * (counts.total - 1) // 2
    same_label = tied_pairs_of(counts.level, counts.count)
    shares = []
    for own, difference in zip(codes[:, counts.item], taus.difference, strict=True):
        joint = np.unique(own * counts.levels + counts.level, return_inverse=True)[1].reshape(-1)
        same_score, same_both = (tied_pairs_of(each, counts.count) for each in (own, joint))
        apart = pairs - same_score - same_label + same_both
        shares.append(((apart + difference) / 2, same_score - same_both))
    agreement, ties = np.array(shares, dtype=np.float64).reshape(-1, 2).T / max(pairs - same_label, 1)
    return OrderedPairs(agreement, ties)
