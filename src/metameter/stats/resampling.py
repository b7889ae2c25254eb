"""The kinds of replicates: splits of the topics, permutations of rows, bootstrap samples."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.errors import MetameterError
from metameter.stats.checks import require_at_least
from metameter.stats.replicates import Drawn, Stream
from metameter.stats.shuffles import random_permutations

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["bootstrap_indices", "multiplicities", "row_permutations", "topic_splits"]


def topic_splits(topics: int, trials: int = 1000, seed: int = 0) -> Drawn:
    """Draw random halves of the topics: replicates (topics,) of bool, True for the floor(n/2) topics of the first half.

    Examples
    --------
    >>> blocks = topic_splits(11, trials=100)
    >>> [block.shape for block in blocks], set(blocks.block(0).sum(axis=1).tolist())
    ([(64, 11), (36, 11)], {5})
    """
    require_at_least(topics, 2, "topics")
    return Drawn(trials, partial(_draw_splits, topics=topics), Stream.SPLIT, seed)


def _draw_splits(rng: np.random.Generator, count: int, *, topics: int) -> NDArray[Any]:
    return random_permutations(rng, count, topics) < topics // 2


def row_permutations(topics: int, systems: int, trials: int = 2000, seed: int = 0) -> Drawn:
    """Permute the systems within each topic: replicates (topics, systems); system j gets the score of ``p[t, j]``.

    Examples
    --------
    >>> row_permutations(5, 3).block(0).shape
    (64, 5, 3)
    """
    return Drawn(trials, partial(_draw_rows, topics=topics, systems=systems), Stream.PERMUTATION, seed)


def _draw_rows(rng: np.random.Generator, count: int, *, topics: int, systems: int) -> NDArray[Any]:
    return random_permutations(rng, count * topics, systems).reshape(count, topics, systems)


def bootstrap_indices(topics: int, trials: int = 1000, seed: int = 0) -> Drawn:
    """Draw as many topics as there are, with replacement: replicates (topics,) of topic numbers.

    Examples
    --------
    >>> int(bootstrap_indices(5).block(0).max())
    4
    """
    require_at_least(topics, 1, "topics")
    return Drawn(trials, partial(_draw_indices, topics=topics), Stream.BOOTSTRAP, seed)


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
