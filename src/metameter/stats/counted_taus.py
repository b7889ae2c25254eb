"""Rank agreement of scores of items with ordered labels, from counts of labels by item: never from rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from metameter.parallel import Progress, Workers
from metameter.stats.concordance_chunks import Concordance, CountBlocks
from metameter.stats.replicates import Replicates

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats
    from metameter.stats.label_counts import LabelCounts

__all__ = ["CountedTaus", "counted_taus", "resampled_taus"]

#: Numbers in memory at a time.
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
    n : int
        How many rows the counts are of.
    """

    statistic: Floats
    pvalue: Floats
    difference: Floats
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
    item, level = counts.cells.T
    drawn = CountBlocks.of([counts.by_cell[None]], level)
    labels = _margin(level, counts.by_cell)
    distinct, which = _distinct(codes)
    statistic, pvalue, differences = np.full((3, len(distinct)), np.nan)
    for place, each in enumerate(distinct):
        difference, squares = _sums(each[item], level, drawn)
        statistic[place] = _ratio(difference, drawn, squares)[0]
        differences[place] = difference[0]
        pvalue[place] = _pvalue(float(difference[0]), _margin(each[item], counts.by_cell), labels)
    return CountedTaus(statistic[which], pvalue[which], differences[which], counts.total)


def _distinct(codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The orders of items that differ, and for each metric which of them is its: alike orders have one tau.

    Examples
    --------
    >>> _distinct(np.array([[0, 1], [1, 0], [0, 1]]))
    (array([[0, 1],
           [1, 0]]), array([0, 1, 0]))
    """
    places: dict[bytes, int] = {}
    which = np.array([places.setdefault(each.tobytes(), len(places)) for each in codes], dtype=np.int64)
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
        Told how many taus are done, where it is known how many there are.
    statistic : {"tau_b", "concordance", "both"}
        Concordance is the share of the pairs with different labels that the scores order likewise, equal scores
        counting half: it has nothing to gain from scores that happen to be equal, as tau_b has.

    Examples
    --------
    >>> from metameter.stats.label_counts import LabelCounts, label_resamples
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
    for some in _chunks(_drawn(resamples, workers), len(level)):
        drawn = CountBlocks.of(some, level)
        taus = []
        for each in workers.map(_taus, distinct[:, item], level=level, drawn=drawn, statistic=statistic):
            taus.append(each)
            done += len(each)
            if progress is not None and isinstance(resamples, Replicates):
                progress(done, resamples.trials * len(distinct), "resample")
        parts.append(np.stack(taus, axis=1))
    return np.concatenate(parts)[:, which] if parts else np.empty((0, len(codes)))


def _drawn(resamples: Iterable[NDArray[Any]], workers: Workers) -> Iterable[NDArray[Any]]:
    """The resamples in order, drawn by the workers where they are still to be drawn."""
    return workers.map(resamples.block, range(len(resamples))) if isinstance(resamples, Replicates) else resamples


def _chunks(resamples: Iterable[NDArray[Any]], cells: int) -> Iterator[list[NDArray[Any]]]:
    """The resamples, as many at a time as memory should hold."""
    waiting: list[NDArray[Any]] = []
    for block in resamples:
        waiting.append(block)
        if sum(map(len, waiting)) * cells >= _CHUNK:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def _taus(code: NDArray[np.int64], *, level: NDArray[np.int64], drawn: CountBlocks, statistic: str) -> Floats:
    difference, squares = _sums(code, level, drawn)
    if statistic == "both":
        return np.stack([_ratio(difference, drawn, squares), _share(difference, drawn)], axis=-1)
    return _share(difference, drawn) if statistic == "concordance" else _ratio(difference, drawn, squares)


def _share(difference: NDArray[Any], drawn: CountBlocks) -> Floats:
    """Of the pairs with different labels, those that are ordered likewise, ties half."""
    untied = drawn.untied.astype(np.float64)
    shares = np.full(len(difference), np.nan)
    return np.asarray(np.divide(difference, untied, out=shares, where=untied > 0)) + 0.5


def _sums(code: NDArray[np.int64], level: NDArray[np.int64], drawn: CountBlocks) -> tuple[NDArray[Any], NDArray[Any]]:
    concordance = Concordance.of(code, level, drawn.blocks[0].dtype)
    differences, squares = zip(*(concordance.sums(block) for block in drawn.blocks), strict=True)
    return np.concatenate(differences), np.concatenate(squares)


def _ratio(difference: NDArray[Any], drawn: CountBlocks, squares: NDArray[Any]) -> Floats:
    """tau_b from concordant less discordant pairs, and the squares of the counts by score."""
    by_score = (drawn.rows * drawn.rows - squares).astype(np.float64) / 2
    # One square root of the product, not two: equal orders give exactly 1.
    product = by_score * (drawn.untied.astype(np.float64) / 2)
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
