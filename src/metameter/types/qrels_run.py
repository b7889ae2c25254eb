"""Judgments and the ranked lists that are held against them."""

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


class _Listed:
    """What has a table of documents by topic, and rows; whichever is there makes the other one when it is needed."""

    @classmethod
    def of_rows(cls, rows: Rows, read: Callable[[], pl.DataFrame], **fields: Any) -> Self:
        """What was read as rows; ``read`` makes the table, if somebody asks for it."""
        made = object.__new__(cls)
        made.__dict__.update(fields, rows=rows, _read=read)
        return made

    def __getstate__(self) -> dict[str, Any]:
        # The table alone goes elsewhere, where rows are made of it.
        return {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]

    if not TYPE_CHECKING:  # where it would allow any attribute

        def __getattr__(self, name: str) -> Any:
            read = self.__dict__.get("_read") if name == "table" else None
            if read is None:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            # Another thread may ask at the same time, or the user interrupt it: what is needed for it stays.
            return self.__dict__.setdefault("table", read())


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
        return Rows.of(self.table, "score", self.source)

    def with_fingerprint(self, fingerprint: Fingerprint) -> Run:
        """The same run, which knows the file that it was read from."""
        run = object.__new__(Run)
        run.__dict__.update(self.__dict__, fingerprint=fingerprint)
        return run

    def renamed(self, name: str) -> Run:
        """The same run of a system with another name."""
        run = object.__new__(Run)
        run.__dict__.update(self.__dict__, name=name)
        return run
