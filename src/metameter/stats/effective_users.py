"""How many users of equal size say as much as users of unlike size do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from metameter.stats.checks import Floats
    from metameter.stats.label_counts import LabelCounts

__all__ = ["effective_number", "effective_units", "rows_of_users"]


def effective_number(sizes: Floats) -> Floats:
    r"""As many users of equal size say as much as these, down the first axis: :math:`(\sum n)^2 / \sum n^2`.

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
    """How many rows each user has."""
    return np.bincount(np.asarray(counts.user), weights=counts.count, minlength=counts.units).astype(np.float64)


def effective_units(counts: LabelCounts) -> float:
    """The same of all rows of users; where users are not known, rows count once each.

    Examples
    --------
    >>> from metameter.stats.label_counts import LabelCounts
    >>> eleven = np.arange(11)
    >>> counts = LabelCounts(eleven, 0 * eleven, np.array([10] * 10 + [200]), eleven)
    >>> round(effective_units(counts), 1), counts.units
    (2.2, 11)
    """
    return float(counts.total) if counts.user is None else float(effective_number(rows_of_users(counts)))
