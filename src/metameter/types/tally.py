"""Counts of distinct rows in little memory: each distinct value is stored once, and a row is its codes and a count."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl


#: Lists and rows are packed into 64-bit integers below this.
_LARGEST = 2**62
#: The number of lists processed at a time.
_LISTS_AT_ONCE = 1 << 15


def list_numbers(lists: pl.Series) -> pl.Series | None:
    """One integer per list, equal for equal lists of this column; None if they do not fit in 64 bits.

    The elements are the digits, the first one most significant, so the order of the numbers is that of the lists. A
    missing position has digit 0, null has 1, and the lowest value that occurs has 2.

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
    longest, pieces = int(length.max(initial=0)), range(0, len(lists), _LISTS_AT_ONCE)
    # In pieces, since several copies of all elements take far more memory than the numbers.
    bounds = [_bounds(lists[at : at + _LISTS_AT_ONCE]) for at in pieces]
    low, high = min((low for low, _ in bounds), default=0), max((high for _, high in bounds), default=0)
    base = int(high - low) + 3
    if max(abs(low), abs(high)) >= _LARGEST or base**longest >= _LARGEST:
        return None
    powers = np.array([base**exponent for exponent in reversed(range(longest))], dtype=np.int64)
    parts = [
        _list_codes(lists[at : at + _LISTS_AT_ONCE], length[at : at + _LISTS_AT_ONCE], int(low), powers)
        for at in pieces
    ]
    return pl.Series(lists.name, np.concatenate([np.empty(0, np.int64), *parts]))


def _bounds(lists: pl.Series) -> tuple[float, float]:
    """The lowest and the highest element; out of range if one is not an integer."""
    flat = lists.drop_nulls().explode(empty_as_null=False).drop_nulls()
    low, high = flat.min(), flat.max()
    if low is None or high is None:
        return 0, 0
    whole = flat.dtype.is_integer() or bool((flat.is_finite() & (flat == flat.floor())).all())
    return (low, high) if whole else (0, float(_LARGEST))  # type: ignore[return-value]


def _list_codes(lists: pl.Series, length: NDArray[np.int64], low: int, powers: NDArray[np.int64]) -> NDArray[np.int64]:
    import polars as pl

    flat = lists.drop_nulls().explode(empty_as_null=False)
    digits = (flat.cast(pl.Int64) - low + 2).fill_null(1).to_numpy()
    numbers = _numbers(digits, length, powers)
    numbers[lists.is_null().to_numpy()] = -1
    return numbers


def _numbers(digits: NDArray[np.int64], length: NDArray[np.int64], powers: NDArray[np.int64]) -> NDArray[np.int64]:
    lists, longest = len(length), len(powers)
    if len(digits) == lists * longest:  # all of one length
        by_position = digits.reshape(lists, longest).T
        return np.asarray(
            sum((digit * power for digit, power in zip(by_position, powers, strict=True)), np.zeros(lists, np.int64))
        )
    ends = np.cumsum(length)
    position = np.arange(len(digits)) - np.repeat(ends - length, length)
    # Cumulative sums may overflow 64 bits, but their differences are still right.
    sums = np.concatenate([[0], np.cumsum(digits * powers[position])])
    return np.asarray(sums[ends] - sums[ends - length])


#: The index of the value of each row.
Codes: TypeAlias = "NDArray[np.uint32]"
#: The number of rows of a table created at a time.
_ROWS_AT_ONCE = 1 << 19


@dataclass(frozen=True, eq=False)
class Tally:
    """How often each distinct row occurs, in some 20 bytes per row, however long its lists and names are.

    Attributes
    ----------
    values : dict
        Column -> its distinct values, sorted.
    codes : ndarray of uint32, (columns, rows)
        The index of the value of each distinct row in every column; rows are sorted.
    count : ndarray of int, (rows,)

    Examples
    --------
    >>> import polars as pl
    >>> some = Tally.of(pl.DataFrame({"grades": [[1.0], [0.0], [1.0]], "user": ["a", "a", "a"]}), ["grades", "user"])
    >>> more = Tally.of(pl.DataFrame({"grades": [[2.0]], "user": ["b"], "count": [5]}), ["grades", "user"])
    >>> Tally.merge([some, more]).table().rows()
    [([0.0], 'a', 1), ([1.0], 'a', 2), ([2.0], 'b', 5)]
    """

    values: dict[str, pl.Series]
    codes: NDArray[np.uint32]
    count: NDArray[np.int64]

    @classmethod
    def of(cls, table: pl.DataFrame, columns: Sequence[str]) -> Tally:
        """Make the tally of the rows of a table; counts in a column ``count`` are added up."""
        every = {name: encode_column(table[name]) for name in columns}
        count = table["count"].to_numpy() if "count" in table.columns else np.ones(table.height)
        values = {name: each for name, (each, _) in every.items()}
        return cls(values, *_sum_counts([code for _, code in every.values()], count.astype(np.int64), values))

    @classmethod
    def of_codes(cls, values: Mapping[str, pl.Series], codes: Sequence[Codes], count: NDArray[np.int64]) -> Tally:
        """Make the tally of rows given as codes; rows need not be distinct, and values may be unused."""
        every, mappings = {}, []
        for (name, column), code in zip(values.items(), codes, strict=True):
            used = np.zeros(len(column), dtype=bool)
            used[code] = True
            every[name], recoded = encode_column(column if used.all() else column.filter(used))
            mappings.append(recoded[np.cumsum(used) - 1] if code.size else recoded)
        # One column at a time, since packed rows do not need the codes afterwards.
        return cls(
            every, *_sum_counts((mapping[code] for mapping, code in zip(mappings, codes, strict=True)), count, every)
        )

    @classmethod
    def merge(cls, tallies: Iterable[Tally]) -> Tally:
        """Merge tallies of the same columns."""
        import polars as pl

        parts = list(tallies)
        if len(parts) == 1:
            return parts[0]
        every, merged = {}, []
        for at, name in enumerate(parts[0].values):
            every[name], recoded = encode_column(pl.concat([part.values[name] for part in parts]))
            ends = np.cumsum([0, *(len(part.values[name]) for part in parts)])
            own = [recoded[ends[number] : ends[number + 1]] for number in range(len(parts))]
            merged.append(np.concatenate([each[part.codes[at]] for each, part in zip(own, parts, strict=True)]))
        return cls(every, *_sum_counts(merged, np.concatenate([part.count for part in parts]), every))

    def code(self, name: str) -> Codes:
        """For each distinct row the position of its value in a column."""
        code: Codes = self.codes[list(self.values).index(name)]
        return code

    def without(self, name: str) -> Tally:
        """The tally without a column; rows that differ only in it are added up."""
        others = {each: column for each, column in self.values.items() if each != name}
        return Tally(others, *_sum_counts([self.code(each) for each in others], self.count, others))

    @property
    def size(self) -> int:
        """The approximate number of values that it holds."""
        return 3 * len(self.count) + 10 * sum(len(each) for each in self.values.values())

    def table(self) -> pl.DataFrame:
        """The columns themselves and ``count``, sorted by the columns."""
        import polars as pl

        every, pieces = self.values.values(), range(0, max(1, self.count.size), _ROWS_AT_ONCE)
        # In pieces, since Polars copies all elements to gather lists.
        parts = [
            pl.DataFrame(
                [
                    *(
                        each.gather(pl.Series(code[at : at + _ROWS_AT_ONCE]))
                        for each, code in zip(every, self.codes, strict=True)
                    ),
                    pl.Series("count", self.count[at : at + _ROWS_AT_ONCE]),
                ]
            )
            for at in pieces
        ]
        return pl.concat(parts, rechunk=False)


class RunningTally:
    """A running total of tallies; additions are merged once they are as large as the total so far, to save time.

    Examples
    --------
    >>> import polars as pl
    >>> sum_ = RunningTally()
    >>> for label in (1.0, 2.0, 1.0):
    ...     sum_.add(Tally.of(pl.DataFrame({"label": [label]}), ["label"]))
    >>> sum_.total().table().rows()
    [(1.0, 2), (2.0, 1)]
    """

    def __init__(self) -> None:
        self._parts: list[Tally] = []

    def add(self, tally: Tally) -> None:
        """Add a tally."""
        self._parts.append(tally)
        if len(self._parts) > 2 and sum(each.size for each in self._parts[1:]) > self._parts[0].size:
            self._parts = [Tally.merge(self._parts)]

    def total(self) -> Tally | None:
        """The total; None if nothing was added."""
        self._parts = [Tally.merge(self._parts)] if self._parts else []
        return self._parts[0] if self._parts else None


def encode_column(column: pl.Series) -> tuple[pl.Series, Codes]:
    """The distinct values of a column, sorted, and the index of the value of each row.

    Examples
    --------
    >>> import polars as pl
    >>> values, code = encode_column(pl.Series("grades", [[1, None], [0], [1, None]]))
    >>> values.to_list(), code
    ([[0], [1, None]], array([1, 0, 1], dtype=uint32))
    """
    import polars as pl

    numbers = list_numbers(column) if isinstance(column.dtype, pl.List) else None
    if numbers is not None:
        _, first, code = np.unique(numbers.to_numpy(), return_index=True, return_inverse=True)
        is_sorted = len(first) == len(column) and bool((np.diff(first) == 1).all())
        return column if is_sorted else column.gather(first), code.astype(np.uint32)
    keys = column.alias("key").to_frame()
    if keys["key"].dtype.is_float() and keys["key"].is_nan().any():
        # A join does not match NaN in small tables, so NaN gets a column of its own.
        keys = keys.with_columns(pl.col("key").fill_nan(None), none=pl.col("key").is_nan())
    by = keys.columns
    every = keys.with_row_index("row").unique(by, keep="first", maintain_order=True)
    every = every.with_columns(column.gather(every["row"]).alias("value")).sort("value").with_row_index("code")
    joined = keys.join(every.select(*by, "code"), on=by, how="left", nulls_equal=True, maintain_order="left")
    return every["value"].alias(column.name), joined["code"].to_numpy().astype(np.uint32)


def _sum_counts(
    codes: Iterable[Codes], count: NDArray[np.int64], values: Mapping[str, pl.Series]
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The distinct rows, sorted, with their counts added up; temporary arrays are freed early."""
    sizes = [len(each) for each in values.values()]
    if not count.size:
        return np.zeros((len(sizes), 0), np.uint32), count
    most = int(count.max()) + 1
    if math.prod(sizes) * most >= _LARGEST:
        return _sorted_rows(np.stack(list(codes)), count)
    packed = np.zeros(count.size, dtype=np.int64)
    for code, size in zip(codes, sizes, strict=True):
        packed *= size
        packed += code
    packed *= most
    packed += count
    packed.sort()
    total = packed % most
    packed //= most
    first = np.flatnonzero(np.concatenate([[True], packed[1:] != packed[:-1]]))
    if first.size < packed.size:
        total, packed = np.add.reduceat(total, first), packed[first]
    rows = np.empty((len(sizes), packed.size), np.uint32)
    for at in reversed(range(len(sizes))):
        np.remainder(packed, sizes[at], out=rows[at], casting="unsafe")
        packed //= sizes[at]
    return rows, total


def _sorted_rows(codes: NDArray[np.uint32], count: NDArray[np.int64]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Like `_sum_counts`, for rows that do not fit in 64-bit integers."""
    order = np.lexsort(codes[::-1])
    rows = codes[:, order]
    first = np.flatnonzero(np.concatenate([[True], (rows[:, 1:] != rows[:, :-1]).any(axis=0)]))
    return rows[:, first], np.add.reduceat(count[order], first)
