"""Judgments and the ranked lists that are held against them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from metameter.types.columns import check_columns, check_name
from metameter.types.labels import Fingerprint, counted, topic_order

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

    def __repr__(self) -> str:
        topics = self.table["topic"].n_unique()
        return f"<Run {self.name}: {counted(self.table.height, 'document')}, {counted(topics, 'topic')}>"
