"""Arrays that are computed from a run besides its scores, while it is in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metameter.judge.ranked import BEYOND, JUDGED

if TYPE_CHECKING:
    from metameter.judge.ranked import Ranked
    from metameter.metric.base import Measure
    from metameter.scoring.cache import Arrays


def by_topic(blocks: Sequence[Arrays]) -> Arrays:
    """Concatenate the arrays of blocks of topics along the topics, their last axis.

    Examples
    --------
    >>> by_topic([{"low": np.zeros((1, 2))}, {"low": np.ones((1, 1))}])
    {'low': array([[0., 0., 1.]])}
    """
    if len(blocks) == 1:
        return blocks[0]
    return {name: np.concatenate([block[name] for block in blocks], axis=-1) for name in blocks[0]}


@dataclass(frozen=True, eq=False)
class RunObserver:
    """Computes named arrays from a run and its judgments; this base class computes none.

    The fields of a subclass are plain data with an exact text, since they are part of the keys of cached arrays.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the arrays; none may be the name of a metric."""
        return ()

    @property
    def reaches(self) -> tuple[int | None, ...]:
        """The deepest ranks that it looks at; None for all ranks."""
        return ()

    def arrays(self, ranked: Ranked) -> Arrays:
        """Return the arrays, by name, of one run or of a block of its topics."""
        return {}

    def join_blocks(self, blocks: Sequence[Arrays]) -> Arrays:
        """Return the arrays of a run from those of all blocks of its topics, in their order."""
        return by_topic(blocks)

    @property
    def keys(self) -> dict[str, str]:
        """Name -> a key for how the array is computed."""
        from metameter.scoring.cache import digest, source_of

        return {name: digest(name, source_of(type(self)), vars(self)) for name in self.names}


#: Computes no arrays.
NO_OBSERVER = RunObserver()


@dataclass(frozen=True, eq=False)
class RunObservers(RunObserver):
    """Several observers of the same run.

    Examples
    --------
    >>> from metameter.metric.compose import parse_metrics
    >>> RunObservers(tuple(map(JudgedShare, parse_metrics(["P@10", "RR"])))).names
    ('judged by P@10', 'judged by RR')
    """

    parts: tuple[RunObserver, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all arrays."""
        return tuple(name for part in self.parts for name in part.names)

    @property
    def reaches(self) -> tuple[int | None, ...]:
        """The deepest ranks that any of them looks at."""
        return tuple(reach for part in self.parts for reach in part.reaches)

    def arrays(self, ranked: Ranked) -> Arrays:
        """Return the arrays of all observers."""
        return {name: array for part in self.parts for name, array in part.arrays(ranked).items()}

    def join_blocks(self, blocks: Sequence[Arrays]) -> Arrays:
        """Join the arrays of all blocks of topics, as each observer does."""
        if len(blocks) == 1:
            return blocks[0]
        whole: Arrays = {}
        for part in self.parts:
            whole |= part.join_blocks([{name: block[name] for name in part.names} for block in blocks])
        return whole

    @property
    def keys(self) -> dict[str, str]:
        """Name -> a key for how the array is computed."""
        return {name: key for part in self.parts for name, key in part.keys.items()}


@dataclass(frozen=True, eq=False)
class JudgedShare(RunObserver):
    """Computes which share of the ranks that a metric looks at is judged: one value per topic, 0 for an empty list."""

    measure: Measure

    @property
    def names(self) -> tuple[str, ...]:
        """The one name of the array."""
        return (f"judged by {self.measure.name}",)

    @property
    def reaches(self) -> tuple[int | None, ...]:
        """The reach of the metric."""
        return (self.measure.reach,)

    def arrays(self, ranked: Ranked) -> Arrays:
        """Return the shares, ranks weighted by the attention that the metric gives them."""
        attention = self.measure.rank_attention(ranked)
        status = ranked.status[:, : attention.shape[-1]]
        attention = attention[..., : status.shape[1]]
        seen, judged = (np.sum(attention * part, axis=1) for part in (status != BEYOND, status == JUDGED))
        return {self.names[0]: np.divide(judged, seen, out=np.zeros_like(seen), where=seen > 0)}

    def mean(self, runs: Sequence[Arrays]) -> float:
        """Return the mean share over runs and the topics that each has; ``runs`` are the arrays of runs with topics."""
        return float(np.mean([arrays[self.names[0]][arrays["retrieved"]].mean() for arrays in runs]))


def deepest(reaches: Iterable[int | None]) -> int | None:
    """Return the deepest rank that is needed, None if all ranks are: documents below it are not looked up.

    Examples
    --------
    >>> deepest([10, 5]), deepest([10, None])
    (10, None)
    """
    depths = list(reaches)
    return None if None in depths else max(depth for depth in depths if depth is not None)
