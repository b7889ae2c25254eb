"""Replicates with two sets of topics each: halves, halves of resamples, disjoint subsets, pairs of resamples."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.errors import MetameterError
from metameter.stats.checks import require_at_least
from metameter.stats.replicates import Drawn, Stream
from metameter.stats.resampling import multiplicities
from metameter.stats.shuffles import random_permutations

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["bootstrap_pairs", "bootstrap_splits", "disjoint_subsets", "repeated_splits"]


def bootstrap_splits(topics: int, trials: int = 200, splits: int = 20, seed: int = 0) -> Drawn:
    """Draw bootstrap samples and split each into halves, all copies of a topic on the same side.

    Replicates are (splits, 2, topics): how often each topic is in either half. The distinct topics of a sample are
    split into halves, the first with floor(distinct / 2); a sample of one topic, copied, is drawn again.

    Examples
    --------
    >>> block = bootstrap_splits(10, trials=3, splits=4).block(0)
    >>> block.shape, set(block.sum(axis=(2, 3)).ravel().tolist()), bool((block.min(axis=2) == 0).all())
    ((3, 4, 2, 10), {10}, True)
    """
    require_at_least(topics, 2, "topics")
    return Drawn(trials, partial(_draw_split_resamples, topics=topics, splits=splits), Stream.BOOTSTRAP_SPLIT, seed)


def _draw_split_resamples(rng: np.random.Generator, count: int, *, topics: int, splits: int) -> NDArray[Any]:
    copies = _resamples(rng, count, topics)[:, None, :]
    order = random_permutations(rng, count * splits, topics).reshape(count, splits, topics)
    # All topics stand in a random order; of those in the sample, the first half of this order is the first half.
    place = np.where(copies > 0, order, topics).argsort(axis=-1).argsort(axis=-1)
    first = place < (copies > 0).sum(axis=-1, keepdims=True) // 2
    return np.stack([copies * first, copies * ~first], axis=2)


def repeated_splits(topics: int, trials: int = 200, splits: int = 20, seed: int = 0) -> Drawn:
    """Split all topics into halves, several times a replicate: (splits, 2, topics), as `bootstrap_splits` has them.

    Examples
    --------
    >>> block = repeated_splits(5, trials=3, splits=4).block(0)
    >>> block.shape, block.sum(axis=(2)).max(), block[0, 0].sum(axis=1).tolist()
    ((3, 4, 2, 5), np.int64(1), [2, 3])
    """
    require_at_least(topics, 2, "topics")
    return Drawn(trials, partial(_draw_repeated_splits, topics=topics, splits=splits), Stream.BOOTSTRAP_SPLIT, seed)


def _draw_repeated_splits(rng: np.random.Generator, count: int, *, topics: int, splits: int) -> NDArray[Any]:
    first = random_permutations(rng, count * splits, topics).reshape(count, splits, topics) < topics // 2
    return np.stack([first, ~first], axis=2).astype(np.int64)


def _resamples(rng: np.random.Generator, count: int, topics: int) -> NDArray[np.int64]:
    copies = multiplicities(rng.integers(0, topics, size=(count, topics)), topics)
    single = (copies > 0).sum(axis=1) < 2
    if single.any():
        copies[single] = _resamples(rng, int(single.sum()), topics)
    return copies


def disjoint_subsets(topics: int, trials: int = 1000, size: int | None = None, seed: int = 0) -> Drawn:
    """Draw two disjoint sets of ``size`` topics (by default half of them): replicates (2, topics) of 0 and 1.

    Examples
    --------
    >>> disjoint_subsets(7, size=2).block(0).sum(axis=2)[0]
    array([2, 2])
    """
    each = topics // 2 if size is None else size
    if not 1 <= each <= topics // 2:
        raise MetameterError(
            f"{topics} topics do not hold two disjoint sets of this size",
            given=each,
            allowed=f"1 to {topics // 2}",
            fix="Choose a smaller size, or give more topics.",
        )
    return Drawn(trials, partial(_draw_disjoint, topics=topics, size=each), Stream.DISJOINT_SUBSETS, seed)


def _draw_disjoint(rng: np.random.Generator, count: int, *, topics: int, size: int) -> NDArray[Any]:
    order = random_permutations(rng, count, topics)
    return np.stack([order < size, (order >= size) & (order < 2 * size)], axis=1).astype(np.int64)


def bootstrap_pairs(topics: int, trials: int = 1000, seed: int = 0) -> Drawn:
    """Draw two independent bootstrap samples of the topics: replicates (2, topics) of multiplicities.

    Examples
    --------
    >>> bootstrap_pairs(7).block(0).sum(axis=2)[0]
    array([7, 7])
    """
    require_at_least(topics, 1, "topics")
    return Drawn(trials, partial(_draw_pairs, topics=topics), Stream.BOOTSTRAP_PAIR, seed)


def _draw_pairs(rng: np.random.Generator, count: int, *, topics: int) -> NDArray[Any]:
    return multiplicities(rng.integers(0, topics, size=(count * 2, topics)), topics).reshape(count, 2, topics)
