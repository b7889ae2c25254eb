"""Judgments and the ranked lists that are held against them."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.types.columns import check_columns, check_name
from metameter.types.labels import Fingerprint, counted, topic_order
from metameter.types.rows import Rows

if TYPE_CHECKING:
    from typing import Self

    import polars as pl

__all__ = ["Qrels", "Run"]


class _Listed:
    """What has a table of documents by topic, and rows; whichever is there makes the other one when it is needed."""

    @classmethod
    def of_rows(cls, rows: Rows, read: Callable[[], pl.DataFrame], **fields: Any) -> Self:
        """What was read as rows; ``read`` makes the table, if somebody asks for it."""
        made = object.__new__(cls)
        made.__dict__.update(fields, rows=rows, _read=read)
        return made

    if not TYPE_CHECKING:  # where it would allow any attribute

        def __getattr__(self, name: str) -> Any:
            if name == "table" and "_read" in self.__dict__:
                self.__dict__["table"] = self.__dict__.pop("_read")()
                return self.table
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)


@dataclass(frozen=True, eq=False, repr=False)
class Qrels(_Listed):
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
        return f"<Qrels of {counted(len(self.rows), 'document')}, {counted(len(self.topics), 'topic')}>"

    @cached_property
    def rows(self) -> Rows:
        """What is needed of the table to hold runs against it."""
        return Rows.of(self.table, "grade")

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

    def __repr__(self) -> str:
        topics = set(self.rows.topics)
        return f"<Run {self.name}: {counted(len(self.rows), 'document')}, {counted(len(topics), 'topic')}>"

    @cached_property
    def rows(self) -> Rows:
        """What is needed of the table to hold the run against judgments."""
        return Rows.of(self.table)

    def with_fingerprint(self, fingerprint: Fingerprint) -> Run:
        """The same run, which knows the file that it was read from."""
        run = copy(self)
        run.__dict__["fingerprint"] = fingerprint
        return run
