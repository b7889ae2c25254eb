"""Sakai's paired bootstrap test: whether a difference is larger than resampling topics explains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.stats.checks import RELATIVE_TOLERANCE, check_level, score_matrix, system_pairs, tolerance
from metameter.stats.replicates import chosen
from metameter.stats.resampled_t import observed_t, resampled_t
from metameter.stats.resampling import bootstrap_indices, multiplicities
from metameter.stats.sums import in_order
from metameter.stats.tukey_result import asl_curve, discriminative_power, rank_of_alpha

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from metameter.stats.checks import Floats
    from metameter.stats.replicates import Replicates

__all__ = ["PairedBootstrap", "paired_bootstrap"]

_CELLS = 1 << 18  # replicates x pairs held at a time: bounds the memory


@dataclass(frozen=True, eq=False)
class PairedBootstrap:
    """Result of `paired_bootstrap`. Pairs are in the order (0,1), (0,2), ..., (1,2), ...

    The p-values are per pair: the familywise error rate is *not* controlled.

    Attributes
    ----------
    statistic : ndarray, (..., pairs)
        Studentised mean difference t; infinite if the difference is the same on every topic.
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
        """Discriminative power: the fraction of pairs with p < alpha."""
        return discriminative_power(self.pvalue, self.alpha if alpha is None else alpha)

    def required_difference(self) -> Floats:
        """Estimate of the difference required at ``alpha``: the largest over pairs."""
        return np.asarray(self.differences_required.max(axis=-1))

    def asl_curve(self) -> Floats:
        """The p-values of all pairs in falling order."""
        return asl_curve(self.pvalue)


def paired_bootstrap(
    scores: ArrayLike,
    *,
    trials: int = 1000,
    seed: int = 0,
    indices: Replicates | ArrayLike | None = None,
    alpha: float = 0.05,
    jobs: int = 1,
) -> PairedBootstrap:
    """Test each pair of systems alone: how often a resampled t is as extreme, were there no difference.

    Parameters
    ----------
    scores : array-like, (..., topics, systems)
        At least two topics. Leading axes, such as metrics, share the resamples.
    trials, seed, jobs : int
        Number of resamples; their seed; threads (the result does not depend on them).
    indices : Replicates or array of int, (trials, topics), optional
        Explicit resamples.
    alpha : float
        For the difference required.

    References
    ----------
    sakai2006

    Examples
    --------
    >>> result = paired_bootstrap([[0.6, 0.5], [0.9, 0.6]], indices=[[0, 1], [0, 0], [1, 1], [1, 0]])
    >>> result.statistic.round(6)  # differences .1 and .3: mean .2, standard error .1
    array([2.])
    >>> result.pvalue  # a topic drawn twice has no spread, so t is infinite; the others give t = 0
    array([0.5])
    """
    matrix = score_matrix(scores, topics=2)
    topics, systems = matrix.shape[-2:]
    replicates = chosen(indices, bootstrap_indices(topics, trials, seed), (topics,), "indices")
    counts = np.concatenate([multiplicities(block, topics) for block in replicates])
    flat = matrix.reshape(-1, topics, systems)
    rank = rank_of_alpha(check_level(alpha), len(counts))
    step = max(1, _CELLS // len(counts))
    pairs = np.stack(system_pairs(systems))
    units = [(one, pairs[:, i : i + step]) for one in flat for i in range(0, pairs.shape[1], step)]
    parts = list(in_order(lambda unit: _test(*unit, counts, rank), units, jobs))
    shape = (4, *matrix.shape[:-2], pairs.shape[1])
    t, asl, mean, required = np.concatenate(parts, axis=1).reshape(shape)
    return PairedBootstrap(t, asl, mean, required, len(counts), alpha)


def _test(matrix: Floats, pairs: NDArray[np.intp], counts: NDArray[Any], rank: int) -> Floats:
    z = matrix[:, pairs[0]] - matrix[:, pairs[1]]
    tol = float(tolerance(matrix, axes=2)[0, 0])
    t, shifted = observed_t(z, tol)
    extreme, means = resampled_t(shifted, counts, tol)
    asl = (extreme >= np.abs(t) * (1.0 - RELATIVE_TOLERANCE)).mean(axis=0)
    place = np.argpartition(extreme, -rank, axis=0)[-rank]
    required = np.abs(np.take_along_axis(means, place[None], axis=0)[0])
    return np.stack([t, asl, z.mean(axis=0), required])
