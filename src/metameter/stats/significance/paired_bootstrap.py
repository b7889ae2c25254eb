"""Sakai's paired bootstrap test of every two systems, each pair alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from metameter.parallel import Progress, Workers
from metameter.stats.checks import RELATIVE_TOLERANCE, Floats, SystemPairs, check_level, score_matrix
from metameter.stats.resampling.replicates import replicates_or_default
from metameter.stats.resampling.samples import bootstrap_indices
from metameter.stats.resampling.studentised import Resampled, resampled_pairs
from metameter.stats.significance.tukey import discriminative_power, rank_of_alpha

if TYPE_CHECKING:
    from metameter.stats.resampling.replicates import Replicates


@dataclass(frozen=True, eq=False)
class PairedBootstrap:
    """Result of `paired_bootstrap`. Pairs are in the order (0,1), (0,2), ..., (1,2), ...

    The p-values are for each pair alone: the familywise error rate is *not* controlled.

    Attributes
    ----------
    statistic : ndarray, (..., pairs)
        Studentised mean difference t; infinite if a non-zero difference is equal on every topic.
    pvalue : ndarray, (..., pairs)
        Achieved significance level (ASL).
    mean_difference : ndarray, (..., pairs)
    differences_required : ndarray, (..., pairs)
        Per pair: the absolute mean difference of the replicate with the ceil(alpha * trials)-th largest abs(t).
    trials : int
    alpha : float
    """

    statistic: Floats
    pvalue: Floats
    mean_difference: Floats
    differences_required: Floats
    trials: int
    alpha: float

    @property
    def pvalue_error(self) -> Floats:
        """Monte-Carlo standard error of each p-value, sqrt(p(1-p)/trials)."""
        return np.sqrt(self.pvalue * (1.0 - self.pvalue) / self.trials)

    def power(self, alpha: float | None = None) -> Floats:
        """Return the discriminative power: the share of pairs with p < alpha."""
        return discriminative_power(self.pvalue, self.alpha if alpha is None else alpha)

    def required_difference(self) -> Floats:
        """Return the difference required at ``alpha``, the largest over pairs."""
        return np.asarray(self.differences_required.max(axis=-1))


def paired_bootstrap(
    scores: ArrayLike,
    *,
    trials: int = 1000,
    seed: int = 0,
    indices: Replicates | ArrayLike | None = None,
    alpha: float = 0.05,
    smooth: bool = True,
    pairs: SystemPairs | None = None,
    jobs: int | Workers | None = 1,
    progress: Progress | None = None,
) -> PairedBootstrap:
    """Return the paired bootstrap test: p is the share of resampled abs(t) under the null that are at least as large.

    Parameters
    ----------
    scores : array-like, (..., topics, systems)
        At least two topics. Leading axes, such as metrics, share the resamples.
    trials, seed : int
        Number of resamples; their seed.
    indices : Replicates or array of int, (trials, topics), optional
        Explicit resamples.
    alpha : float
        Level of the required difference.
    smooth : bool
        p = (count + 1) / (trials + 1): never zero. Without it count / trials, as in the reference.
    pairs : pair of ndarray of int, optional
        Indices of the first and second systems; by default all pairs.
    jobs : int or Workers, optional
        How many threads; the result does not depend on it.
    progress : callable, optional
        Called with the number of parts done and their total.

    References
    ----------
    sakai2006

    Examples
    --------
    >>> result = paired_bootstrap([[0.6, 0.5], [0.9, 0.6]], indices=[[0, 1], [0, 0], [1, 1], [1, 0]], smooth=False)
    >>> result.statistic.round(6)  # differences .1 and .3: mean .2, standard error .1
    array([2.])
    >>> result.pvalue  # a topic drawn twice has no spread, so t is infinite; the others give t = 0
    array([0.5])
    """
    matrix = score_matrix(scores, topics=2)
    topics, systems = matrix.shape[-2:]
    replicates = replicates_or_default(indices, bootstrap_indices(topics, trials, seed), (topics,), "indices")
    summary = partial(_figures, rank=rank_of_alpha(check_level(alpha), replicates.trials))
    flat = matrix.reshape(-1, topics, systems)
    figures = resampled_pairs(flat, replicates, summary, pairs=pairs, jobs=jobs, progress=progress)
    t, asl, mean, required = figures.reshape(4, *matrix.shape[:-2], -1)
    if smooth:
        asl = (asl * replicates.trials + 1.0) / (replicates.trials + 1.0)
    return PairedBootstrap(t, asl, mean, required, replicates.trials, alpha)


def _figures(some: Resampled, *, rank: int) -> Floats:
    asl = (some.extreme >= np.abs(some.t) * (1.0 - RELATIVE_TOLERANCE)).mean(axis=0)
    index = np.argpartition(some.extreme, -rank, axis=0)[-rank]
    required = np.abs(np.take_along_axis(some.means, index[None], axis=0)[0])
    return np.stack([some.t, asl, some.differences.mean(axis=0), required])
