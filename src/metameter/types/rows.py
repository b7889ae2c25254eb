"""The rows of a run, or of judgments: what is needed to hold them against each other, without a text for every name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from metameter.types.names import Names

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["Rows"]


@dataclass(frozen=True, eq=False)
class Rows:
    """Documents of topics, in file order. The rows of a topic follow each other in one stretch, or in several.

    Attributes
    ----------
    begin : ndarray
        The first row of each stretch.
    topics : tuple of str
        The topic of each stretch.
    doc : Names
    value : ndarray
        The score, or the grade.
    rank : ndarray, optional
        The column of ranks, where it was read.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"topic": ["1", "1", "2"], "doc": ["a", "b", "a"], "score": [2.0, 1.0, 3.0]})
    >>> rows = Rows.of(table)
    >>> rows.begin, rows.topics, rows.length
    (array([0, 2]), ('1', '2'), array([2, 1]))
    """

    begin: NDArray[np.int64]
    topics: tuple[str, ...]
    doc: Names
    value: NDArray[np.float64]
    rank: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, table: pl.DataFrame, value: str = "score") -> Rows:
        """The rows of a table with the columns topic, doc, one of values, and perhaps rank."""
        topic = table["topic"]
        begin = beginnings((topic[1:] != topic[:-1]).to_numpy()) if len(topic) else np.zeros(0, np.int64)
        names = tuple(topic.gather(begin.tolist()).to_list())
        numbers = (table[name].to_numpy() if name in table.columns else None for name in (value, "rank"))
        return cls(begin, names, Names.of(table["doc"]), *numbers)  # type: ignore[arg-type]

    def __len__(self) -> int:
        return self.value.size

    @property
    def length(self) -> NDArray[np.int64]:
        """How many rows each stretch has."""
        return np.diff(np.append(self.begin, len(self)))

    def of_stretches(self, kept: NDArray[np.bool_]) -> Rows:
        """Some of the stretches."""
        length = self.length
        rows = np.flatnonzero(np.repeat(kept, length))
        ends = np.cumsum(length[kept])
        topics = tuple(topic for topic, stays in zip(self.topics, kept.tolist(), strict=True) if stays)
        rank = None if self.rank is None else self.rank[rows]
        known = None if self.doc.known is None else self.doc.known[rows]
        doc = replace(self.doc.take(rows), known=known)
        return Rows(ends - length[kept], topics, doc, self.value[rows], rank)


def beginnings(differ: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Where stretches of equal rows begin, if it is known whether each row but the first differs from the one before.

    Examples
    --------
    >>> beginnings(np.array([False, True]))
    array([0, 2])
    """
    return np.append(0, np.flatnonzero(differ) + 1)
