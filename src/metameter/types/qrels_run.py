"""Relevance judgments (Qrels) and ranked lists (Run)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.types.columns import check_columns, check_name
from metameter.types.provenance import Fingerprint, counted, topic_order
from metameter.types.run_rows import Rows

if TYPE_CHECKING:
    from typing import Self

    import polars as pl


class _Table:
    """The attribute ``table`` of an object that was made of rows: it is read on first use, and stored."""

    def __get__(self, listed: _Listed | None, kind: type) -> pl.DataFrame:
        if listed is None:
            raise AttributeError("table")  # for a data class: the field has no default
        # Keep `_read`: another thread may need it at the same time, or the user may interrupt it.
        table: pl.DataFrame = listed.__dict__.setdefault("table", listed.__dict__["_read"]())
        return table


class _Listed:
    """The base of Qrels and Run: a table of documents by topic and its rows, each made from the other on first use."""

    table: Any = _Table()

    @classmethod
    def of_rows(cls, rows: Rows, read: Callable[[], pl.DataFrame], **fields: Any) -> Self:
        """Make an object of rows and the other fields; ``read`` makes the table when it is first used."""
        listed = object.__new__(cls)
        listed.__dict__.update(fields, rows=rows, _read=read)
        return listed

    def _copy(self, **changes: Any) -> Self:
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__, **changes)
        return copy

    def __getstate__(self) -> dict[str, Any]:
        # Pickle the table alone; rows are made from it again.
        return {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False, repr=False)
class Qrels(_Listed):
    """Relevance judgments: one row per judged document.

    Attributes
    ----------
    table : polars.DataFrame
        Columns ``topic`` (String), ``doc`` (String), ``grade`` (Float64), in file order, without duplicates.
        A grade below 0 means: in the pool, but not judged.
    source : str
        The name of the source, for messages.
    fingerprints : tuple of Fingerprint
        The files they were read from.
    """

    table: pl.DataFrame
    source: str = "qrels"
    fingerprints: tuple[Fingerprint, ...] = ()

    def __post_init__(self) -> None:
        check_columns(self, ("topic", "doc"), ("grade",))

    def __repr__(self) -> str:
        return f"<Qrels of {counted(len(self.rows), 'document')}, {counted(len(self.topics), 'topic')}>"

    @cached_property
    def rows(self) -> Rows:
        """The rows of the table, as needed to score runs against them."""
        return Rows.of(self.table, "grade", self.source)

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """The judged topics, in reading order."""
        return topic_order(list(dict.fromkeys(self.rows.topics)))

    @cached_property
    def max_grade(self) -> float:
        """The highest grade that occurs (at least 0)."""
        return float(max(np.max(self.rows.value, initial=0.0), 0.0))


@dataclass(frozen=True, eq=False, repr=False)
class Run(_Listed):
    """One system's ranked lists, in file order.

    Attributes
    ----------
    name : str
        The system's name.
    table : polars.DataFrame
        Columns ``topic`` (String), ``doc`` (String), ``score`` (Float64) and, where read, ``rank`` (Float64).
    source : str
        The name of the source, for messages.
    fingerprint : Fingerprint, optional
        The file it was read from.
    """

    name: str
    table: pl.DataFrame
    source: str = "run"
    fingerprint: Fingerprint | None = None

    def __post_init__(self) -> None:
        check_name(self)
        check_columns(self, ("topic", "doc"), ("score",))

    def __repr__(self) -> str:
        topics = set(self.rows.topics)
        return f"<Run {self.name}: {counted(len(self.rows), 'document')}, {counted(len(topics), 'topic')}>"

    @cached_property
    def rows(self) -> Rows:
        """The rows of the table, as needed to score the run against judgments."""
        return Rows.of(self.table, "score", self.source)

    def with_fingerprint(self, fingerprint: Fingerprint) -> Run:
        """A copy with the fingerprint of the file that it was read from."""
        return self._copy(fingerprint=fingerprint)

    def renamed(self, name: str) -> Run:
        """A copy with another system name."""
        return self._copy(name=name)
