"""Randomised paired Tukey HSD: which systems differ, with one error rate for all pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metameter.errors import MetameterError
from metameter.parallel import Progress, Workers, reported
from metameter.stats.checks import Floats, score_matrix
from metameter.stats.deterministic_sums import permuted_ranges
from metameter.stats.resampling.replicates import map_blocks, replicates_or_default
from metameter.stats.resampling.samples import row_permutations
from metameter.stats.tests.tukey_result import RandomisedTukey

if TYPE_CHECKING:
    from metameter.stats.resampling.replicates import Replicates


_METRICS = 64  # metrics shuffled together: bounds the memory of a block


def randomised_tukey(
    scores: ArrayLike,
    *,
    trials: int = 2000,
    seed: int = 0,
    permutations: Replicates | ArrayLike | None = None,
    smooth: bool = True,
    jobs: int | Workers | None = 1,
    progress: Progress | None = None,
) -> RandomisedTukey:
    """Find the pairs of systems that differ, with one error rate for the whole family of pairs.

    In each trial the scores of every topic are shuffled among the systems, and the range h of the system means is
    noted. A difference as large as d arises by chance with p = (#{h >= d} + 1) / (trials + 1). Because h is the
    largest difference of all, the familywise error rate is controlled: correct no further. That holds if the systems'
    scores on a topic could be exchanged when no systems differ: with unequal variances errors are more frequent (see
    `max_t`).

    Parameters
    ----------
    scores : array-like, (..., topics, systems)
        Any leading axes, such as metrics, are tested together on the same permutations.
    trials : int
        Number of random shuffles.
    seed : int
        The same seed gives the same permutations, whatever the metrics and the number of jobs.
    permutations : Replicates or array of int, (trials, topics, systems), optional
        Explicit replicates instead; system j receives the score of system ``p[t, j]``.
    smooth : bool
        p = (count + 1) / (trials + 1): never zero. Without it count / trials, as in the reference.
    jobs : int or Workers, optional
        How many threads; the result does not depend on it.
    progress : callable, optional
        Told how many of how many blocks of shuffles are done.

    References
    ----------
    carterette2012, sakai2014

    Examples
    --------
    >>> result = randomised_tukey([[0.1, 0.2, 0.9], [0.2, 0.1, 0.8], [0.3, 0.3, 0.9], [0.2, 0.2, 0.7]], trials=500)
    >>> result.statistic.round(3)  # mean differences of the pairs (0,1), (0,2), (1,2)
    array([ 0.   , -0.625, -0.625])
    >>> float(result.pvalue[0]), bool(result.pvalue[1] < 0.05)
    (1.0, True)
    """
    matrix = score_matrix(scores)
    topics, systems = matrix.shape[-2:]
    default = row_permutations(topics, systems, trials, seed)
    replicates = replicates_or_default(permutations, default, (topics, systems), "permutations")
    values = np.ascontiguousarray(np.moveaxis(matrix.reshape(-1, topics, systems), 0, -1))
    blocks = map_blocks(_ranges, replicates, jobs, values=values, check=permutations is not None)
    told = reported(blocks, len(replicates), "shuffling", progress)
    h = np.concatenate(list(told), axis=1).reshape(*matrix.shape[:-2], replicates.trials) / topics
    return RandomisedTukey.of(matrix, h, smooth=smooth)


def _ranges(number: int, *, replicates: Replicates, values: Floats, check: bool) -> Floats:
    permutations = replicates.block(number)
    if check:
        check_rows(permutations, values.shape[1])
    starts = range(0, values.shape[-1], _METRICS)
    return np.concatenate([permuted_ranges(permutations, values[..., i : i + _METRICS]).T for i in starts])


def check_rows(permutations: NDArray[Any], systems: int) -> None:
    """Refuse permutations (trials, topics, systems) with a row that lacks a system.

    Examples
    --------
    >>> check_rows(np.array([[[1, 1]]]), 2)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    metameter.errors.MetameterError: a row of the permutations is not a permutation (allowed: 0 to 1, each once). ...
    """
    if not (np.sort(permutations, axis=-1) == np.arange(systems)).all():
        raise MetameterError(
            "a row of the permutations is not a permutation",
            allowed=f"0 to {systems - 1}, each once",
            fix="Give each row every system once.",
        )
