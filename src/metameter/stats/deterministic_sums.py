"""Sums over topics with a fixed order of additions: the same bits for any number of threads."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.stats.checks import Floats

_CELLS = 1 << 16  # summed at a time, to stay in the cache


def weighted_sums(weights: NDArray[Any], values: Floats) -> Floats:
    """Return ``weights @ values`` for (replicates, topics) and (topics, columns).

    A sparse product adds the topics in order and skips those of weight 0; a threaded BLAS has no fixed order.

    Examples
    --------
    >>> weighted_sums(np.array([[1, 0, 2]]), np.array([[1.0], [10.0], [100.0]]))
    array([[201.]])
    """
    return np.asarray(sparse_weights(weights) @ values)


def sparse_weights(weights: NDArray[Any]) -> Any:
    """Return the weights (replicates, topics) as a sparse matrix, for several products.

    Examples
    --------
    >>> sparse_weights(np.array([[1, 0, 2]])).nnz
    2
    """
    from scipy.sparse import csr_array

    # SciPy's own conversion takes as long as a product.
    row, column = np.nonzero(weights)
    begins = np.searchsorted(row, np.arange(len(weights) + 1)).astype(np.int32)
    values = weights[row, column].astype(np.float64)
    return csr_array((values, column.astype(np.int32), begins), shape=weights.shape)


def permuted_ranges(permutations: NDArray[Any], values: Floats) -> Floats:
    """Return the ranges, over systems, of the sums of permuted scores over topics.

    Parameters
    ----------
    permutations : ndarray of int, (replicates, topics, systems)
    values : ndarray, (topics, systems, metrics)
        Metrics last, so that one memory access fetches all metrics of a system.

    Returns
    -------
    ndarray, (replicates, metrics)

    Examples
    --------
    >>> values = np.array([[[1.0], [2.0]], [[10.0], [20.0]]])
    >>> permuted_ranges(np.array([[[0, 1], [1, 0]]]), values)  # 1 + 20 and 2 + 10
    array([[9.]])
    """
    topics, systems, metrics = values.shape
    columns = values.reshape(topics * systems, metrics)
    step = max(1, _CELLS // (systems * max(topics, metrics)))
    ranges = np.empty((len(permutations), metrics))
    for start in range(0, len(permutations), step):
        some = permutations[start : start + step]
        sums = np.asarray(_chooser(some) @ columns).reshape(len(some), systems, metrics)
        ranges[start : start + step] = sums.max(axis=1) - sums.min(axis=1)
    return ranges


def _chooser(permutations: NDArray[Any]) -> Any:
    # A sparse 0/1 matrix: one row for each replicate and system, one 1 for the cell it takes from each topic.
    from scipy.sparse import csr_array

    count, topics, systems = permutations.shape
    first_cell = np.arange(0, topics * systems, systems, dtype=np.int32)
    cells = np.add(permutations.transpose(0, 2, 1), first_cell, dtype=np.int32, order="C").reshape(-1)
    rows = np.arange(0, cells.size + 1, topics, dtype=np.int32)
    return csr_array((_ones(cells.size), cells, rows), shape=(count * systems, topics * systems))


@lru_cache(maxsize=4)
def _ones(size: int) -> Floats:
    # Cached: allocating memory costs more than the sums.
    return np.ones(size)
