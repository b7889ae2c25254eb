"""Labels dealt out to folds: users with all their labels, or else row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from metameter.errors import MetameterError
from metameter.stats.label_counts import LabelCounts
from metameter.stats.replicates import Stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["in_cells", "label_folds"]


def label_folds(counts: LabelCounts, folds: int, seed: int = 0) -> list[LabelCounts]:
    """Divide labels at random into folds of about equal size, which together hold every label once.

    Parameters
    ----------
    counts : LabelCounts
    folds : int
        At most as many as there are users, or rows where users are not known.
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
    fold = rng.permutation(np.arange(units) % folds)
    return [_fold(counts, fold, each) for each in range(folds)]


def _fold(counts: LabelCounts, fold: NDArray[np.int64], number: int) -> LabelCounts:
    if counts.user is None:
        entry = np.repeat(np.arange(len(counts.count)), counts.count)[fold == number]
        count = np.bincount(entry, minlength=len(counts.count))
        kept = count > 0
        return LabelCounts(counts.item[kept], counts.level[kept], count[kept])
    kept = fold[counts.user] == number
    user = np.unique(counts.user[kept], return_inverse=True)[1].reshape(-1)
    return LabelCounts(counts.item[kept], counts.level[kept], counts.count[kept], user)


def in_cells(fold: LabelCounts, counts: LabelCounts) -> NDArray[np.int64]:
    """How often each of the cells of all labels occurs in a fold.

    Examples
    --------
    >>> counts = LabelCounts(np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([2, 3, 1]))
    >>> sum(in_cells(fold, counts) for fold in label_folds(counts, 2))
    array([2, 3, 1])
    """
    keys = counts.cells[:, 0] * counts.levels + counts.cells[:, 1]
    found = np.zeros(len(keys), dtype=np.int64)
    np.add.at(found, np.searchsorted(keys, fold.item * counts.levels + fold.level), fold.count)
    return found
