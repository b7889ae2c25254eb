"""Judgments by subtopic, and search sessions with one list per iteration."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from metameter.types.columns import check_columns, check_name
from metameter.types.provenance import Fingerprint, counted, topic_order

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False, repr=False)
class Truth:
    """Relevance judgments by subtopic: one row per judged passage, or per judged document and subtopic.

    Attributes
    ----------
    table : polars.DataFrame
        Columns ``topic``, ``subtopic``, ``doc``, ``nugget`` (String) and ``rating`` (Float64), in file order. Passages
        with the same nugget have the same content; where nuggets are not known, every passage is a nugget.
    every_rating_counts : bool
        Whether every listed document is relevant, as in TREC Dynamic Domain, where ratings of 0 and -1 mean marginally
        relevant; otherwise ratings above 0 are relevant and others not.
    listed : polars.DataFrame, optional
        Columns ``topic`` and ``subtopic``: all subtopics in file order, if some of them have no judgment.
    source : str
        The name of the source, for messages.
    fingerprints : tuple of Fingerprint
        The files it was read from.
    """

    table: pl.DataFrame
    every_rating_counts: bool = False
    listed: pl.DataFrame | None = None
    source: str = "truth"
    fingerprints: tuple[Fingerprint, ...] = ()

    def __post_init__(self) -> None:
        check_columns(self, ("topic", "subtopic", "doc", "nugget"), ("rating",))

    def __repr__(self) -> str:
        sizes = (len(self.topics), "topic"), (self.subtopics.height, "subtopic"), (self.table.height, "judgment")
        return f"<Truth of {', '.join(counted(*each) for each in sizes)}>"

    @cached_property
    def subtopics(self) -> pl.DataFrame:
        """The topic and the name of every subtopic, in file order."""
        listed = self.table if self.listed is None else self.listed
        return listed.select("topic", "subtopic").unique(maintain_order=True)

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """The topics that have a judgment, in reading order."""
        return topic_order(self.table["topic"].unique().to_list())

    @cached_property
    def unjudged(self) -> tuple[str, ...]:
        """The topics without any judgment, which cannot be scored."""
        return tuple(sorted(set(self.subtopics["topic"]) - set(self.topics)))


@dataclass(frozen=True, eq=False, repr=False)
class SessionRun:
    """The sessions of one system: for every topic the lists of its iterations in order.

    Attributes
    ----------
    name : str
        The system's name.
    table : polars.DataFrame
        Columns ``topic`` (String), ``iteration`` (Int64, from 1, without gaps), ``doc`` (String; null for a document
        that only fills a gap, or that the session has shown before), in the order shown to the user.
    source : str
        The name of the source, for messages.
    fingerprint : Fingerprint, optional
        The file it was read from.
    page : int, optional
        The number of documents per iteration by the rules of the track: 5 in TREC Dynamic Domain.
    """

    name: str
    table: pl.DataFrame
    source: str = "run"
    fingerprint: Fingerprint | None = None
    page: int | None = None

    def __post_init__(self) -> None:
        check_name(self)
        check_columns(self, ("topic", "doc"), ("iteration",))

    def __repr__(self) -> str:
        topics, lists = (self.table.select(keys).n_unique() for keys in (["topic"], ["topic", "iteration"]))
        sizes = (topics, "topic"), (lists, "iteration"), (self.table.height, "document")
        return f"<SessionRun {self.name}: {', '.join(counted(*each) for each in sizes)}>"
