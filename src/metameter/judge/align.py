"""Align a run with the judgments: from `Run` to `Ranked`, which metrics score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.judge.blocks import blocks_of
from metameter.judge.ranked import ABSENT, BEYOND, JUDGED, NEVER, POOLED, Ranked
from metameter.judge.ties import comparable, ranking, single_precision_ties, starts_of_ties
from metameter.types.byte_strings import order_of_names

if TYPE_CHECKING:
    from metameter.judge.index import Index
    from metameter.judge.ranked import Judgments
    from metameter.types import Run
    from metameter.types.run_rows import Rows

T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, eq=False)
class DocumentRanks:
    """The ranks of the retrieved documents of judged topics, in file order.

    Attributes
    ----------
    topic, rank : ndarray
        The topic's number and the rank, from 0.
    in_index, position : ndarray
        The rows whose document the index has, and the position of each of them in the index.
    length : ndarray
        The number of documents of each topic.
    tied : ndarray, optional
        The rank of the first document with the same score.
    cost : ndarray, optional
        The cost of reading each document.
    tied_documents : int
        The number of documents that share their score with another one of the topic.
    first_reordered : ndarray, optional
        As in `Ranked`.
    """

    topic: NDArray[np.int64]
    rank: NDArray[np.int64]
    in_index: NDArray[np.int64]
    position: NDArray[np.int64]
    length: NDArray[np.int64]
    tied: NDArray[np.int64] | None = None
    cost: NDArray[np.float64] | None = None
    tied_documents: int = 0
    first_reordered: NDArray[np.int64] | None = None

    @classmethod
    def concatenate(cls, parts: Iterable[DocumentRanks]) -> DocumentRanks | None:
        """Return all documents, from parts that have different topics; None if there is no part."""
        compact: list[DocumentRanks] = []
        length, reordered = np.zeros(0, dtype=np.int64), None
        for part in parts:
            length = length + part.length if length.size else part.length
            if part.first_reordered is not None:
                reordered = part.first_reordered if reordered is None else np.minimum(reordered, part.first_reordered)
            # Arrays with a value for every topic are summed here, so that no part holds its own.
            compact.append(replace(part.of_index(), length=np.zeros(0, dtype=np.int64), first_reordered=None))
        if not compact:
            return None
        offsets = np.cumsum([0, *(part.topic.size for part in compact)])
        in_index = np.concatenate([part.in_index + offset for part, offset in zip(compact, offsets[:-1], strict=True)])
        return cls(
            np.concatenate([part.topic for part in compact]),
            np.concatenate([part.rank for part in compact]),
            in_index,
            np.concatenate([part.position for part in compact]),
            length,
            _concatenate([part.tied for part in compact]),
            _concatenate([part.cost for part in compact]),
            sum(part.tied_documents for part in compact),
            reordered,
        )

    def of_index(self) -> DocumentRanks:
        """Drop the documents that are not in the index; with ties or costs, which need all documents, return self."""
        if self.tied is not None or self.cost is not None:
            return self
        topic, rank = self.topic[self.in_index], self.rank[self.in_index]
        return replace(self, topic=topic, rank=rank, in_index=np.arange(topic.size))

    def of_topics(self, start: int, stop: int, rows: NDArray[np.int64], position: NDArray[np.int64]) -> DocumentRanks:
        """Return ``rows``, which are those of topics ``start`` to ``stop`` - 1, with these topics renumbered from 0.

        ``position`` is the position of each row's document in the index, or -1.
        """
        in_index = np.flatnonzero(position >= 0)
        return DocumentRanks(
            self.topic[rows] - start,
            self.rank[rows],
            in_index,
            position[in_index],
            self.length[start:stop],
            None if self.tied is None else self.tied[rows],
            None if self.cost is None else self.cost[rows],
            0 if start else self.tied_documents,
            None if self.first_reordered is None else self.first_reordered[start:stop],
        )


def _concatenate(parts: list[NDArray[T] | None]) -> NDArray[T] | None:
    """Concatenate arrays that exist for all parts or for none."""
    arrays = [part for part in parts if part is not None]
    return np.concatenate(arrays) if arrays else None


def align(
    run: Run, index: Index, *, ties: str = "docid-desc", precision: str = "double", depth: int | None = None
) -> Ranked:
    """Return the run as `Ranked`: for each judged topic, the grade and the status of the document at each rank.

    Topics that only the run has are ignored; topics that it lacks have length 0.

    Parameters
    ----------
    run : Run
    index : Index
        From `index_judgments`.
    ties : {"docid-desc", "docid-asc", "input", "rank", "mean"}
        The order of documents with equal scores; with ``mean`` the result lists which ones are tied.
    precision : {"double", "single"}
        How scores are compared.
    depth : int, optional
        The number of ranks to keep; by default all.

    Examples
    --------
    >>> import polars as pl
    >>> from metameter.judge.index import index_judgments
    >>> from metameter.types import Qrels, Run
    >>> qrels = Qrels(pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "b"], "grade": [1.0, -1.0]}))
    >>> table = pl.DataFrame({"topic": ["1"] * 3, "doc": ["a", "b", "c"], "score": [1.0, 2.0, 3.0]})
    >>> ranked = align(Run("s", table), index_judgments(qrels))
    >>> ranked.grade, ranked.status
    (array([[0., 0., 1.]]), array([[0, 1, 2]], dtype=int8))
    """
    return ranked_whole(run.name, document_ranks(run, index, ties=ties, precision=precision, depth=depth), index)


def align_blocks(
    run: Run, index: Index, *, ties: str = "docid-desc", precision: str = "double", depth: int | None = None
) -> Iterator[tuple[int, Ranked]]:
    """Yield the run as `Ranked` in blocks of consecutive topics, each with the number of its first topic.

    ``tied_documents`` of the first block counts all topics; in the other blocks it is 0.
    """
    return ranked_blocks(run.name, document_ranks(run, index, ties=ties, precision=precision, depth=depth), index)


def ranked_whole(name: str, ranks: DocumentRanks, index: Index) -> Ranked:
    """Return `Ranked`, from document ranks that are already computed."""
    return _ranked(name, ranks, index, index.judgments, int(ranks.length.max()))


def ranked_blocks(name: str, ranks: DocumentRanks, index: Index) -> Iterator[tuple[int, Ranked]]:
    """Yield `Ranked` in blocks of topics, as `align_blocks` does, from document ranks that are already computed."""
    blocks = list(blocks_of(ranks.length))
    if len(blocks) == 1:
        yield 0, _ranked(name, ranks, index, index.judgments, blocks[0][2])
        return
    order = np.argsort(ranks.topic, kind="stable")
    stops = np.searchsorted(ranks.topic[order], [stop for _, stop, _ in blocks])
    known = np.full(ranks.topic.size, -1)
    known[ranks.in_index] = ranks.position
    for (start, stop, width), rows in zip(blocks, np.split(order, stops[:-1]), strict=True):
        part = ranks.of_topics(start, stop, rows, known[rows])
        yield start, _ranked(name, part, index, index.judgments.between(start, stop), width)


def _ranked(name: str, ranks: DocumentRanks, index: Index, judgments: Judgments, width: int) -> Ranked:
    position, shape = ranks.position, (ranks.length.size, width)
    cell = ranks.topic * width + ranks.rank
    known_cell, known_grade = cell[ranks.in_index], index.grade[position]

    status = np.where(np.arange(width) < ranks.length[:, None], np.int8(ABSENT), np.int8(BEYOND))
    status.reshape(-1)[known_cell] = np.where(known_grade < 0, POOLED, JUDGED)
    grade = np.zeros(shape)
    grade.reshape(-1)[known_cell] = np.maximum(known_grade, 0.0)
    pool_rank = None
    if index.pool_rank is not None:
        pool_rank = np.full(shape, NEVER)
        pool_rank.reshape(-1)[known_cell] = index.pool_rank[position]
    tied = None
    if ranks.tied is not None:
        tied = np.tile(np.arange(width), (shape[0], 1))
        tied.reshape(-1)[cell] = ranks.tied
    costs = None
    if ranks.cost is not None:
        costs = np.ones(shape)
        costs.reshape(-1)[cell] = ranks.cost
    return Ranked(
        name,
        judgments,
        grade,
        status,
        ranks.length,
        pool_rank,
        tied,
        costs,
        ranks.tied_documents,
        ranks.first_reordered,
        documents=(known_cell, position),
    )


def document_ranks(run: Run, index: Index, *, ties: str, precision: str, depth: int | None) -> DocumentRanks:
    """Order a run's documents and look them up in the index."""
    if depth is not None and depth < 1:
        raise MetameterError("depth must be positive", given=depth, allowed="1 or more", fix="Give a whole number.")
    topic, rows = _judged_topics(run, index)
    score, doc = comparable(rows.value, precision), rows.doc
    # Over the whole depth documents are looked up first: ties among those without judgment need no order.
    early = index.lookup.find_all(rows) if depth is None and index.costs is None else None
    order, tied_documents = ranking(topic, score, rows, ties, None if early is None else early[0])
    rank = _ranks(topic, order)
    tied = starts_of_ties(topic, score, rank) if ties == "mean" else None
    length = np.bincount(topic, minlength=len(index.topics))
    reordered = None
    if ties == "docid-desc" and precision == "double":
        reordered = _first_reordered(topic, rows, order, rank, index)
    if depth is not None and depth < length.max():
        # Any document of a group of ties that begins above the depth may be within it.
        within = np.flatnonzero((rank if tied is None else tied) < depth)
        topic, rank, tied = topic[within], rank[within], None if tied is None else tied[within]
        length = np.bincount(topic, minlength=len(index.topics))
        doc, keys = doc.take(within), rows.keys(index.lookup.seed)[within]
    else:
        keys = rows.keys(index.lookup.seed)
    cost = None if index.costs is None else index.costs.find(topic, doc)
    in_index, position = early or index.lookup.find(keys, doc)
    return DocumentRanks(topic, rank, in_index, position, length, tied, cost, tied_documents, reordered)


def _first_reordered(
    topic: NDArray[np.int64], rows: Rows, order: NDArray[np.int64] | None, rank: NDArray[np.int64], index: Index
) -> NDArray[np.int64] | None:
    """Return the first rank of each topic at which single precision would put a document that counts differently."""
    ties = single_precision_ties(topic, rows.value, order)
    if ties is None:
        return None
    positions, group = ties
    some = positions if order is None else order[positions]
    doc = rows.doc.take(some)
    in_index, position = index.lookup.find(index.lookup.keys_of(topic[some], doc), doc)
    # A document counts by its grade; -1 is in the pool without a judgment, -2 absent from the qrels.
    counts = np.full(some.size, -2.0)
    counts[in_index] = np.maximum(index.grade[position], -1.0)
    moved = some[counts != counts[order_of_names(doc, group, falling=True)]]
    first = np.full(len(index.topics), NEVER)
    np.minimum.at(first, topic[moved], rank[moved])
    return first


def _ranks(topic: NDArray[np.int64], order: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """Return the rank, from 0, of every row within its topic."""
    group_rows = topic if order is None else topic[order]
    starts = np.flatnonzero(np.append(True, group_rows[1:] != group_rows[:-1]))
    rank = np.arange(topic.size) - np.repeat(starts, np.diff(np.append(starts, topic.size)))
    if order is None:
        return rank
    # Rows stay in file order: moving numbers is cheaper than moving names.
    back = np.empty_like(rank)
    back[order] = rank
    return back


def _judged_topics(run: Run, index: Index) -> tuple[NDArray[np.int64], Rows]:
    """Return the number of each row's topic, and the rows, both without topics that have no judgments."""
    rows = run.rows
    numbers = np.array([index.number.get(topic, -1) for topic in rows.topics], dtype=np.int64)
    judged = numbers >= 0
    if not judged.any():
        raise MetameterError(
            "the run has no topic in common with the qrels",
            where=run.source,
            given=rows.topics[0] if rows.topics else None,
            allowed=", ".join(index.topics[:3]) + ", ...",
            fix="Check that they belong to the same collection.",
        )
    rows = rows if judged.all() else rows.of_stretches(judged)
    return np.repeat(numbers[judged], rows.length), rows
