"""Judgments by subtopic, indexed once for all runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from metameter.judge.passages import Passages
from metameter.judge.ranked import Derivable
from metameter.types import Qrels

if TYPE_CHECKING:
    from metameter.judge.ranked import Ranked
    from metameter.types import Truth


@dataclass(frozen=True, eq=False)
class Facets(Derivable):
    """What metrics need of judgments by subtopic; shared by all runs.

    Attributes
    ----------
    listed : ndarray, topics
        The number of subtopics of each topic, including those without a relevant document.
    covered : ndarray, topics
        The number of subtopics of each topic with a relevant document.
    passages : Passages
        All relevant passages; positions are rows of the documents.
    start : ndarray
        The first passage of each document of the qrels; the last entry is the number of passages.
    reading : ndarray
        The passages in the order of the truth's file.
    """

    listed: NDArray[np.int64]
    passages: Passages
    start: NDArray[np.int64]
    reading: NDArray[np.int64]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "memo": {}}

    def seen(self, topic: NDArray[np.int64], rank: NDArray[np.int64], row: NDArray[np.int64]) -> Passages:
        """Return the passages of documents of these rows, retrieved at these ranks, in the order of reading."""
        order = np.lexsort((rank, topic))
        topic, rank, row = topic[order], rank[order], row[order]
        count = self.start[row + 1] - self.start[row]
        within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        at = np.repeat(self.start[row], count) + within
        truth = self.passages
        return Passages(
            np.repeat(topic, count), np.repeat(rank, count), truth.subtopic[at], truth.nugget[at], truth.rating[at]
        )

    @classmethod
    def of_list(cls, ranked: Ranked) -> Facets:
        """Return one subtopic per topic for lists without subtopics: each relevant document is a nugget of it.

        Documents are those of the judgments, the best first.
        """
        ideal = ranked.judgments.ideal
        topic, rank = np.nonzero(ideal > 0)
        one = np.ones(len(ideal), dtype=np.int64)
        none = np.zeros(topic.size, dtype=np.int64)
        row = topic * ideal.shape[1] + rank
        passages = Passages(topic, row, none, rank, ideal[topic, rank])
        start = np.searchsorted(row, np.arange(ideal.size + 1))
        return cls(one, passages, start, np.arange(topic.size))


def document_qrels(truth: Truth) -> Qrels:
    """Return the truth as judgments of documents: a document's grade is its highest rating, and a relevant one has 1.

    The rows are ordered by topic, then by document name, falling: where an ideal list has a choice, it takes the first.

    Examples
    --------
    >>> from metameter.types import Truth
    >>> table = pl.DataFrame({"topic": ["1"] * 3, "subtopic": ["a", "b", "a"], "doc": ["d", "d", "e"],
    ...                       "nugget": ["x", "y", "z"], "rating": [1.0, 3.0, 0.0]})
    >>> document_qrels(Truth(table)).table.rows()
    [('1', 'e', 0.0), ('1', 'd', 3.0)]
    """
    rating = pl.col("rating").clip(lower_bound=1.0) if truth.every_rating_counts else pl.col("rating")
    number = {topic: row for row, topic in enumerate(truth.topics)}
    table = (
        truth.table.group_by("topic", "doc", maintain_order=True)
        .agg(rating.max().alias("grade"))
        .with_columns(row=pl.col("topic").replace_strict(number, return_dtype=pl.Int64))
        .sort("row", "doc", descending=[False, True])
    )
    return Qrels(table.select("topic", "doc", "grade"), truth.source, truth.fingerprints)


def facets_of(truth: Truth, qrels: Qrels) -> Facets:
    """Return the truth by subtopic for the topics and documents of `document_qrels`.

    A topic without judgments is left out, as in any qrels, even if its subtopics are listed.

    Examples
    --------
    >>> from metameter.types import Truth
    >>> table = pl.DataFrame({"topic": ["1"] * 3, "subtopic": ["a", "b", "c"], "doc": ["d", "d", "e"],
    ...                       "nugget": ["x", "y", "z"], "rating": [1.0, 3.0, 0.0]})
    >>> facets = facets_of(Truth(table), document_qrels(Truth(table)))
    >>> facets.listed, facets.passages.rating, facets.start
    (array([3]), array([1., 3.]), array([0, 0, 2]))
    """
    topics = len(qrels.topics)
    number = {topic: row for row, topic in enumerate(qrels.topics)}
    rows = qrels.table.select("topic", "doc").with_row_index("row")
    order = pl.col("topic").replace_strict(number, return_dtype=pl.Int64).alias("number")
    subtopics = truth.subtopics.filter(pl.col("topic").is_in(list(number))).with_columns(order)
    subtopics = subtopics.with_columns(pl.int_range(pl.len()).over("number").alias("facet"))
    table = truth.table if truth.every_rating_counts else truth.table.filter(pl.col("rating") > 0)
    table = (
        table.join(rows, on=["topic", "doc"], how="left", maintain_order="left")
        .join(subtopics, on=["topic", "subtopic"], how="left", maintain_order="left")
        .with_columns((pl.col("nugget").rank("dense") - 1).over("number").cast(pl.Int64).alias("nugget"))
        .with_row_index("line")
        .sort("row", maintain_order=True)
    )
    columns = {name: table[name].cast(pl.Int64).to_numpy() for name in ("number", "row", "facet", "nugget")}
    passages = Passages(
        columns["number"], columns["row"], columns["facet"], columns["nugget"], table["rating"].to_numpy()
    )
    listed = np.bincount(subtopics["number"].to_numpy(), minlength=topics)
    start = np.searchsorted(passages.position, np.arange(qrels.table.height + 1))
    reading = np.argsort(table["line"].to_numpy(), kind="stable")
    return Facets(listed, passages, start, reading)
