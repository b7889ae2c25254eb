"""Counts of labels by item, and resamples of them: of rows, or of the users who gave the labels.

Rank correlations depend only on how often each item (a page, or a pair of pages) had each label, and a bootstrap sample
of the rows is a multinomial draw of these counts. So the rows themselves are not needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.stats.checks import Floats
from metameter.stats.resampling.replicates import RandomReplicates, Stream


@dataclass(frozen=True, eq=False)
class LabelCounts:
    """How often each item had each label.

    Attributes
    ----------
    item, level, count : ndarray of int, (entries,)
        For each entry the item, the label (by its position in the order, from 0) and the number of rows.
    user : ndarray of int, (entries,), optional
        The user who gave these labels, numbered from 0 without gaps.

    Examples
    --------
    >>> counts = LabelCounts(np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([2, 1, 1]), np.array([0, 0, 1]))
    >>> counts.total, counts.units, counts.cells.tolist(), counts.by_cell.tolist()
    (4, 2, [[0, 0], [1, 0], [1, 1]], [2, 1, 1])
    """

    item: NDArray[np.int64]
    level: NDArray[np.int64]
    count: NDArray[np.int64]
    user: NDArray[np.int64] | None = None

    @property
    def total(self) -> int:
        """The number of rows."""
        return int(self.count.sum())

    @property
    def units(self) -> int:
        """The number of units that are resampled: users if they are known, otherwise rows."""
        return self.total if self.user is None else int(self.user.max(initial=-1)) + 1

    @property
    def levels(self) -> int:
        """The number of different labels."""
        return int(self.level.max(initial=-1)) + 1

    @cached_property
    def _sorted_cells(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        keys, cell = np.unique(self.item * self.levels + self.level, return_inverse=True)
        return np.stack(np.divmod(keys, self.levels), axis=1), cell.astype(np.int64)

    @property
    def cells(self) -> NDArray[np.int64]:
        """The combinations of item and label that occur, (cells, 2), sorted."""
        return self._sorted_cells[0]

    @cached_property
    def by_cell(self) -> NDArray[np.int64]:
        """The number of rows in each of the `cells`, over all users."""
        sums = np.zeros(len(self.cells), dtype=np.int64)
        np.add.at(sums, self._sorted_cells[1], self.count)
        return sums

    @cached_property
    def by_user(self) -> Any:
        """The number of rows of each user in each of the `cells`: a sparse array, (cells, users)."""
        from scipy.sparse import csr_array

        if self.user is None:
            raise MetameterError("it is not known who gave the labels", fix="Give the users with the labels.")
        return csr_array((self.count, (self._sorted_cells[1], self.user)), shape=(len(self.cells), self.units))


def label_resamples(
    counts: LabelCounts, trials: int = 1000, seed: int = 0, part: tuple[int, ...] = ()
) -> RandomReplicates:
    """Resample rows, or users with all their rows: each replicate (cells,) has the number of rows in each cell.

    Parameters
    ----------
    counts : LabelCounts
    trials, seed : int
    part : tuple of int
        The key of the random stream, if several sets of counts are resampled independently with one seed.

    Examples
    --------
    >>> counts = LabelCounts(np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([20, 10, 10]))
    >>> block = label_resamples(counts, trials=100).block(0)
    >>> block.shape, set(block.sum(axis=1).tolist())
    ((64, 3), {40})
    """
    if counts.units < 2:
        fix = "Give more of them." if counts.user is None else "Leave the users out, or give the labels of more users."
        raise MetameterError("there is nothing to resample", given=f"{counts.units} to draw from", fix=fix)
    if counts.user is None:
        return RandomReplicates(trials, partial(_draw_rows, counts=counts), Stream.LABELLED_ROWS, seed, part)
    return RandomReplicates(trials, partial(_draw_users, counts=counts), Stream.LABELLING_USERS, seed, part)


def _draw_rows(rng: np.random.Generator, count: int, *, counts: LabelCounts) -> NDArray[np.int64]:
    return rng.multinomial(counts.total, counts.by_cell / counts.total, size=count)


def _draw_users(rng: np.random.Generator, count: int, *, counts: LabelCounts) -> NDArray[np.int64]:
    copies = rng.multinomial(counts.units, np.full(counts.units, 1.0 / counts.units), size=count)
    return np.asarray((counts.by_user @ copies.T).T)


def effective_number(sizes: Floats) -> Floats:
    r"""Kish's effective number of users of unequal sizes n, along the first axis: :math:`(\sum n)^2 / \sum n^2`.

    References
    ----------
    kish1965

    Examples
    --------
    >>> effective_number(np.array([[10, 10], [10, 1], [10, 1]])).round(1)
    array([3. , 1.4])
    """
    numbers = np.asarray(sizes, dtype=np.float64)
    squares = (numbers**2).sum(axis=0)
    return np.asarray(np.divide(numbers.sum(axis=0) ** 2, squares, out=np.zeros_like(squares), where=squares > 0))


def rows_of_users(counts: LabelCounts) -> Floats:
    """The number of rows of each user."""
    return np.bincount(np.asarray(counts.user), weights=counts.count, minlength=counts.units).astype(np.float64)


def effective_units(counts: LabelCounts) -> float:
    """The effective number of users; if users are not known, the number of rows.

    Examples
    --------
    >>> from metameter.stats.labels.counts import LabelCounts
    >>> eleven = np.arange(11)
    >>> counts = LabelCounts(eleven, 0 * eleven, np.array([10] * 10 + [200]), eleven)
    >>> round(effective_units(counts), 1), counts.units
    (2.2, 11)
    """
    return float(counts.total) if counts.user is None else float(effective_number(rows_of_users(counts)))


def label_folds(counts: LabelCounts, folds: int, seed: int = 0) -> list[LabelCounts]:
    """Divide labels at random into disjoint folds of about equal size.

    Parameters
    ----------
    counts : LabelCounts
    folds : int
        At most the number of users, or of rows if users are not known.
    seed : int

    Examples
    --------
    >>> counts = LabelCounts(np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([2, 3, 1]))
    >>> [fold.total for fold in label_folds(counts, 3)]
    [2, 2, 2]
    >>> label_folds(counts, 7)
    Traceback (most recent call last):
    metameter.errors.MetameterError: there are fewer rows than folds (given 6, allowed: at least 7). Ask for fewer
    folds.
    """
    units = counts.units
    if units < folds:
        what = f"there are fewer {'rows' if counts.user is None else 'users'} than folds"
        raise MetameterError(what, given=units, allowed=f"at least {folds}", fix="Ask for fewer folds.")
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(int(Stream.LABEL_FOLDS), 0)))
    # A byte or two a row, since there may be billions.
    numbers = np.arange(folds, dtype=np.min_scalar_type(folds))
    fold = rng.permutation(np.tile(numbers, -(-units // folds))[:units])
    return [_rows_of_fold(counts, fold, each) for each in range(folds)]


def _rows_of_fold(counts: LabelCounts, fold: NDArray[np.int64], number: int) -> LabelCounts:
    if counts.user is None:
        count, occurs = np.zeros_like(counts.count), counts.count > 0
        first = np.cumsum(counts.count) - counts.count
        count[occurs] = np.add.reduceat(fold == number, first[occurs], dtype=np.int64)
        kept = count > 0
        return LabelCounts(counts.item[kept], counts.level[kept], count[kept])
    kept = fold[counts.user] == number
    user = np.unique(counts.user[kept], return_inverse=True)[1].reshape(-1)
    return LabelCounts(counts.item[kept], counts.level[kept], counts.count[kept], user)


def counts_by_cell(fold: LabelCounts, counts: LabelCounts) -> NDArray[np.int64]:
    """The number of rows of a fold in each of the cells of all labels.

    Examples
    --------
    >>> counts = LabelCounts(np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([2, 3, 1]))
    >>> sum(counts_by_cell(fold, counts) for fold in label_folds(counts, 2))
    array([2, 3, 1])
    """
    keys = counts.cells[:, 0] * counts.levels + counts.cells[:, 1]
    sums = np.zeros(len(keys), dtype=np.int64)
    np.add.at(sums, np.searchsorted(keys, fold.item * counts.levels + fold.level), fold.count)
    return sums
