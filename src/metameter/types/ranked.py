"""Judgments and the ranked lists that are held against them."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from metameter.types.columns import check_columns, check_name
from metameter.types.labels import Fingerprint, counted, topic_order
from metameter.types.rows import Rows

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Qrels", "Run"]


@dataclass(frozen=True, eq=False, repr=False)
class Qrels:
    """Relevance judgments: one row per judged document.

    Attributes
    ----------
    table : polars.DataFrame
        Columns ``topic`` (String), ``doc`` (String), ``grade`` (Float64), in file order, without duplicates.
        A grade below 0 means: in the pool, but not judged.
    source : str
        Where they come from, for messages.
    fingerprints : tuple of Fingerprint
        The files they were read from.
    """

    table: pl.DataFrame
    source: str = "qrels"
    fingerprints: tuple[Fingerprint, ...] = ()

    def __post_init__(self) -> None:
        check_columns(self, ("topic", "doc"), ("grade",))

    def __repr__(self) -> str:
        return f"<Qrels of {counted(self.table.height, 'document')}, {counted(len(self.topics), 'topic')}>"

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """The judged topics, in reading order."""
        return topic_order(self.table["topic"].unique().to_list())

    @cached_property
    def max_grade(self) -> float:
        """The highest grade that occurs (at least 0)."""
        grades = self.table["grade"].to_numpy()
        return float(max(grades.max(initial=0.0), 0.0))


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """One system's ranked lists, in file order.

    Attributes
    ----------
    name : str
        The system's name.
    table : polars.DataFrame
        Columns ``topic`` (String), ``doc`` (String), ``score`` (Float64) and, where read, ``rank`` (Float64).
    source : str
        Where it comes from, for messages.
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

    @cached_property
    def rows(self) -> Rows:
        """What is needed of the table to hold the run against judgments."""
        return Rows.of(self.table)

    def __repr__(self) -> str:
        rows = self.rows
        return f"<Run {self.name}: {counted(len(rows), 'document')}, {counted(len(set(rows.topics)), 'topic')}>"

    @classmethod
    def of_rows(cls, name: str, rows: Rows, read: Callable[[], pl.DataFrame], source: str = "run") -> Run:
        """A run of which only the rows were read; ``read`` makes the table, if somebody asks for it."""
        run = object.__new__(cls)
        run.__dict__.update(name=name, rows=rows, read=read, source=source, fingerprint=None)
        check_name(run)
        return run

    def with_fingerprint(self, fingerprint: Fingerprint) -> Run:
        """The same run, which knows the file that it was read from."""
        run = copy(self)
        run.__dict__["fingerprint"] = fingerprint
        return run

    if not TYPE_CHECKING:  # where it would allow any attribute

        def __getattr__(self, name: str) -> Any:
            if name == "table" and "read" in self.__dict__:
                self.__dict__["table"] = self.__dict__.pop("read")()
                return self.table
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
