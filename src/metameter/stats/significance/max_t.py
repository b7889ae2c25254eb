"""Bootstrap max-t test: which systems differ, with one familywise error rate for all comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metameter.parallel import Progress, Workers, reported
from metameter.stats.checks import RELATIVE_TOLERANCE, Floats, score_matrix, tolerance
from metameter.stats.deterministic_sums import sparse_weights
from metameter.stats.resampling.replicates import map_blocks, replicates_or_default
from metameter.stats.resampling.samples import bootstrap_indices, multiplicities
from metameter.stats.significance.pairs import compared_pairs, pair_chunks
from metameter.stats.significance.pairwise import standard_errors
from metameter.stats.significance.tukey import count_at_least, discriminative_power

if TYPE_CHECKING:
    from metameter.stats.resampling.replicates import Replicates


@dataclass(frozen=True, eq=False)
class MaxT:
    """Result of `max_t`. Pairs are in the order of `compared_pairs`: (0,1), (0,2), ... where there is no baseline.

    Attributes
    ----------
    statistic : ndarray, (..., pairs)
        The mean difference divided by ``scale``; 0 for a difference of 0, infinite for any other if the scale is 0.
    pvalue : ndarray, (..., pairs)
        Adjusted for all pairs: (b + 1) / (trials + 1), where b of the maxima are at least abs(statistic).
    mean_difference : ndarray, (..., pairs)
    scale : ndarray, (..., pairs)
        The standard error of the difference plus the offset; 0 where two systems have equal scores on every topic.
    maxima : ndarray, (..., trials)
        The largest abs(statistic) of each resample, times `small_sample_widening`.
    trials : int
    """

    statistic: Floats
    pvalue: Floats
    mean_difference: Floats
    scale: Floats
    maxima: Floats
    trials: int

    @property
    def pvalue_error(self) -> Floats:
        """Monte-Carlo standard error of each p-value, sqrt(p(1-p)/trials)."""
        return np.sqrt(self.pvalue * (1.0 - self.pvalue) / self.trials)

    def power(self, alpha: float = 0.05) -> Floats:
        """Return the discriminative power: the share of pairs with p < alpha."""
        return discriminative_power(self.pvalue, alpha)


def max_t(
    scores: ArrayLike,
    *,
    baselines: Sequence[int] = (),
    trials: int = 2000,
    seed: int = 0,
    indices: Replicates | ArrayLike | None = None,
    jobs: int | Workers | None = 1,
    progress: Progress | None = None,
) -> MaxT:
    r"""Return a bootstrap max-t test of all pairs of systems, with one familywise error rate.

    .. math:: t_{ij} = \frac{\bar d_{ij}}{s_{ij} + s_0}, \qquad
        s_0 = \min(\max(1, 40/n), 4) \operatorname{median} s_{ij}

    where d are the differences of two systems over the topics and s is the standard error of their mean. The
    differences of every pair are shifted to mean 0, the null hypothesis. The topics are resampled with replacement, the
    same topics for all pairs; the statistic of a resample is the largest abs(t) of all pairs, times 1 + 2/n for n
    topics. Then p = (#{largest >= abs(t)} + 1) / (trials + 1).

    Each pair keeps its own distribution, so differences may be skewed and variances unequal, unlike for
    `randomised_tukey`. The offset s_0, the same in all resamples, is for pairs of runs that differ on a few topics
    only: without it their t is almost infinite in every resample without these topics, and no other pair can be
    significant. With fewer than 40 topics the standard errors of resamples vary so much that a larger offset has more
    power. A pair compared alone has its own standard error as the offset, even if copies of its two runs are among the
    systems. The factor 1 + 2/n keeps the error rate with few topics.

    Parameters
    ----------
    scores : array-like, (..., topics, systems)
        At least two topics. Leading axes, such as metrics, share the resamples.
    baselines : sequence of int
        Indices of systems. If given, systems are compared with these only, and p is adjusted for these comparisons.
    trials, seed : int
        Number of resamples; their seed.
    indices : Replicates or array of int, (trials, topics), optional
        Explicit resamples.
    jobs : int or Workers, optional
        How many threads; the result does not depend on it.
    progress : callable, optional
        Called with the number of blocks of resamples done and their total.

    References
    ----------
    westfall1993, tusher2001

    Examples
    --------
    >>> draws = [[0, 0, 1], [0, 1, 2], [2, 2, 2]]
    >>> result = max_t([[2, 1], [4, 1], [3, 1]], indices=draws)  # differences 1, 3, 2: standard error 0.5774
    >>> result.scale.round(4), result.statistic.round(4)
    (array([1.1547]), array([1.7321]))
    >>> result.maxima.round(4), result.pvalue  # shifted to -1, 1, 0: means -1/3, 0, 0
    (array([0.4466, 0.    , 0.    ]), array([0.25]))
    """
    matrix = score_matrix(scores, topics=2)
    topics, systems = matrix.shape[-2:]
    replicates = replicates_or_default(indices, bootstrap_indices(topics, trials, seed), (topics,), "indices")
    flat = matrix.reshape(-1, topics, systems)
    pairs = compared_pairs(systems, baselines)
    means, zeros = flat.mean(axis=1), tolerance(flat, axes=2)[:, 0, 0]
    difference = means[:, pairs[0]] - means[:, pairs[1]]
    errors = standard_errors(flat, pairs)
    alone = [_is_one_pair(one, pairs, row, zero) for row, one, zero in zip(errors, flat, zeros, strict=True)]
    offset = np.array([error_offset(row, topics, alone=one) for row, one in zip(errors, alone, strict=True)])
    blocks = map_blocks(_largest, replicates, jobs, centred=flat - means[:, None], offset=offset, pairs=pairs)
    maxima = np.concatenate(list(reported(blocks, len(replicates), "resampling", progress)), axis=1)
    maxima *= small_sample_widening(topics)
    tied = np.abs(difference) <= zeros[:, None]
    scale = np.where(tied & (errors == 0.0), 0.0, errors + offset[:, None])
    size = np.divide(difference, scale, out=np.copysign(np.inf, difference), where=scale > 0.0)
    t = np.where(tied, 0.0, size)
    count = count_at_least(maxima, np.abs(t) * (1.0 - RELATIVE_TOLERANCE))
    p = (count + 1) / (replicates.trials + 1)
    t, p, difference, scale, maxima = (
        part.reshape(*matrix.shape[:-2], -1) for part in (t, p, difference, scale, maxima)
    )
    return MaxT(t, p, difference, scale, maxima, replicates.trials)


def error_offset(errors: Floats, topics: int, *, alone: bool) -> float:
    """Return the offset added to all standard errors: their median, times 40/n for several pairs and n < 40 topics.

    The 40 was chosen on real scores of 10 and more topics (docs/compare.md); the factor is at most 4.

    Parameters
    ----------
    errors : ndarray, (pairs,)
        Standard errors; zeros are ignored.
    topics : int
    alone : bool
        Whether these are errors of a single pair, or of copies of its two systems; then the factor is 1.

    Examples
    --------
    >>> several = np.array([0.0, 0.5, 1.0, 1.5])
    >>> [error_offset(several, topics, alone=False) for topics in (50, 10, 5)]
    [1.0, 4.0, 4.0]
    >>> error_offset(np.array([0.5]), 10, alone=True)
    0.5
    """
    spread = errors[errors > 0.0]
    if not len(spread):
        return 0.0
    return float(np.median(spread)) * (1.0 if alone else min(max(1.0, 40.0 / topics), 4.0))


def _is_one_pair(scores: Floats, pairs: tuple[NDArray[np.intp], ...], errors: Floats, zero: float) -> bool:
    """Whether all pairs with any spread have the same differences, up to sign and a constant.

    That holds for two systems and copies of them. For several different systems the first chunk of pairs decides.
    """
    first, second = (side[errors > 0.0] for side in pairs)
    one = scores[:, first[:1]] - scores[:, second[:1]]
    for some in pair_chunks(len(first)):
        others = scores[:, first[some]] - scores[:, second[some]]
        away = np.minimum(np.ptp(others - one, axis=0), np.ptp(others + one, axis=0))
        if (away > zero).any():
            return False
    return True


def small_sample_widening(topics: int) -> float:
    """Return the factor 1 + 2/n by which the maxima are multiplied for n topics.

    Residuals are smaller than errors, and a resample often lacks the few topics on which two systems differ most. The 2
    was chosen on real scores (docs/compare.md).

    Examples
    --------
    >>> small_sample_widening(50)
    1.04
    """
    return 1.0 + 2.0 / topics


def _largest(
    number: int, *, replicates: Replicates, centred: Floats, offset: Floats, pairs: tuple[NDArray[np.intp], ...]
) -> Floats:
    """The largest abs(t) of all pairs in each resample of a block, (metrics, resamples)."""
    topics = centred.shape[1]
    weights = sparse_weights(multiplicities(replicates.block(number), topics))
    largest = np.zeros((len(centred), weights.shape[0]))
    for row, one, own in zip(largest, centred, offset, strict=True):
        if own == 0.0:  # no difference has any spread
            continue
        means = np.asarray(weights @ one) / topics
        for some in pair_chunks(len(pairs[0])):
            first, second = pairs[0][some], pairs[1][some]
            # `take` is faster than indexing with an array.
            mean = np.take(means, first, axis=1) - np.take(means, second, axis=1)
            error = np.asarray(weights @ (np.take(one, first, axis=1) - np.take(one, second, axis=1)) ** 2)
            error /= topics
            error -= mean**2
            # Rounding may make a variance negative.
            np.sqrt(np.maximum(error, 0.0, out=error), out=error)
            error /= np.sqrt(topics - 1.0)
            error += own
            np.abs(mean, out=mean)
            mean /= error
            np.maximum(row, mean.max(axis=1), out=row)
    return largest
