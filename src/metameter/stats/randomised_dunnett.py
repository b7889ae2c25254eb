"""Randomised comparison with baselines: which systems differ from them, with one error rate for these pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from metameter.parallel import Progress, Workers, reported
from metameter.stats.checks import score_matrix
from metameter.stats.comparisons import comparisons
from metameter.stats.explicit import replicates_or_default
from metameter.stats.replicates import map_blocks
from metameter.stats.resampling import row_permutations
from metameter.stats.tukey import check_rows
from metameter.stats.tukey_result import RandomisedTukey

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from metameter.stats.checks import Floats
    from metameter.stats.replicates import Replicates

__all__ = ["randomised_dunnett"]


def randomised_dunnett(
    scores: ArrayLike,
    baselines: Sequence[int],
    *,
    trials: int = 2000,
    seed: int = 0,
    permutations: Replicates | ArrayLike | None = None,
    smooth: bool = True,
    jobs: int | Workers | None = 1,
    progress: Progress | None = None,
) -> RandomisedTukey:
    """Find the systems that differ from the baselines, with one error rate for these comparisons: Dunnett's question.

    The shuffles are those of `randomised_tukey`; noted is the largest difference of a mean from that of a baseline.
    It is mostly smaller than the range of all means, so smaller differences are found. With two systems it is the same.

    Parameters
    ----------
    scores : array-like, (..., topics, systems)
        Any leading axes, such as metrics, are tested together on the same permutations.
    baselines : sequence of int
        Positions of systems.
    trials, seed, permutations, smooth, jobs, progress
        As for `randomised_tukey`.

    Returns
    -------
    RandomisedTukey
        Of the pairs (system, baseline) in the order of `comparisons`; ``ranges`` are the largest differences.

    Examples
    --------
    >>> shuffles = [[[0, 1, 2], [0, 1, 2]], [[1, 0, 2], [2, 0, 1]]]
    >>> result = randomised_dunnett([[1, 2, 4], [3, 6, 5]], [0], permutations=shuffles)
    >>> result.statistic, result.ranges  # means 2, 4, 4.5; shuffled 3.5, 2, 5
    (array([2. , 2.5]), array([2.5, 1.5]))
    """
    matrix = score_matrix(scores)
    topics, systems = matrix.shape[-2:]
    pairs = comparisons(systems, baselines)
    default = row_permutations(topics, systems, trials, seed)
    replicates = replicates_or_default(permutations, default, (topics, systems), "permutations")
    values = np.ascontiguousarray(np.moveaxis(matrix.reshape(-1, topics, systems), 0, -1))
    places = np.unique(pairs[1])
    blocks = map_blocks(_farthest, replicates, jobs, values=values, places=places, check=permutations is not None)
    told = reported(blocks, len(replicates), "shuffling for the baselines", progress)
    h = np.concatenate(list(told), axis=1).reshape(*matrix.shape[:-2], replicates.trials) / topics
    return RandomisedTukey.of(matrix, h, pairs, smooth=smooth)


def _farthest(number: int, *, replicates: Replicates, values: Floats, places: NDArray[np.intp], check: bool) -> Floats:
    """The largest distance of any sum from that of a baseline, (metrics, shuffles)."""
    permutations = replicates.block(number)
    if check:
        check_rows(permutations, values.shape[1])
    sums = values[0][permutations[:, 0]]
    # One topic after the other, in the order of the sums of `randomised_tukey`: with two systems the bits are the same.
    for topic, scores in enumerate(values[1:], start=1):
        sums += scores[permutations[:, topic]]
    baseline = sums[:, places]
    above, below = sums.max(axis=1, keepdims=True) - baseline, baseline - sums.min(axis=1, keepdims=True)
    return np.asarray(np.maximum(above, below).max(axis=1).T)
