"""`Sessions`: what a metric sees of a run in iterations."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.judge.faceted import Faceted
from metameter.judge.ranked import ABSENT, BEYOND, JUDGED, Ranked
from metameter.types.byte_strings import Names

if TYPE_CHECKING:
    from metameter.judge.document_lengths import DocumentLengths
    from metameter.judge.facets import Facets
    from metameter.judge.index import Index
    from metameter.types import SessionRun


#: The number of documents per iteration in TREC Dynamic Domain.
PAGE = 5


@dataclass(frozen=True, eq=False)
class Sessions(Faceted):
    """One run in iterations against judgments by subtopic; the list is that of all iterations, one after another.

    Attributes
    ----------
    stops : ndarray, topics x iterations
        The number of documents shown by the end of each iteration; constant after the last one.
    used : ndarray, topics
        The number of iterations; 0 if the topic is missing from the run.
    lengths : ndarray, topics x depth
        The length of each document; NaN where it is unknown.
    page_size : int
        The most documents in an iteration.
    ruled : bool
        Whether the rules of a track fix this number: then official scorers count that many documents as an iteration,
        wherever iterations end.
    collection_lengths : ndarray, optional
        The lengths of all documents of the collection, rising; None where lengths are not known.

    Examples
    --------
    A list is a session of one iteration.

    >>> sessions = Sessions.of(Ranked.of_gains([1, 0, 0.5]))
    >>> sessions.stops, sessions.used, sessions.position
    (array([[3]]), array([1]), array([[1, 2, 3]]))
    """

    stops: NDArray[np.int64] = field(kw_only=True)
    used: NDArray[np.int64] = field(kw_only=True)
    lengths: NDArray[np.float64] = field(kw_only=True)
    page_size: int = field(default=PAGE, kw_only=True)
    ruled: bool = field(default=True, kw_only=True)
    collection_lengths: NDArray[np.float64] | None = field(default=None, kw_only=True)

    @classmethod
    def of(cls, ranked: Ranked) -> Sessions:
        """Return the run in iterations: itself, or a list as one iteration whose documents have length 0."""
        if isinstance(ranked, Sessions):
            return ranked
        return ranked.once("sessions", lambda: _one_iteration(Faceted.of(ranked)))

    @property
    def iterations(self) -> int:
        """The number of iterations of the longest session."""
        return int(self.stops.shape[1])

    def stop(self, iterations: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of documents shown by the end of each of these iterations: topics x iterations."""
        return np.asarray(self.stops[:, np.minimum(iterations, self.iterations) - 1])

    def time(self, iterations: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of iterations used by the end of each of these: topics x iterations."""
        return np.minimum(iterations, self.used[:, None])

    @cached_property
    def iteration(self) -> NDArray[np.int64]:
        """The iteration, from 1, of each rank; one more than the last beyond the list."""
        rank = np.arange(self.depth)
        return 1 + np.stack([np.searchsorted(stops, rank, side="right") for stops in self.stops])

    @cached_property
    def position(self) -> NDArray[np.int64]:
        """The rank, from 1, within the iteration."""
        begins = np.concatenate([np.zeros((len(self.stops), 1), np.int64), self.stops], axis=1)
        return np.asarray(np.arange(1, self.depth + 1) - np.take_along_axis(begins, self.iteration - 1, axis=1))

    @cached_property
    def on_topic(self) -> NDArray[np.bool_]:
        """Which documents have a relevant passage."""
        relevant = np.zeros(self.grade.shape, np.bool_)
        relevant[self.seen.topic, self.seen.position] = True
        return relevant

    def until(self, values: NDArray[np.float64], iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the sum of the values of the documents shown by the end of each iteration: topics x iterations."""
        sums = np.concatenate([np.zeros((len(values), 1)), np.cumsum(values, axis=1)], axis=1)
        return np.take_along_axis(sums, self.stop(iterations), axis=1)

    def first(self, iterations: int) -> Faceted:
        """Return the list of the first iterations alone."""
        stop = self.stop(np.array([iterations]))
        beyond = np.arange(self.depth) >= stop
        return replace(
            Faceted(**self.fields_of(Faceted)),
            status=np.where(beyond, BEYOND, self.status).astype(np.int8),
            grade=np.where(beyond, 0.0, self.grade),
            length=stop[:, 0],
            seen=self.seen.where(self.seen.position < stop[self.seen.topic, 0]),
        )

    def _cut(self, k: int) -> Sessions:
        begins = np.concatenate([np.zeros((len(self.stops), 1), np.int64), self.stops[:, :-1]], axis=1)
        return replace(
            cast("Sessions", super()._cut(k)),
            stops=np.minimum(self.stops, k),
            used=np.minimum(self.used, (begins < k).sum(axis=1)),
            lengths=self.lengths[:, :k],
        )

    def with_lengths(self) -> Sessions:
        """Return itself; refuse sessions without document lengths."""
        if self.collection_lengths is None:
            raise MetameterError(
                "the lengths of documents are not known", fix="Give them (--lengths FILE), or leave the metric out."
            )
        return self


def _one_iteration(faceted: Faceted) -> Sessions:
    return Sessions(
        **faceted.fields_of(Faceted),
        stops=faceted.length[:, None],
        used=(faceted.length > 0).astype(np.int64),
        lengths=np.zeros(faceted.grade.shape),
        page_size=max(faceted.depth, 1),
        collection_lengths=np.zeros(max(faceted.depth, 1)),
    )


def align_session(
    run: SessionRun, index: Index, facets: Facets, document_lengths: DocumentLengths | None, page_size: int = PAGE
) -> Sessions:
    """Return the sessions of one system as `Sessions`: its lists aligned with the judgments by subtopic.

    Topics that only the run has are ignored; topics that it lacks have no iteration.

    Parameters
    ----------
    run : SessionRun
    index : Index
        Of the documents of the truth (`document_qrels`).
    facets : Facets
    document_lengths : DocumentLengths, optional
        The lengths of documents.
    page_size : int
        How many documents an iteration shows.
    """
    documents = _ShownDocuments.of(run, index)
    topics, depth = len(index.topics), int(documents.count.max())
    cell = documents.topic * depth + documents.rank
    status, grade = np.full(topics * depth, BEYOND, np.int8), np.zeros(topics * depth)
    lengths = np.full(topics * depth, np.nan)
    status[cell] = ABSENT
    docs = documents.doc.gather(documents.named)
    names = Names.of(docs)
    rows, position = index.lookup.find(index.lookup.keys_of(documents.topic[documents.named], names), names)
    known = cell[documents.named[rows]]
    status[known] = JUDGED
    grade[known] = np.maximum(index.grade[position], 0.0)
    if document_lengths is not None:
        lengths[cell[documents.named]] = document_lengths.find(docs)
    shape = (topics, depth)
    return Sessions(
        run.name,
        index.judgments,
        grade.reshape(shape),
        status.reshape(shape),
        documents.count,
        facets=facets,
        seen=facets.seen(known // depth, known % depth, position),
        stops=documents.stops,
        used=documents.used,
        lengths=lengths.reshape(shape),
        page_size=page_size,
        ruled=run.page is not None,
        collection_lengths=None if document_lengths is None else document_lengths.rising,
    )


@dataclass(frozen=True, eq=False)
class _ShownDocuments:
    """The documents of judged topics in the order in which they were shown.

    Attributes
    ----------
    topic, rank : ndarray
        The topic's number and the rank, from 0.
    doc : polars.Series
        Their names; null where an iteration shows an unnamed one.
    named : ndarray
        The rows that have a name.
    count, stops, used : ndarray
        As ``length``, ``stops`` and ``used`` of `Sessions`.
    """

    topic: NDArray[np.int64]
    rank: NDArray[np.int64]
    doc: pl.Series
    named: NDArray[np.int64]
    count: NDArray[np.int64]
    stops: NDArray[np.int64]
    used: NDArray[np.int64]

    @classmethod
    def of(cls, run: SessionRun, index: Index) -> _ShownDocuments:
        table = run.table.filter(pl.col("topic").is_in(list(index.topics)))
        if not table.height:
            raise MetameterError(
                "the run has no topic in common with the truth",
                where=run.source,
                given=run.table["topic"][0] if run.table.height else None,
                allowed=", ".join(index.topics[:3]) + ", ...",
                fix="Check that they belong to the same collection.",
            )
        topic = table["topic"].replace_strict(index.number, return_dtype=pl.Int64).to_numpy()
        order = np.argsort(topic, kind="stable")
        table, topic = table[order], topic[order]
        count = np.bincount(topic, minlength=len(index.topics))
        rank = np.arange(topic.size) - np.repeat(np.cumsum(count) - count, count)
        iteration = table["iteration"].to_numpy()
        per_iteration = np.zeros((len(index.topics), int(iteration.max())), np.int64)
        np.add.at(per_iteration, (topic, iteration - 1), 1)
        used = np.zeros(len(index.topics), np.int64)
        np.maximum.at(used, topic, iteration)
        named = np.flatnonzero(table["doc"].is_not_null().to_numpy())
        return cls(topic, rank, table["doc"], named, count, np.cumsum(per_iteration, axis=1), used)
