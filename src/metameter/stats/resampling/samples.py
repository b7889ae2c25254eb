"""The kinds of replicates: splits and bootstrap samples of topics, permutations of systems, samples of systems."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.stats.checks import check_choice, require_at_least
from metameter.stats.resampling.replicates import RandomReplicates, Stream

if TYPE_CHECKING:
    Clusters: TypeAlias = NDArray[np.integer[Any]]


_CELLS = 1 << 16  # drawn at a time, to stay in the cache. Do not change: it determines the random numbers


def topic_splits(topics: int, trials: int = 1000, seed: int = 0) -> RandomReplicates:
    """Draw random halves of n topics: replicates (topics,) of bool, True for the floor(n/2) topics of the first half.

    Examples
    --------
    >>> blocks = topic_splits(11, trials=100)
    >>> [block.shape for block in blocks], set(blocks.block(0).sum(axis=1).tolist())
    ([(64, 11), (36, 11)], {5})
    """
    require_at_least(topics, 2, "topics")
    return RandomReplicates(trials, partial(_draw_splits, topics=topics), Stream.SPLIT, seed)


def _draw_splits(rng: np.random.Generator, count: int, *, topics: int) -> NDArray[Any]:
    return random_permutations(rng, count, topics) < topics // 2


def row_permutations(topics: int, systems: int, trials: int = 2000, seed: int = 0) -> RandomReplicates:
    """Permute the systems within each topic: replicates (topics, systems); system j gets the score of ``p[t, j]``.

    Examples
    --------
    >>> row_permutations(5, 3).block(0).shape
    (64, 5, 3)
    """
    return RandomReplicates(trials, partial(_draw_rows, topics=topics, systems=systems), Stream.PERMUTATION, seed)


def _draw_rows(rng: np.random.Generator, count: int, *, topics: int, systems: int) -> NDArray[Any]:
    return random_permutations(rng, count * topics, systems).reshape(count, topics, systems)


def bootstrap_indices(topics: int, trials: int = 1000, seed: int = 0) -> RandomReplicates:
    """Draw as many topics as there are, with replacement: replicates (topics,) of topic numbers.

    Examples
    --------
    >>> int(bootstrap_indices(5).block(0).max())
    4
    """
    require_at_least(topics, 1, "topics")
    return RandomReplicates(trials, partial(_draw_indices, topics=topics), Stream.BOOTSTRAP, seed)


def _draw_indices(rng: np.random.Generator, count: int, *, topics: int) -> NDArray[Any]:
    return rng.integers(0, topics, size=(count, topics), dtype=np.int64)


def multiplicities(indices: NDArray[Any], topics: int) -> NDArray[np.int64]:
    """Count how often each topic occurs in each row of ``indices``.

    Examples
    --------
    >>> multiplicities(np.array([[0, 2, 2]]), 3)
    array([[1, 0, 2]])
    """
    if indices.size and not 0 <= indices.min() <= indices.max() < topics:
        raise MetameterError(
            "a resample holds the number of a topic that does not exist",
            allowed=f"0 to {topics - 1}",
            fix="Count the topics from 0.",
        )
    flat = indices + (np.arange(len(indices)) * topics)[:, None]
    return np.bincount(flat.reshape(-1), minlength=len(indices) * topics).reshape(len(indices), topics)


def random_permutations(rng: np.random.Generator, rows: int, n: int) -> NDArray[Any]:
    """Draw ``rows`` independent, uniformly distributed permutations of 0..n-1.

    Random keys with the position in their low bits are sorted, several times faster than shuffling row by row. Rows
    with equal keys are drawn again, so that all orders are exactly equally likely.

    Examples
    --------
    >>> permutations = random_permutations(np.random.default_rng(7), rows=1000, n=3)
    >>> permutations.shape, bool((np.sort(permutations, axis=1) == [0, 1, 2]).all())
    ((1000, 3), True)
    """
    permutations = np.empty((rows, n), dtype=np.int16 if n < 1 << 15 else np.int32)
    step = max(1, _CELLS // max(n, 1))
    for start in range(0, rows, step):
        permutations[start : start + step] = _some(rng, min(step, rows - start), n)
    return permutations


def _some(rng: np.random.Generator, rows: int, n: int) -> NDArray[Any]:
    bits = max(n - 1, 1).bit_length()
    # For up to 512 items 32-bit keys rarely collide, so redrawing is cheap.
    keys = _keys(rng, rows, n, 32 if bits <= 9 else 64)
    position = keys.dtype.type((1 << bits) - 1)
    keys &= ~position
    keys |= np.arange(n, dtype=keys.dtype)
    keys.sort(axis=-1)
    collided = _collided(keys, position)
    keys &= position
    if len(collided):
        keys[collided] = _some(rng, len(collided), n)
    return keys


def _collided(keys: NDArray[Any], position: Any) -> NDArray[np.intp]:
    # Rows with two neighbours that differ in the position bits only; usually there are none at all.
    flat = keys.reshape(-1)
    if not (flat[1:] ^ flat[:-1] <= position).any():
        return np.empty(0, dtype=np.intp)
    return np.nonzero((keys[:, 1:] ^ keys[:, :-1] <= position).any(axis=-1))[0]


def _keys(rng: np.random.Generator, rows: int, n: int, width: int) -> NDArray[Any]:
    # Raw bits do not change between NumPy versions.
    raw = np.asarray(rng.bit_generator.random_raw(-(-rows * n * width // 64)), dtype="<u8")
    keys = raw if width == 64 else raw.view("<u4")
    return keys[: rows * n].reshape(rows, n)


def bootstrap_splits(topics: int, trials: int = 200, splits: int = 20, seed: int = 0) -> RandomReplicates:
    """Draw bootstrap samples of the topics and split each into halves, all copies of a topic in the same half.

    Replicates are (splits, 2, topics): how often each topic is in either half. The first half has floor(d/2) of the d
    distinct topics of the sample. A sample with a single distinct topic is drawn again.

    Examples
    --------
    >>> block = bootstrap_splits(10, trials=3, splits=4).block(0)
    >>> block.shape, set(block.sum(axis=(2, 3)).ravel().tolist()), bool((block.min(axis=2) == 0).all())
    ((3, 4, 2, 10), {10}, True)
    """
    require_at_least(topics, 2, "topics")
    return RandomReplicates(
        trials, partial(_draw_split_resamples, topics=topics, splits=splits), Stream.BOOTSTRAP_SPLIT, seed
    )


def _draw_split_resamples(rng: np.random.Generator, count: int, *, topics: int, splits: int) -> NDArray[Any]:
    copies = _resamples(rng, count, topics)[:, None, :]
    order = random_permutations(rng, count * splits, topics).reshape(count, splits, topics)
    # The topics of the sample in random order; the first half of this order is the first half.
    position = np.where(copies > 0, order, topics).argsort(axis=-1).argsort(axis=-1)
    first = position < (copies > 0).sum(axis=-1, keepdims=True) // 2
    return np.stack([copies * first, copies * ~first], axis=2)


def repeated_splits(topics: int, trials: int = 200, splits: int = 20, seed: int = 0) -> RandomReplicates:
    """Split all topics into halves several times per replicate: (splits, 2, topics), as `bootstrap_splits` does.

    Examples
    --------
    >>> block = repeated_splits(5, trials=3, splits=4).block(0)
    >>> block.shape, block.sum(axis=(2)).max(), block[0, 0].sum(axis=1).tolist()
    ((3, 4, 2, 5), np.int64(1), [2, 3])
    """
    require_at_least(topics, 2, "topics")
    return RandomReplicates(
        trials, partial(_draw_repeated_splits, topics=topics, splits=splits), Stream.BOOTSTRAP_SPLIT, seed
    )


def _draw_repeated_splits(rng: np.random.Generator, count: int, *, topics: int, splits: int) -> NDArray[Any]:
    first = random_permutations(rng, count * splits, topics).reshape(count, splits, topics) < topics // 2
    return np.stack([first, ~first], axis=2).astype(np.int64)


def _resamples(rng: np.random.Generator, count: int, topics: int) -> NDArray[np.int64]:
    copies = multiplicities(rng.integers(0, topics, size=(count, topics)), topics)
    single = (copies > 0).sum(axis=1) < 2
    if single.any():
        copies[single] = _resamples(rng, int(single.sum()), topics)
    return copies


LONGER = 4  # the length of a long resample, in short ones


def long_bootstrap_indices(topics: int, trials: int = 1000, seed: int = 0) -> RandomReplicates:
    """Draw 4 (n - 1) of n topics with replacement: replicates (4 (topics - 1),) of topic numbers.

    The variance of n observed scores is (n - 1) / n of the population variance. So the mean of n - 1 draws has the
    variance of the mean of n topics of the population. A replicate here is four such samples of n - 1 draws.

    Examples
    --------
    >>> long_bootstrap_indices(5).block(0).shape
    (64, 16)
    """
    draw = partial(_draw, topics=topics, length=LONGER * (topics - 1))
    return RandomReplicates(trials, draw, Stream.LONG_BOOTSTRAP, seed)


def _draw(rng: np.random.Generator, count: int, *, topics: int, length: int) -> NDArray[Any]:
    return rng.integers(0, topics, size=(count, length), dtype=np.int64)


Resample = Literal["topics", "systems", "both"]
_CHOICES = ("topics", "systems", "both")


@dataclass(frozen=True, eq=False)
class Resamples:
    """Resamples of the topics, systems or both, with split halves of the topics of each resample.

    Attributes
    ----------
    halves : RandomReplicates
        Replicates (splits, 2, topics): how often each topic is in either half.
    systems : RandomReplicates or None
        Replicates (systems,) of how often each system is drawn; None if systems are not resampled.
    """

    halves: RandomReplicates
    systems: RandomReplicates | None

    @classmethod
    def of(
        cls, matrix: NDArray[Any], resamples: int, splits: int, seed: int, resample: str, clusters: Clusters | None
    ) -> Resamples:
        """Draw topics, systems or both of ``matrix[metric, topic, system]``."""
        check_choice(resample, "value of resample", _CHOICES)
        draw = repeated_splits if resample == "systems" else bootstrap_splits
        halves = draw(matrix.shape[-2], resamples, splits, seed)
        if resample == "topics":
            return cls(halves, None)
        return cls(halves, bootstrap_systems(matrix.shape[-1], resamples, seed, clusters))


def bootstrap_systems(
    systems: int, trials: int = 1000, seed: int = 0, clusters: Clusters | None = None
) -> RandomReplicates:
    """Draw systems with replacement: replicates (systems,) of how often each is drawn.

    Clusters of systems are drawn whole, as many as there are. A sample with a single distinct system is drawn again.

    Parameters
    ----------
    systems, trials, seed : int
    clusters : ndarray of int, (systems,), optional
        The cluster of each system; by default every system is its own cluster.

    Examples
    --------
    >>> block = bootstrap_systems(4, clusters=np.array([0, 0, 1, 2])).block(0)
    >>> block.shape, bool((block[:, 0] == block[:, 1]).all()), bool((block[:, 1:].sum(axis=1) == 3).all())
    ((64, 4), True, True)
    """
    require_at_least(systems, 2, "systems")
    return RandomReplicates(trials, partial(_draw_systems, cluster=_numbered(systems, clusters)), Stream.SYSTEMS, seed)


def _numbered(systems: int, clusters: Clusters | None) -> tuple[int, ...]:
    """The clusters of the systems, renumbered from 0 in order of appearance."""
    given = np.arange(systems) if clusters is None else np.asarray(clusters)
    if given.shape != (systems,):
        fix = "Give one cluster number per system."
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
    """Return the number of independent units drawn: topics, clusters of systems, or the smaller number of both.

    Estimates from n units have n - 1 degrees of freedom.

    Examples
    --------
    >>> resampled_units(50, 4, "both", np.array([0, 0, 1, 2]))
    3
    """
    check_choice(resample, "value of resample", _CHOICES)
    units = {"topics": topics, "systems": len(set(_numbered(systems, clusters)))}
    return min(units.values()) if resample == "both" else units[resample]
