"""`Ranked`: what a metric sees of one run, topic by topic and rank by rank."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError

# The pool rank of a document that no contributing run has.
NEVER = np.iinfo(np.int64).max

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Derivable:
    """Data whose derived arrays are computed once and shared by metrics; a changed copy starts without any."""

    memo: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    def once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the value stored for a key; the first call computes it."""
        if key not in self.memo:
            self.memo[key] = compute()
        value: T = self.memo[key]
        return value

    def once_to_depth(
        self, key: Hashable, depth: int, compute: Callable[[], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """Return the array stored for a key if it has ``depth`` columns or more; else compute it.

        Runs of many depths share one array, which is computed again only for a deeper one.
        """
        stored: NDArray[np.float64] | None = self.memo.get(key)
        if stored is None or stored.shape[1] < depth:
            self.memo[key] = stored = compute()
        return stored


@dataclass(frozen=True, eq=False)
class Judgments(Derivable):
    """What metrics need of the qrels, per topic; shared by all runs.

    Attributes
    ----------
    topics : tuple of str
    ideal : ndarray, topics x most judged
        The judged grades (>= 0) of each topic, falling; padded with -1.
    max_grade : float
        The top of the grade scale, x_max.
    pool_rank : ndarray, like ``ideal``, optional
        For each of those documents the best rank over the contributing runs (a large number if none has it).
    pool_depth : int, optional
        The depth to which the judgments have been restricted, or to which the pool is known to reach.
    mapped : bool
        The grades are gains already: no gain map is applied, and any gain above 0 is relevant.

    Examples
    --------
    >>> judgments = Judgments(("401",), np.array([[2.0, 1.0, 0.0]]), 2, np.array([[1, 30, 7]]))
    >>> judgments.relevant(), judgments.relevant_in_pools(np.array([10]))
    (array([2]), array([[1]]))
    """

    topics: tuple[str, ...]
    ideal: NDArray[np.float64]
    max_grade: float
    pool_rank: NDArray[np.int64] | None = None
    pool_depth: int | None = None
    mapped: bool = False

    def between(self, start: int, stop: int) -> Judgments:
        """Return the judgments of a range of topics; for all topics this object itself, with its memo.

        Examples
        --------
        >>> judgments = Judgments(("401", "402"), np.array([[2.0, 1.0], [1.0, -1.0]]), 2)
        >>> judgments.between(1, 2).topics, judgments.between(1, 2).ideal, judgments.between(0, 2) is judgments
        (('402',), array([[ 1., -1.]]), True)
        """
        if stop - start == len(self.topics):
            return self
        ranks = None if self.pool_rank is None else self.pool_rank[start:stop]
        return replace(self, topics=self.topics[start:stop], ideal=self.ideal[start:stop], pool_rank=ranks)

    def relevant(self, rel: float = 1) -> NDArray[np.int64]:
        """Return R: how many judged documents of each topic have at least the grade ``rel``."""
        return self.once(("relevant", rel), lambda: np.asarray(self._is_relevant(rel).sum(axis=1), dtype=np.int64))

    def relevant_in_pools(self, depths: NDArray[np.int64], rel: float = 1) -> NDArray[np.int64]:
        """Return R_k for several depths, topics x depths: how many of them are in the top k of a contributing run.

        From the pool depth on, R_k is R.

        Examples
        --------
        >>> judgments = Judgments(("401",), np.array([[2.0, 1.0, 0.0]]), 2, np.array([[1, 30, 7]]))
        >>> judgments.relevant_in_pools(np.array([1, 30, 10]))
        array([[1, 2, 1]])
        """
        return self.once(("relevant in pools", rel, depths.tobytes()), lambda: self._in_pools(depths, rel))

    def _in_pools(self, depths: NDArray[np.int64], rel: float) -> NDArray[np.int64]:
        whole = np.zeros(depths.shape, np.bool_) if self.pool_depth is None else depths >= self.pool_depth
        if whole.all():
            return np.repeat(self.relevant(rel)[:, None], depths.size, axis=1)
        if self.pool_rank is None:
            raise MetameterError(
                "R_k depends on which runs contributed to the pool", fix="Call pool_ranks with those runs first."
            )
        each, which = np.unique(depths, return_inverse=True)
        topic, rank = self.once(("pool ranks", rel), lambda: self._pool_ranks(rel))
        # A document counts at the first depth that reaches it and at all greater ones.
        first = np.searchsorted(each, rank)
        cells = np.bincount(topic * (each.size + 1) + first, minlength=len(self.ideal) * (each.size + 1))
        counts = np.cumsum(cells.reshape(-1, each.size + 1), axis=1)[:, which]
        return np.where(whole, self.relevant(rel)[:, None], counts)

    def _pool_ranks(self, rel: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        topic, document = np.nonzero(self._is_relevant(rel))
        return topic, cast("NDArray[np.int64]", self.pool_rank)[topic, document]

    def _is_relevant(self, rel: float) -> NDArray[np.bool_]:
        # The padding is -1, and unjudged documents are not listed: rel=0 counts all that are judged.
        return np.asarray(self.ideal > 0 if self.mapped else self.ideal >= max(rel, 0))

    def judged(self) -> NDArray[np.int64]:
        """Return the number of judged documents of each topic."""
        return self.once("judged", lambda: np.asarray((self.ideal >= 0).sum(axis=1), dtype=np.int64))


# The status of a rank. BEYOND: the list has ended; ABSENT: the document is not in the pool; POOLED: it is in
# the pool but has no judgment (a grade below 0 in the qrels); JUDGED: it has a grade.
BEYOND, ABSENT, POOLED, JUDGED = -1, 0, 1, 2


@dataclass(frozen=True, eq=False)
class Ranked(Derivable):
    """One run against the judgments: topics x depth.

    Attributes
    ----------
    system : str
    judgments : Judgments
    grade : ndarray, topics x depth
        The grade at each rank; 0 wherever there is no judgment.
    status : ndarray of int8, topics x depth
        JUDGED, POOLED, ABSENT or BEYOND.
    length : ndarray, topics
        The number of documents retrieved; 0 if the topic is missing from the run.
    pool_rank : ndarray, topics x depth, optional
        The best rank of that document over the contributing runs, known for documents of the qrels.
    tied : ndarray, topics x depth, optional
        For each rank the first rank, from 0, of the documents with the same score; for the mean over their orders.
    costs : ndarray, topics x depth, optional
        The cost of reading each document; 1 if no cost is given, and beyond the list.
    tied_documents : int
        The number of documents that share their score with another one of the topic.
    first_reordered : ndarray, topics, optional
        The first rank, from 0, that would hold a document of another grade, or with instead of without judgment, if
        scores were compared in single precision; `NEVER` where there is none. Computed only for ``ties="docid-desc"``
        with double precision. None if not computed, or if no list would be ordered differently.
    documents : tuple of two ndarrays, optional
        The cells, topic x depth + rank, that hold documents of the qrels, and the row of each of these in the qrels.
        Set when a run is aligned with its judgments; None after a cut or another change of the ranks.

    Examples
    --------
    >>> Ranked.of_gains([0.7, 0, 1]).grade
    array([[0.7, 0. , 1. ]])
    """

    system: str
    judgments: Judgments
    grade: NDArray[np.float64]
    status: NDArray[np.int8]
    length: NDArray[np.int64]
    pool_rank: NDArray[np.int64] | None = None
    tied: NDArray[np.int64] | None = None
    costs: NDArray[np.float64] | None = None
    tied_documents: int = 0
    first_reordered: NDArray[np.int64] | None = None
    documents: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None

    @classmethod
    def of_gains(cls, gains: Any) -> Ranked:
        """Return the lists of these gains in [0, 1], all of one length; None and NaN are unjudged documents.

        The scale's top is 1, and the judged documents are those of the list itself.
        """
        values = np.atleast_2d(np.array(gains, dtype=np.float64))
        known = ~np.isnan(values)
        grade = np.where(known, values, 0.0)
        status = np.where(known, JUDGED, ABSENT).astype(np.int8)
        ideal = -np.sort(-np.where(known, values, -1.0), axis=1)
        topics = tuple(str(i + 1) for i in range(len(values)))
        length = np.full(len(values), values.shape[1], dtype=np.int64)
        return cls("gains", Judgments(topics, ideal, 1.0, mapped=True), grade, status, length)

    def fields_of(self, kind: type[Ranked]) -> dict[str, Any]:
        """Return this object's values for the constructor arguments of ``kind``, which is its class or a base class."""
        return {each.name: getattr(self, each.name) for each in fields(kind) if each.init}

    def known_documents(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return ``documents``; raise an error if they are not known."""
        if self.documents is None:
            fix = "Use the result of align, before ranks are cut or changed."
            raise MetameterError("the documents of these lists are not known", fix=fix)
        return self.documents

    @property
    def depth(self) -> int:
        """The number of ranks that the arrays hold."""
        return int(self.grade.shape[1])

    def relevant(self, rel: float = 1) -> NDArray[np.bool_]:
        """Return which ranks hold a judged document of at least the grade ``rel``; of any gain, if grades are gains."""
        enough = self.grade > 0 if self.judgments.mapped else self.grade >= rel
        return np.asarray(enough & (self.status == JUDGED))

    def cut(self, k: int | None) -> Ranked:
        """Return the first ``k`` ranks; the judgments stay the same."""
        if k is None or k >= self.depth:
            return self
        return self.once(("cut", k), lambda: self._cut(k))

    def _cut(self, k: int) -> Ranked:
        return replace(
            self,
            grade=self.grade[:, :k],
            status=self.status[:, :k],
            length=np.minimum(self.length, k),
            pool_rank=None if self.pool_rank is None else self.pool_rank[:, :k],
            costs=None if self.costs is None else self.costs[:, :k],
            # A group of ties may go on below the cut: its mean cannot be computed from these ranks alone.
            tied=None,
            documents=None,
        )
