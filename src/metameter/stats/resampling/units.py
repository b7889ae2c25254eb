"""What is drawn anew when a figure is asked to hold for other topics, for other systems, or for both."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.stats.checks import require_at_least
from metameter.stats.options import check_choice
from metameter.stats.resampling.replicates import Drawn, Stream
from metameter.stats.resampling.samples import bootstrap_splits, multiplicities, repeated_splits

if TYPE_CHECKING:
    Clusters: TypeAlias = NDArray[np.integer[Any]]


Resample = Literal["topics", "systems", "both"]
_CHOICES = ("topics", "systems", "both")


@dataclass(frozen=True, eq=False)
class Resamples:
    """The halves of the topics of every resample, and how often it holds each system.

    Attributes
    ----------
    halves : Drawn
        Replicates (splits, 2, topics): how often each topic is in either half.
    systems : Drawn or None
        Replicates (systems,); None where every resample holds every system once.
    """

    halves: Drawn
    systems: Drawn | None

    @classmethod
    def of(
        cls, matrix: NDArray[Any], resamples: int, splits: int, seed: int, resample: str, clusters: Clusters | None
    ) -> Resamples:
        """Draw topics, systems or both of ``matrix[metric, topic, system]``: the same ones for one seed."""
        check_choice(resample, "value of resample", _CHOICES)
        draw = repeated_splits if resample == "systems" else bootstrap_splits
        halves = draw(matrix.shape[-2], resamples, splits, seed)
        if resample == "topics":
            return cls(halves, None)
        return cls(halves, bootstrap_systems(matrix.shape[-1], resamples, seed, clusters))


def bootstrap_systems(systems: int, trials: int = 1000, seed: int = 0, clusters: Clusters | None = None) -> Drawn:
    """Draw systems with replacement: replicates (systems,) of how often each is drawn.

    Systems of one cluster are drawn together, as many clusters as there are. A sample of a single system, copied, is
    drawn again.

    Parameters
    ----------
    systems, trials, seed : int
    clusters : ndarray of int, (systems,), optional
        The number of each system's cluster; by default every system is its own.

    Examples
    --------
    >>> block = bootstrap_systems(4, clusters=np.array([0, 0, 1, 2])).block(0)
    >>> block.shape, bool((block[:, 0] == block[:, 1]).all()), bool((block[:, 1:].sum(axis=1) == 3).all())
    ((64, 4), True, True)
    """
    require_at_least(systems, 2, "systems")
    return Drawn(trials, partial(_draw_systems, cluster=_numbered(systems, clusters)), Stream.SYSTEMS, seed)


def _numbered(systems: int, clusters: Clusters | None) -> tuple[int, ...]:
    """The clusters of the systems, numbered from 0 without gaps in order of appearance."""
    given = np.arange(systems) if clusters is None else np.asarray(clusters)
    if given.shape != (systems,):
        fix = "Give the number of a cluster for every system."
        raise MetameterError("clusters do not fit the systems", given=given.shape, allowed=f"({systems},)", fix=fix)
    number: dict[Any, int] = {}
    return tuple(number.setdefault(each, len(number)) for each in given.tolist())


def _draw_systems(rng: np.random.Generator, count: int, *, cluster: tuple[int, ...]) -> NDArray[np.int64]:
    clusters = max(cluster) + 1
    copies = multiplicities(rng.integers(0, clusters, size=(count, clusters)), clusters)[:, list(cluster)]
    single = (copies > 0).sum(axis=1) < 2
    if single.any():
        copies[single] = _draw_systems(rng, int(single.sum()), cluster=cluster)
    return copies


def resampled_units(topics: int, systems: int, resample: str = "topics", clusters: Clusters | None = None) -> int:
    """How many independent things are drawn: topics, or clusters of systems; of both the fewer.

    What is estimated from n of them has n - 1 degrees of freedom.

    Examples
    --------
    >>> resampled_units(50, 4, "both", np.array([0, 0, 1, 2]))
    3
    """
    check_choice(resample, "value of resample", _CHOICES)
    drawn = {"topics": topics, "systems": len(set(_numbered(systems, clusters)))}
    return min(drawn.values()) if resample == "both" else drawn[resample]
