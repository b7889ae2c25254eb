"""Counts of distinct rows in little memory: every distinct value is kept once, a row is its numbers and a count."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metameter.types.list_numbers import list_numbers

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Tally", "Tallying", "coded"]

#: Rows are packed into integers of 64 bits below this.
_LARGEST = 2**62


@dataclass(frozen=True, eq=False)
class Tally:
    """How often each distinct row occurs; some 20 bytes a row, however long its lists and names are.

    Attributes
    ----------
    values : dict
        Column -> its distinct values.
    rows : polars.DataFrame
        For each distinct row the place of its value in every column, and its ``count``.

    Examples
    --------
    >>> import polars as pl
    >>> some = Tally.of(pl.DataFrame({"grades": [[1.0], [0.0], [1.0]], "user": ["a", "a", "a"]}), ["grades", "user"])
    >>> more = Tally.of(pl.DataFrame({"grades": [[2.0]], "user": ["b"], "count": [5]}), ["grades", "user"])
    >>> Tally.merged([some, more]).table().rows()
    [([0.0], 'a', 1), ([1.0], 'a', 2), ([2.0], 'b', 5)]
    """

    values: dict[str, pl.Series]
    rows: pl.DataFrame

    @classmethod
    def of(cls, table: pl.DataFrame, columns: Sequence[str]) -> Tally:
        """The tally of a table's rows; of those that are counts already (column ``count``) these are added up."""
        import polars as pl

        values, codes = {}, []
        for name in columns:
            values[name], code = coded(table[name])
            codes.append(code)
        counts = table["count"].cast(pl.Int64) if "count" in table.columns else None
        ones = pl.repeat(1, table.height, dtype=pl.Int64, eager=True).alias("count")
        return cls(values, _added(pl.DataFrame([*codes, ones if counts is None else counts])))

    @classmethod
    def of_codes(cls, values: Mapping[str, pl.Series], rows: pl.DataFrame) -> Tally:
        """The tally of rows whose values have places already; neither need be distinct, nor all values used."""
        import polars as pl

        every, columns = {}, [rows["count"]]
        for name, column in values.items():
            codes = rows[name]
            if (used := codes.unique()).len() < len(column):
                column = column.gather(used)
                places = used.to_frame().with_row_index("place")
                codes = codes.to_frame().join(places, on=name, how="left", maintain_order="left")["place"]
            every[name], code = coded(column)
            columns.append(code.gather(codes).alias(name))
        return cls(every, _added(pl.DataFrame(columns)))

    @classmethod
    def merged(cls, tallies: Iterable[Tally]) -> Tally:
        """Tallies of the same columns as one."""
        import polars as pl

        parts = list(tallies)
        if len(parts) == 1:
            return parts[0]
        values = {name: pl.concat([part.values[name] for part in parts]) for name in parts[0].values}
        rows, before = [], dict.fromkeys(values, 0)
        for part in parts:
            rows.append(part.rows.select("count", *(pl.col(name) + before[name] for name in values)))
            before = {name: before[name] + len(part.values[name]) for name in values}
        return cls.of_codes(values, pl.concat(rows))

    @property
    def size(self) -> int:
        """How many numbers it takes, about."""
        lists = sum(len(each) for each in self.values.values())
        return 3 * self.rows.height + 10 * lists

    def table(self) -> pl.DataFrame:
        """The columns themselves and ``count``, sorted by the columns."""
        import polars as pl

        names = list(self.values)
        ordered = {name: values.to_frame().with_row_index("code").sort(name) for name, values in self.values.items()}
        places = {name: _inverse(each["code"]) for name, each in ordered.items()}
        if math.prod(map(len, self.values.values())) >= _LARGEST:
            codes = pl.DataFrame([places[name].gather(self.rows[name]).alias(name) for name in names])
            codes = codes.with_columns(self.rows["count"]).sort(names)
            return pl.DataFrame([*(ordered[name][name].gather(codes[name]) for name in names), codes["count"]])
        packed = pl.repeat(0, self.rows.height, dtype=pl.Int64, eager=True)
        for name in names:
            packed = packed * len(self.values[name]) + places[name].gather(self.rows[name]).cast(pl.Int64)
        counts = pl.DataFrame([packed.alias("code"), self.rows["count"]]).sort("code")
        left, columns = counts["code"], [counts["count"]]
        for name in reversed(names):
            columns.append(ordered[name][name].gather(left % len(self.values[name])))
            left = left // len(self.values[name])
        return pl.DataFrame(columns[::-1])


class Tallying:
    """Adds tallies up, in time that grows with what is added: what waits is merged once it is as large as the rest.

    Examples
    --------
    >>> import polars as pl
    >>> sum_ = Tallying()
    >>> for label in (1.0, 2.0, 1.0):
    ...     sum_.add(Tally.of(pl.DataFrame({"label": [label]}), ["label"]))
    >>> sum_.total().table().rows()
    [(1.0, 2), (2.0, 1)]
    """

    def __init__(self) -> None:
        self._waiting: list[Tally] = []

    def add(self, tally: Tally) -> None:
        """Add one more."""
        self._waiting.append(tally)
        if len(self._waiting) > 2 and sum(each.size for each in self._waiting[1:]) > self._waiting[0].size:
            self._waiting = [Tally.merged(self._waiting)]

    def total(self) -> Tally | None:
        """All of them; None where none was added."""
        self._waiting = [Tally.merged(self._waiting)] if self._waiting else []
        return self._waiting[0] if self._waiting else None


def coded(column: pl.Series) -> tuple[pl.Series, pl.Series]:
    """The distinct values of a column, and for each of its rows which of them it has.

    Examples
    --------
    >>> import polars as pl
    >>> values, code = coded(pl.Series("grades", [[1, None], [0], [1, None]]))
    >>> values.to_list(), code.to_list()
    ([[1, None], [0]], [0, 1, 0])
    """
    import polars as pl

    numbers = list_numbers(column) if isinstance(column.dtype, pl.List) else None
    keys = (column if numbers is None else numbers).alias("key").to_frame().with_row_index("row")
    every = keys.unique("key", keep="first", maintain_order=True).with_row_index("code")
    joined = keys.select("key").join(
        every.select("key", "code"), on="key", how="left", nulls_equal=True, maintain_order="left"
    )
    return column.gather(every["row"]), joined["code"].cast(pl.UInt32).alias(column.name)


def _added(rows: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    return rows.group_by([name for name in rows.columns if name != "count"]).agg(pl.col("count").sum())


def _inverse(order: pl.Series) -> pl.Series:
    """For each place before sorting, the one after it."""
    import polars as pl

    places = pl.int_range(len(order), dtype=pl.UInt32, eager=True)
    return pl.DataFrame([order.alias("before"), places.alias("after")]).sort("before")["after"]
