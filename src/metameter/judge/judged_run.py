"""A run reduced to the ranks of the documents that the qrels list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.judge.blocks import blocks_of
from metameter.judge.ranked import ABSENT, BEYOND, NEVER, POOLED, Ranked

if TYPE_CHECKING:
    from metameter.judge.contributed import Pool


#: The names of the arrays of a `JudgedRun`, which can be cached with the scores; ``costs`` is added if costs are given.
ARRAYS = ("length", "cell", "row", "judged_to")


@dataclass(frozen=True, eq=False)
class JudgedRun:
    """The ranks of the qrels' documents in one run: enough to match it with any pool without reading it again.

    Attributes
    ----------
    system : str
    length : ndarray, topics
        The number of documents retrieved.
    cell, row : ndarray of int32
        For each retrieved document of the qrels: ``cell`` is topic number * width + rank (from 0), where width is the
        length of the longest list; ``row`` is its row in the qrels.
    judged_to : ndarray, topics
        The number of documents above the first unjudged one; `NEVER` if all are judged.
    costs : ndarray, topics x longest list, optional
        The cost of reading each document.

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
        """Return the judged run of a run that was aligned with the judgments over its whole depth."""
        unjudged = (ranked.status == ABSENT) | (ranked.status == POOLED)
        judged_to = np.where(unjudged.any(axis=1), unjudged.argmax(axis=1), NEVER) if ranked.depth else NEVER
        cell, row = ranked.known_documents()
        by_topic, width = np.broadcast_to(judged_to, len(ranked.length)), int(ranked.length.max(initial=0))
        # A block of topics may be wider than its longest list.
        costs = None if ranked.costs is None else ranked.costs[:, :width]
        cell = cell if ranked.depth == width else _of_width(cell, ranked.depth, width)
        return cls(ranked.system, ranked.length, _narrow(cell), _narrow(row), by_topic, costs)

    @classmethod
    def of_blocks(cls, blocks: Sequence[JudgedRun]) -> JudgedRun:
        """Join the blocks of topics of a run, in their order."""
        if len(blocks) == 1:
            return blocks[0]
        width = max(block.width for block in blocks)
        starts = np.cumsum([0, *(block.length.size for block in blocks[:-1])])
        cells = [_of_width(each.cell, each.width, width) + at * width for each, at in zip(blocks, starts, strict=True)]
        costs = None if blocks[0].costs is None else np.concatenate([_widen(each.costs, width) for each in blocks])
        length, row, judged_to = (
            np.concatenate([getattr(block, name) for block in blocks]) for name in ("length", "row", "judged_to")
        )
        return cls(blocks[0].system, length, _narrow(np.concatenate(cells)), row, judged_to, costs)

    @classmethod
    def of_arrays(cls, system: str, arrays: dict[str, NDArray[Any]]) -> JudgedRun:
        """Restore a judged run from its `arrays`."""
        length, cell, row, judged_to = (arrays[name] for name in ARRAYS)
        return cls(system, length, cell, row, judged_to, arrays.get("costs"))

    def renamed(self, system: str) -> JudgedRun:
        """Return the same run under another name."""
        return replace(self, system=system)

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of this run, by name."""
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
        """Return the run as `Ranked`, with the judgments of a pool.

        ``pool_ranks`` adds the pool rank of each document, which `shallow` needs.
        """
        return self._ranked_topics(0, len(self.length), self.width, pool, pool_ranks)

    def ranked_blocks(self, pool: Pool, *, pool_ranks: bool = True) -> Iterator[tuple[slice, Ranked]]:
        """Yield the run as `Ranked` in blocks of topics, each with the slice of its topics."""
        for start, stop, width in blocks_of(self.length):
            yield slice(start, stop), self._ranked_topics(start, stop, width, pool, pool_ranks)

    def _ranked_topics(self, start: int, stop: int, width: int, pool: Pool, pool_ranks: bool) -> Ranked:
        shape, length = (stop - start, width), self.length[start:stop]
        beyond = np.arange(width) >= length[:, None]
        status = np.where(beyond, BEYOND, ABSENT).astype(np.int8)
        grade, ranks = np.zeros(shape), np.full(shape, NEVER) if pool_ranks else None
        cell, row = self.cell, self.row
        if stop - start < len(self.length):
            here = np.flatnonzero((cell >= start * self.width) & (cell < stop * self.width))
            cell, row = _of_width(cell[here] - start * self.width, self.width, width), row[here]
        for array, values in ((status, pool.status), (grade, pool.judged_grade), (ranks, pool.rank)):
            if array is not None:
                array.reshape(-1)[cell] = values[row]
        costs = None if self.costs is None else self.costs[start:stop, :width]
        return Ranked(self.system, pool.judgments.between(start, stop), grade, status, length, ranks, costs=costs)


def _of_width(cell: NDArray[Any], width: int, new_width: int) -> NDArray[np.int64]:
    """Return the cell numbers in lists of ``new_width`` for those in lists of ``width``."""
    topic, rank = np.divmod(cell.astype(np.int64), max(width, 1))
    return topic * new_width + rank


def _widen(costs: NDArray[np.float64] | None, width: int) -> NDArray[np.float64]:
    costs = np.asarray(costs)
    return np.pad(costs, ((0, 0), (0, width - costs.shape[1])), constant_values=1.0)


def _narrow(numbers: NDArray[Any]) -> NDArray[np.signedinteger[Any]]:
    fits = not numbers.size or int(numbers.max()) < 1 << 31
    return numbers.astype(np.int32 if fits else np.int64)
