"""A run as the judgments see it: where it has documents of the qrels, a small part of what was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.judge.ranked import ABSENT, BEYOND, NEVER, POOLED, Ranked

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.judge.contributed import Pool

__all__ = ["ARRAYS", "JudgedRun"]

#: What a `JudgedRun` is made of, by name, so that it can be kept beside scores; costs, if there are any, besides.
ARRAYS = ("length", "cell", "row", "judged_to")


@dataclass(frozen=True, eq=False)
class JudgedRun:
    """Where one run has documents of the qrels: enough to see it against any pool without reading it again.

    Attributes
    ----------
    system : str
    length : ndarray, topics
        How many documents were retrieved.
    cell, row : ndarray of int32
        For each retrieved document of the qrels its place, topic x longest list + rank (from 0), and its row there.
    judged_to : ndarray, topics
        How many documents stand above the first one without judgment; `NEVER` if there is none without.
    costs : ndarray, topics x longest list, optional
        What it costs to look at each document.

    Examples
    --------
    >>> import polars as pl
    >>> from metameter.judge.align import align
    >>> from metameter.judge.index import index_judgments
    >>> from metameter.types import Qrels, Run
    >>> qrels = Qrels(pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "b"], "grade": [1.0, 0.0]}))
    >>> run = Run("s", pl.DataFrame({"topic": ["1"] * 3, "doc": ["b", "x", "a"], "score": [3.0, 2.0, 1.0]}))
    >>> judged = JudgedRun.of(align(run, index_judgments(qrels)))
    >>> judged.judged_to, judged.ranks[judged.row.argsort()]  # a is third, b is first, x is not judged
    (array([1]), array([3, 1]))
    """

    system: str
    length: NDArray[np.int64]
    cell: NDArray[np.signedinteger[Any]]
    row: NDArray[np.signedinteger[Any]]
    judged_to: NDArray[np.int64]
    costs: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, ranked: Ranked) -> JudgedRun:
        """What the judgments see of a run that was aligned with them, over its whole depth."""
        unjudged = (ranked.status == ABSENT) | (ranked.status == POOLED)
        judged_to = np.where(unjudged.any(axis=1), unjudged.argmax(axis=1), NEVER) if ranked.depth else NEVER
        cell, row = (_narrow(part) for part in ranked.documents)
        by_topic = np.broadcast_to(judged_to, len(ranked.length))
        return cls(ranked.system, ranked.length, cell, row, by_topic, ranked.costs)

    @classmethod
    def of_arrays(cls, system: str, arrays: dict[str, NDArray[Any]]) -> JudgedRun:
        """The same from what `arrays` gave."""
        return cls(system, **{name: arrays.get(name) for name in (*ARRAYS, "costs")})  # type: ignore[arg-type]

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """What it is made of, by name."""
        parts = {name: getattr(self, name) for name in ARRAYS}
        return parts if self.costs is None else {**parts, "costs": self.costs}

    @property
    def width(self) -> int:
        """The length of the longest list."""
        return int(self.length.max(initial=0))

    @property
    def ranks(self) -> NDArray[np.int64]:
        """The rank, from 1, of each of its documents of the qrels."""
        return np.asarray(self.cell % max(self.width, 1) + 1, dtype=np.int64)

    def ranked(self, pool: Pool, *, pool_ranks: bool = True) -> Ranked:
        """What metrics see of the run against the judgments of a pool; with ranks in it, for pools yet shallower."""
        shape = (len(self.length), self.width)
        beyond = np.arange(self.width) >= self.length[:, None]
        status = np.where(beyond, BEYOND, ABSENT).astype(np.int8)
        grade, ranks = np.zeros(shape), np.full(shape, NEVER) if pool_ranks else None
        for array, values in ((status, pool.status), (grade, pool.worth), (ranks, pool.rank)):
            if array is not None:
                array.reshape(-1)[self.cell] = values[self.row]
        return Ranked(self.system, pool.judgments, grade, status, self.length, ranks, costs=self.costs)


def _narrow(numbers: NDArray[Any]) -> NDArray[np.signedinteger[Any]]:
    fits = not numbers.size or int(numbers.max()) < 1 << 31
    return numbers.astype(np.int32 if fits else np.int64)
