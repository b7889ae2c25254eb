"""Lists of small whole numbers as one number each: numbers are compared and grouped far faster than lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["list_numbers"]

#: Numbers of 64 bits stay below this.
_LARGEST = 2**62


def list_numbers(lists: pl.Series) -> pl.Series | None:
    """A number for each list, the same for the same lists of this column; None where they do not fit in 64 bits.

    The elements are the digits; nothing at all is 0, null is 1, and the lowest number that occurs is 2.

    Examples
    --------
    >>> import polars as pl
    >>> list_numbers(pl.Series([[0, 3], [0], [None, 0], [], None])).to_list()  # 2 + 5 * 6, 2, 1 + 2 * 6
    [32, 2, 13, 0, -1]
    >>> list_numbers(pl.Series([[0.5, 1.0]])) is None
    True
    """
    import polars as pl

    flat = lists.drop_nulls().explode(empty_as_null=False)
    if not (flat.dtype.is_integer() or flat.dtype.is_float()):
        return None
    low, high = _bounds(flat)
    length = lists.list.len().fill_null(0).to_numpy().astype(np.int64)
    base, longest = int(high - low) + 3, int(length.max(initial=0))
    whole = flat.dtype.is_integer() or bool((flat.drop_nulls() == flat.drop_nulls().floor()).all())
    if not whole or max(abs(low), abs(high)) >= _LARGEST or base**longest >= _LARGEST:
        return None
    digits = (flat.cast(pl.Int64) - int(low) + 2).fill_null(1).to_numpy()
    numbers = _numbers(digits, length, np.array([base**place for place in range(longest)], dtype=np.int64))
    numbers[lists.is_null().to_numpy()] = -1
    return pl.Series(lists.name, numbers)


def _bounds(flat: pl.Series) -> tuple[float, float]:
    low, high = flat.min(), flat.max()
    if low is None or high is None:
        return 0, 0
    finite = flat.dtype.is_integer() or bool(flat.is_finite().all())
    return (low, high) if finite else (0, float(_LARGEST))  # type: ignore[return-value]


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
