"""`Judgments`: what metrics need of the qrels."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from metameter.errors import MetameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NEVER", "Judgments"]

# The pool rank of a document that no contributing run has.
NEVER = np.iinfo(np.int64).max

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Judgments:
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
    >>> judgments.relevant(), judgments.relevant_in_pool(10)
    (array([2]), array([1]))
    """

    topics: tuple[str, ...]
    ideal: NDArray[np.float64]
    max_grade: float
    pool_rank: NDArray[np.int64] | None = None
    pool_depth: int | None = None
    mapped: bool = False
    #: Arrays derived once and shared by all runs; a copy with other judgments begins with none.
    memo: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    def between(self, start: int, stop: int) -> Judgments:
        """The judgments of some topics that follow each other; of all, these very ones, with what is known of them.

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
        """R: how many judged documents of each topic have at least the grade ``rel``."""
        return self.once(("relevant", rel), lambda: np.asarray(self._is_relevant(rel).sum(axis=1), dtype=np.int64))

    def relevant_in_pool(self, k: int, rel: float = 1) -> NDArray[np.int64]:
        """R_k: how many of them stand in the top ``k`` of a contributing run; R from the pool depth on."""
        return self.relevant_in_pools(np.array([k]), rel)[:, 0]

    def relevant_in_pools(self, depths: NDArray[np.int64], rel: float = 1) -> NDArray[np.int64]:
        """R_k for each of several depths, topics x depths; it is the same for all runs, and counted once.

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
        each, place = np.unique(depths, return_inverse=True)
        topic, rank = self.once(("pool ranks", rel), lambda: self._pool_ranks(rel))
        # The first depth that reaches a document counts it, and so do all further ones.
        first = np.searchsorted(each, rank)
        cells = np.bincount(topic * (each.size + 1) + first, minlength=len(self.ideal) * (each.size + 1))
        counts = np.cumsum(cells.reshape(-1, each.size + 1), axis=1)[:, place]
        return np.where(whole, self.relevant(rel)[:, None], counts)

    def _pool_ranks(self, rel: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        topic, document = np.nonzero(self._is_relevant(rel))
        return topic, cast("NDArray[np.int64]", self.pool_rank)[topic, document]

    def _is_relevant(self, rel: float) -> NDArray[np.bool_]:
        # The padding is -1, and unjudged documents have no place here: rel=0 counts all that are judged.
        return np.asarray(self.ideal > 0 if self.mapped else self.ideal >= max(rel, 0))

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What ``make`` returns: it is called for the first use of a key, and what it made is kept."""
        if key not in self.memo:
            self.memo[key] = make()
        made: T = self.memo[key]
        return made

    def judged(self) -> NDArray[np.int64]:
        """How many documents of each topic are judged."""
        return self.once("judged", lambda: np.asarray((self.ideal >= 0).sum(axis=1), dtype=np.int64))
