"""Result pages with labels from people, reduced to counts of distinct combinations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from metameter.types.columns import check_columns
from metameter.types.provenance import Fingerprint, counted
from metameter.types.tally import Tally

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class GradeLists:
    """Distinct lists of grades.

    Attributes
    ----------
    grades : ndarray, lists x longest
        NaN for results that are not judged, and beyond the end of a list.
    length : ndarray of int, lists
    """

    grades: NDArray[np.float64]
    length: NDArray[np.int64]

    @classmethod
    def of(cls, lists: pl.Series) -> GradeLists:
        """The arrays of a column of lists.

        Examples
        --------
        >>> import polars as pl
        >>> GradeLists.of(pl.Series([[1.0, None], [2.0]])).grades
        array([[ 1., nan],
               [ 2., nan]])
        """
        length = lists.list.len().to_numpy().astype(np.int64)
        grades = np.full((len(lists), int(length.max(initial=0))), np.nan)
        grades[np.arange(grades.shape[1]) < length[:, None]] = lists.explode(empty_as_null=False).to_numpy()
        return cls(grades, length)


@dataclass(frozen=True, eq=False, repr=False)
class Labelled:
    """The base of labelled pages and pairs of pages: a table of counts.

    Parameters
    ----------
    counts : polars.DataFrame or Tally
        The table, or the same as a tally, which takes less memory.
    source : str
        The name of the source, for messages.
    fingerprints : tuple of Fingerprint
        The files it was read from.
    """

    counts: pl.DataFrame | Tally
    source: str = "pages"
    fingerprints: tuple[Fingerprint, ...] = ()

    #: The columns with lists of grades, and the one with the label.
    lists_in: ClassVar[tuple[str, ...]] = ()
    label: ClassVar[str] = ""
    #: The name of the label in messages.
    called: ClassVar[str] = ""

    def __post_init__(self) -> None:
        if not isinstance(self.counts, Tally):
            check_columns(self, numbers=(self.label, "count"), lists=self.lists_in)

    @cached_property
    def table(self) -> pl.DataFrame:
        """One row for each distinct combination of grades, label and, if known, ``user``.

        ``count`` is the number of its occurrences. Rows are sorted, so the order of files does not matter. Every row
        has its own lists, some 100 bytes; for large data use the `tally`.
        """
        return self.counts.table() if isinstance(self.counts, Tally) else self.counts

    @cached_property
    def tally(self) -> Tally:
        """The same table with every distinct value stored once, some 20 bytes per row."""
        if isinstance(self.counts, Tally):
            return self.counts
        users = ["user"] if "user" in self.counts.columns else []
        return Tally.of(self.counts, [*self.lists_in, self.label, *users])

    @classmethod
    def of(cls, rows: pl.DataFrame, source: str | None = None, fingerprints: tuple[Fingerprint, ...] = ()) -> Self:
        """Reduce rows to counts; if there is a column ``count``, it is summed.

        A page labelled by a thousand users is then scored once.
        """
        import polars as pl

        keys = [*cls.lists_in, cls.label, *(["user"] if "user" in rows.columns else [])]
        dtypes = {**dict.fromkeys(cls.lists_in, pl.List(pl.Float64)), cls.label: pl.Float64}
        dtypes |= {"user": pl.String} if "user" in rows.columns else {}
        return cls(Tally.of(rows.cast(dtypes), keys), cls.source if source is None else source, fingerprints)  # type: ignore[arg-type]

    def merge(self, others: Iterable[Self]) -> Self:
        """Merge parts of a large collection by adding their counts."""
        parts = [self, *others]
        prints = tuple(each for part in parts for each in part.fingerprints)
        return replace(self, counts=Tally.merge(part.tally for part in parts), fingerprints=prints)

    @cached_property
    def size(self) -> int:
        """The number of pages, or of pairs."""
        return int(self.tally.count.sum())

    @cached_property
    def levels(self) -> NDArray[np.float64]:
        """The distinct labels in ascending order."""
        return np.asarray(self.tally.values[self.label].to_numpy(), dtype=np.float64)

    @cached_property
    def users(self) -> tuple[str, ...] | None:
        """The users who labelled, sorted; None if not known."""
        return tuple(self.tally.values["user"].to_list()) if "user" in self.tally.values else None

    @cached_property
    def _distinct_items(self) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """The distinct pages, or pairs, and for each row of the tally the index of its page or pair."""
        import polars as pl

        values = [self.tally.values[name] for name in self.lists_in]
        item = np.zeros(self.tally.count.size, np.int64)
        for name, column in zip(self.lists_in, values, strict=True):
            item = item * len(column) + self.tally.code(name)
        distinct, item = np.unique(item, return_inverse=True)
        columns = []
        for column in reversed(values):
            distinct, at = np.divmod(distinct, max(len(column), 1))
            is_whole = np.array_equal(at, np.arange(len(column)))  # then the lists are not copied
            columns.append(column if is_whole else column.gather(at))
        return pl.DataFrame(columns[::-1]), item.astype(np.int64)

    @property
    def items(self) -> pl.DataFrame:
        """The distinct pages, or pairs: their columns of grades."""
        return self._distinct_items[0]

    @property
    def item(self) -> NDArray[np.int64]:
        """For each row of the `tally`, the index of its page or pair in `items`."""
        return self._distinct_items[1]

    @cached_property
    def lists(self) -> tuple[GradeLists, NDArray[np.int64]]:
        """The distinct lists of grades, and for each item the indices of its lists: items x one or two."""
        import polars as pl

        columns = [self.items[name].alias("grades") for name in self.lists_in]
        if len(columns) == 1:  # the items are the distinct lists
            return GradeLists.of(columns[0]), np.arange(len(columns[0]))[:, None]
        every = pl.concat(columns).to_frame().unique(maintain_order=True)
        numbered = every.with_row_index("list")
        joined = [
            each.to_frame().join(numbered, on="grades", how="left", nulls_equal=True, maintain_order="left")
            for each in columns
        ]
        return GradeLists.of(every["grades"]), np.stack([each["list"].to_numpy() for each in joined], 1).astype(
            np.int64
        )

    @cached_property
    def highest(self) -> float:
        """The highest grade that occurs (at least 0)."""
        return float(np.fmax.reduce(self.lists[0].grades, axis=None, initial=0.0))


@dataclass(frozen=True, eq=False, repr=False)
class Pages(Labelled):
    """Result pages with labels of satisfaction: columns ``grades``, ``satisfaction``, perhaps ``user``, ``count``.

    Examples
    --------
    >>> import polars as pl
    >>> pages = Pages.of(pl.DataFrame({"grades": [[2, 0], [2, 0], [0, None]], "satisfaction": [4, 4, 1]}))
    >>> pages, pages.table["count"].to_list(), pages.levels
    (<Pages: 3 pages, 2 of them distinct>, [1, 2], array([1., 4.]))
    """

    lists_in = ("grades",)
    label = called = "satisfaction"

    def __repr__(self) -> str:
        return f"<Pages: {counted(self.size, 'page')}, {self.items.height:,} of them distinct>"


@dataclass(frozen=True, eq=False, repr=False)
class Pairs(Labelled):
    """Pairs of pages with preferences: columns ``grades_a``, ``grades_b``, ``preference`` (-1, 0, 1), ``count``.

    Examples
    --------
    >>> import polars as pl
    >>> Pairs.of(pl.DataFrame({"grades_a": [[2, 0]], "grades_b": [[0, 1]], "preference": [-1]}))
    <Pairs: 1 pair, 1 of them distinct>
    """

    source: str = "pairs"

    lists_in = ("grades_a", "grades_b")
    label = called = "preference"

    def __repr__(self) -> str:
        return f"<Pairs: {counted(self.size, 'pair')}, {self.items.height:,} of them distinct>"


@dataclass(frozen=True, eq=False, repr=False)
class Views(Labelled):
    """Result pages with the last rank viewed: columns ``grades``, ``last``, perhaps ``user``, ``count``.

    Examples
    --------
    >>> import polars as pl
    >>> Views.of(pl.DataFrame({"grades": [[2, 0], [2, 0], [0, 1]], "last": [1, 1, 2]}))
    <Views: 3 pages, 2 of them distinct>
    """

    lists_in = ("grades",)
    label = "last"
    called = "rank viewed last"

    def __repr__(self) -> str:
        return f"<Views: {counted(self.size, 'page')}, {self.items.height:,} of them distinct>"
