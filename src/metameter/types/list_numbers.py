"""Lists of small whole numbers as one number each: numbers are compared and grouped far faster than lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl


#: Numbers of 64 bits stay below this.
_LARGEST = 2**62
#: Lists that are laid out at a time.
_AT_ONCE = 1 << 15


def list_numbers(lists: pl.Series) -> pl.Series | None:
    """A number for each list, the same for the same lists of this column; None where they do not fit in 64 bits.

    The elements are the digits, the first counts most: numbers rise as the lists do. Nothing at all is 0, null is 1,
    and the lowest number that occurs is 2.

    Examples
    --------
    >>> import polars as pl
    >>> list_numbers(pl.Series([[0, 3], [0], [None, 0], [], None])).to_list()  # 2 * 6 + 5, 2 * 6, 1 * 6 + 2
    [17, 12, 8, 0, -1]
    >>> list_numbers(pl.Series([[0.5, 1.0]])) is None
    True
    """
    import polars as pl

    inner = lists.dtype.inner  # type: ignore[attr-defined]
    if not (inner.is_integer() or inner.is_float()):
        return None
    length = lists.list.len().fill_null(0).to_numpy().astype(np.int64)
    longest, pieces = int(length.max(initial=0)), range(0, len(lists), _AT_ONCE)
    # In pieces: the elements of all lists, several times over, take far more memory than the numbers.
    bounds = [_bounds(lists[at : at + _AT_ONCE]) for at in pieces]
    low, high = min((low for low, _ in bounds), default=0), max((high for _, high in bounds), default=0)
    base = int(high - low) + 3
    if max(abs(low), abs(high)) >= _LARGEST or base**longest >= _LARGEST:
        return None
    powers = np.array([base**place for place in reversed(range(longest))], dtype=np.int64)
    parts = [_numbered(lists[at : at + _AT_ONCE], length[at : at + _AT_ONCE], int(low), powers) for at in pieces]
    return pl.Series(lists.name, np.concatenate([np.empty(0, np.int64), *parts]))


def _bounds(lists: pl.Series) -> tuple[float, float]:
    """The lowest and the highest element; beyond all numbers where one is not whole."""
    flat = lists.drop_nulls().explode(empty_as_null=False).drop_nulls()
    low, high = flat.min(), flat.max()
    if low is None or high is None:
        return 0, 0
    whole = flat.dtype.is_integer() or bool((flat.is_finite() & (flat == flat.floor())).all())
    return (low, high) if whole else (0, float(_LARGEST))  # type: ignore[return-value]


def _numbered(lists: pl.Series, length: NDArray[np.int64], low: int, powers: NDArray[np.int64]) -> NDArray[np.int64]:
    import polars as pl

    flat = lists.drop_nulls().explode(empty_as_null=False)
    digits = (flat.cast(pl.Int64) - low + 2).fill_null(1).to_numpy()
    numbers = _numbers(digits, length, powers)
    numbers[lists.is_null().to_numpy()] = -1
    return numbers


def _numbers(digits: NDArray[np.int64], length: NDArray[np.int64], powers: NDArray[np.int64]) -> NDArray[np.int64]:
    lists, longest = len(length), len(powers)
    if len(digits) == lists * longest:  # all of one length
        by_place = digits.reshape(lists, longest).T
        return np.asarray(
            sum((digit * power for digit, power in zip(by_place, powers, strict=True)), np.zeros(lists, np.int64))
        )
    ends = np.cumsum(length)
    place = np.arange(len(digits)) - np.repeat(ends - length, length)
    # Sums wrap around beyond 64 bits; the difference of two of them is right all the same.
    sums = np.concatenate([[0], np.cumsum(digits * powers[place])])
    return np.asarray(sums[ends] - sums[ends - length])
