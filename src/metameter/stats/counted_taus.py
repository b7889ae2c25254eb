"""Kendall's tau_b between scores of items and ordered labels, from counts of labels by item: never from rows.

The numerator is a quadratic form in the counts: one matrix product gives it for all resamples. Where there are so many
different counts that the matrix would be large, one pass in the order of the scores gives the same numbers: what stands
below each score, by label, is a running sum. All figures are exact integers until the last division.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.parallel import Workers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats
    from metameter.stats.label_counts import LabelCounts

__all__ = ["CountedTaus", "GroupedCells", "counted_taus", "resampled_taus", "tau_b_of_tables"]

#: Sums of products stay exact in 64 bits for up to this many rows.
_EXACT = 3_000_000_000
#: The same for sums of products in floating point, and of counts in single precision.
_EXACT_PRODUCTS, _EXACT_SINGLE = 90_000_000, 1 << 24
#: With more groups than this, a pass in order of the scores is faster than a product of matrices.
_MOST_MULTIPLIED = 1500
#: Numbers in memory at a time.
_CHUNK = 1 << 22


@dataclass(frozen=True, eq=False)
class CountedTaus:
    """tau_b of each metric with the labels, and the p-value of no association; NaN where it is constant.

    Attributes
    ----------
    statistic, pvalue : ndarray, (metrics,)
        The p-value is two-sided, by the normal approximation with ties.
    n : int
        How many rows the counts are of.
    """

    statistic: Floats
    pvalue: Floats
    n: int


def counted_taus(codes: NDArray[np.int64], counts: LabelCounts) -> CountedTaus:
    """tau_b between the scores of metrics and the labels.

    Parameters
    ----------
    codes : ndarray of int, (metrics, items)
        The place of each item's score among those of its metric, as `tied_codes` gives it.
    counts : LabelCounts

    Examples
    --------
    >>> from metameter.stats.label_counts import LabelCounts
    >>> counts = LabelCounts(np.array([0, 1, 2]), np.array([0, 1, 0]), np.array([1, 1, 2]))
    >>> counted_taus(np.array([[0, 1, 0], [0, 1, 1]]), counts).statistic.round(4)
    array([1.    , 0.3333])
    """
    tables = [GroupedCells.of(each, counts).tables(counts.by_cell[None]) for each in codes]
    statistic = np.array([tau_b_of_tables(table)[0] for table in tables])
    pvalue = np.array([_pvalue(table[0]) for table in tables])
    return CountedTaus(statistic, pvalue, counts.total)


def resampled_taus(
    codes: NDArray[np.int64], counts: LabelCounts, resamples: Iterable[NDArray[Any]], jobs: int | Workers | None = None
) -> Floats:
    """tau_b of each metric with the labels in every resample, (resamples, metrics); NaN where one is constant.

    Parameters
    ----------
    codes : ndarray of int, (metrics, items)
    counts : LabelCounts
    resamples : Replicates or iterable of ndarray, (some, cells)
        As `label_resamples` draws them, or any other counts of the cells.
    jobs : int or Workers, optional

    Examples
    --------
    >>> from metameter.stats.label_counts import LabelCounts, label_resamples
    >>> counts = LabelCounts(np.array([0, 1, 2]), np.array([0, 1, 0]), np.array([10, 10, 20]))
    >>> taus = resampled_taus(np.array([[0, 1, 0], [0, 1, 1]]), counts, label_resamples(counts, trials=100))
    >>> taus.shape, set(taus[:, 0].tolist()), float(taus[:, 1].mean().round(1))  # the second is 1/3 in the rows
    ((100, 2), {1.0}, 0.3)
    """
    # Metrics that order the items alike have one tau.
    distinct, which = np.unique(codes, axis=0, return_inverse=True)
    workers = Workers.of(jobs)
    parts = [
        np.stack(list(workers.map(_taus, distinct, counts=counts, drawn=drawn)), axis=1)
        for drawn in _chunks(resamples, len(counts.cells))
    ]
    return np.concatenate(parts)[:, which.reshape(-1)] if parts else np.empty((0, len(codes)))


def _chunks(resamples: Iterable[NDArray[Any]], cells: int) -> Iterator[NDArray[Any]]:
    """The resamples, as many at a time as memory should hold."""
    waiting: list[NDArray[Any]] = []
    for block in resamples:
        waiting.append(block)
        if sum(map(len, waiting)) * cells >= _CHUNK:
            yield np.concatenate(waiting)
            waiting = []
    if waiting:
        yield np.concatenate(waiting)


def _taus(codes: NDArray[np.int64], *, counts: LabelCounts, drawn: NDArray[np.int64]) -> Floats:
    grouped = GroupedCells.of(codes, counts)
    if len(grouped.code) <= _MOST_MULTIPLIED and counts.total <= _EXACT_PRODUCTS:
        return _by_product(grouped, drawn)
    rows = max(_CHUNK // (grouped.codes * counts.levels), 1)
    parts = [drawn[start : start + rows] for start in range(0, len(drawn), rows)]
    return np.concatenate([tau_b_of_tables(grouped.tables(part)) for part in parts])


def _by_product(grouped: GroupedCells, drawn: NDArray[np.int64]) -> Floats:
    """tau_b from the quadratic form itself: all resamples in one product, exact whatever the order of its sums."""
    summed = grouped.summed(drawn)
    single = summed.sum(axis=1).max(initial=0) <= _EXACT_SINGLE
    n: NDArray[Any] = summed.astype(np.float32 if single else np.float64)
    concordance = np.sign(np.subtract.outer(grouped.code, grouped.code))
    concordance *= np.sign(np.subtract.outer(grouped.level, grouped.level))
    difference = np.einsum("bg,bg->b", n @ concordance.astype(n.dtype), n, dtype=np.float64) / 2
    margins = [_margin(summed, which) for which in (grouped.code, grouped.level)]
    return _ratio(difference, summed.sum(axis=1), *margins)


def _margin(summed: NDArray[np.int64], which: NDArray[np.int64]) -> NDArray[np.int64]:
    order = np.argsort(which, kind="stable")
    return np.add.reduceat(summed[:, order], np.flatnonzero(np.diff(which[order], prepend=-1)), axis=1)


@dataclass(frozen=True, eq=False)
class GroupedCells:
    """The cells of counts, grouped by the score that a metric gives their item and by their label.

    Attributes
    ----------
    code, level : ndarray of int, (groups,)
    order, starts : ndarray of int
        The cells in the order of the groups, and where each group begins.
    codes, levels : int
        How many there are of each.
    """

    code: NDArray[np.int64]
    level: NDArray[np.int64]
    order: NDArray[np.int64]
    starts: NDArray[np.int64]
    codes: int
    levels: int

    @classmethod
    def of(cls, codes: NDArray[np.int64], counts: LabelCounts) -> GroupedCells:
        """Group the cells by the codes of one metric, (items,)."""
        item, level = counts.cells.T
        place = codes[item] * counts.levels + level
        order = np.argsort(place, kind="stable")
        starts = np.flatnonzero(np.diff(place[order], prepend=-1))
        code, own_level = np.divmod(place[order][starts], counts.levels)
        return cls(code, own_level, order, starts, int(codes.max(initial=0)) + 1, counts.levels)

    def summed(self, drawn: NDArray[np.int64]) -> NDArray[np.int64]:
        """Counts by cell, (resamples, cells), as counts by group."""
        return np.add.reduceat(drawn[:, self.order], self.starts, axis=1)

    def tables(self, drawn: NDArray[np.int64]) -> NDArray[np.int64]:
        """Contingency tables of scores and labels: (resamples, codes, levels) from (resamples, cells).

        Examples
        --------
        >>> from metameter.stats.label_counts import LabelCounts
        >>> counts = LabelCounts(np.array([0, 1, 2]), np.array([0, 1, 0]), np.array([5, 6, 7]))
        >>> GroupedCells.of(np.array([0, 1, 0]), counts).tables(counts.by_cell[None])
        array([[[12,  0],
                [ 0,  6]]])
        """
        tables = np.zeros((len(drawn), self.codes * self.levels), dtype=np.int64)
        tables[:, self.code * self.levels + self.level] = self.summed(drawn)
        return tables.reshape(len(drawn), self.codes, self.levels)


def tau_b_of_tables(tables: NDArray[Any]) -> Floats:
    """tau_b of contingency tables, (tables, rows, columns): rows and columns are ordered, cells are counts.

    Examples
    --------
    >>> tau_b_of_tables(np.array([[[2, 0], [0, 2]], [[0, 3], [0, 1]]]))
    array([ 1., nan])
    """
    n = tables.sum(axis=(1, 2))
    if n.max(initial=0) > _EXACT:
        tables, n = tables.astype(np.float64), n.astype(np.float64)
    # Of the rows below each: those with lower labels count for, those with higher ones against.
    below = np.cumsum(tables, axis=1) - tables
    up_to = np.cumsum(below, axis=2)
    balance = 2 * up_to - below - up_to[:, :, -1:]
    difference = np.einsum("bkl,bkl->b", tables, balance).astype(np.float64)
    return _ratio(difference, n, tables.sum(axis=1), tables.sum(axis=2))


def _ratio(difference: Floats, n: NDArray[Any], one: NDArray[Any], other: NDArray[Any]) -> Floats:
    """tau_b from concordant less discordant pairs, the number of rows and the two margins."""
    pairs = n * (n - 1)
    untied = [(pairs - (margin * (margin - 1)).sum(axis=1)).astype(np.float64) / 2 for margin in (one, other)]
    # One square root of the product, not two: equal orders give exactly 1.
    product = untied[0] * untied[1]
    taus = np.full(len(difference), np.nan)
    return np.asarray(np.divide(difference, np.sqrt(product), out=taus, where=product > 0))


def _pvalue(table: NDArray[np.int64]) -> float:
    """Two-sided p of no association in one contingency table, by the normal approximation with ties."""
    from scipy.special import ndtr

    below = np.cumsum(table, axis=0) - table
    up_to = np.cumsum(below, axis=1)
    difference = float((table * (2 * up_to - below - up_to[:, -1:])).sum())
    n = float(table.sum())
    ties = [_tie_sums(table.sum(axis=axis).astype(np.float64)) for axis in (0, 1)]
    pairs = n * (n - 1.0)
    if n < 3 or any(2 * once >= pairs for once, _, _ in ties):
        return float("nan")
    (one, first, third), (other, second, fourth) = ties
    variance = (pairs * (2 * n + 5) - first - second) / 18 + 2 * one * other / pairs
    variance += third * fourth / (9 * pairs * (n - 2))
    return float(2 * ndtr(-abs(difference) / np.sqrt(variance)))


def _tie_sums(margin: Floats) -> tuple[float, float, float]:
    pairs = margin * (margin - 1)
    return float(pairs.sum() / 2), float((pairs * (2 * margin + 5)).sum()), float((pairs * (margin - 2)).sum())
