"""Tests of every system against baselines only, with one familywise error rate for these comparisons (Dunnett)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metameter.parallel import Progress, Workers, reported
from metameter.stats.checks import Floats, SystemPairs, score_matrix
from metameter.stats.distributions import dunnett_quantile, dunnett_tail
from metameter.stats.resampling.monte_carlo_error import required_with_error
from metameter.stats.resampling.replicates import map_blocks, replicates_or_default
from metameter.stats.resampling.samples import row_permutations
from metameter.stats.significance.anova import two_way_anova
from metameter.stats.significance.max_t import max_t
from metameter.stats.significance.pair_tests import (
    cohen_dz,
    hsd_effect,
    max_t_pair_tests,
    run_test,
    with_tolerance,
)
from metameter.stats.significance.pairs import PairTests, compared_pairs
from metameter.stats.significance.tukey import RandomisedTukey, check_permutations

if TYPE_CHECKING:
    from metameter.stats.resampling.replicates import Replicates


def against_baselines(
    matrix: Floats,
    test: str,
    baselines: Sequence[int],
    *,
    trials: int,
    alpha: float,
    seed: int,
    jobs: int | Workers | None = None,
    progress: Progress | None = None,
) -> PairTests:
    """Return the test of every system against each baseline; differences are system minus baseline.

    Tests with one error rate for all pairs have one error rate for these comparisons instead: the randomised Tukey HSD
    becomes `randomised_dunnett`, the classical one Dunnett's test (Bonferroni-corrected for the number of baselines),
    and max-t takes the largest t of these comparisons. Tests of each pair alone have the results of `run_test`. Memory
    and time grow with the number of comparisons, not of all pairs.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    test : str
    baselines : sequence of int
        Indices of systems.
    trials, seed : int
        As for `run_test`.
    alpha : float
        Level of the required difference.
    jobs : int or Workers, optional
    progress : callable, optional

    Examples
    --------
    >>> x = np.array([[[1.0, 2, 4], [2, 3, 4], [3, 5, 6], [4, 4, 7]]])
    >>> few = against_baselines(x, "tukey", [0], trials=0, alpha=0.05, seed=0)
    >>> few.difference, few.pvalue.round(3)
    (array([[1.  , 2.75]]), array([[0.074, 0.001]]))
    """
    pairs, workers = compared_pairs(matrix.shape[-1], baselines), Workers.of(jobs)
    if test == "tukey":
        tested = _dunnett(matrix, pairs, len(set(baselines)), alpha)
    elif test == "tukey-randomised":
        permuted = randomised_dunnett(matrix, baselines, trials=trials, seed=seed, jobs=workers, progress=progress)
        required, error = required_with_error(permuted.ranges, alpha)
        effect = hsd_effect(two_way_anova(matrix), pairs)
        tested = PairTests(permuted.statistic, effect, permuted.pvalue, required, error, trials, permuted.ranges)
    elif test == "max-t":
        result = max_t(matrix, baselines=baselines, trials=trials, seed=seed, jobs=workers, progress=progress)
        tested = max_t_pair_tests(result, cohen_dz(matrix, pairs), alpha)
    else:
        return run_test(
            matrix, test, trials=trials, alpha=alpha, seed=seed, pairs=pairs, jobs=workers, progress=progress
        )
    return with_tolerance(matrix, tested)


def _dunnett(matrix: Floats, pairs: SystemPairs, baselines: int, alpha: float) -> PairTests:
    anova = two_way_anova(matrix)
    difference, effect = anova.differences(pairs), hsd_effect(anova, pairs)
    others, df = anova.systems - 1, anova.df_residual
    # The effect is in residual standard deviations, which avoids dividing by a variance of zero.
    t = np.abs(effect) * np.sqrt(anova.topics / 2.0)
    pvalue = np.minimum(1.0, baselines * dunnett_tail(t, others, df))
    pvalue = np.where(np.abs(difference) <= anova.zero[:, None], 1.0, pvalue)
    critical = dunnett_quantile(alpha / baselines, others, df)
    required = np.maximum(critical * np.sqrt(2.0 * anova.ms_residual / anova.topics), anova.zero)
    return PairTests(difference, effect, pvalue, required, np.full(len(matrix), np.nan))


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
    """Return a randomised Dunnett test: which systems differ from the baselines, with one familywise error rate.

    The permutations are those of `randomised_tukey`; the statistic is the largest difference of a mean from that of a
    baseline. It is usually smaller than the range of all means, so smaller differences are significant. With two
    systems both tests are equal.

    Parameters
    ----------
    scores : array-like, (..., topics, systems)
        Any leading axes, such as metrics, are tested together on the same permutations.
    baselines : sequence of int
        Indices of systems.
    trials, seed, permutations, smooth, jobs, progress
        As for `randomised_tukey`.

    Returns
    -------
    RandomisedTukey
        For the pairs (system, baseline) in the order of `compared_pairs`; ``ranges`` are the largest differences.

    Examples
    --------
    >>> shuffles = [[[0, 1, 2], [0, 1, 2]], [[1, 0, 2], [2, 0, 1]]]
    >>> result = randomised_dunnett([[1, 2, 4], [3, 6, 5]], [0], permutations=shuffles)
    >>> result.statistic, result.ranges  # means 2, 4, 4.5; shuffled 3.5, 2, 5
    (array([2. , 2.5]), array([2.5, 1.5]))
    """
    matrix = score_matrix(scores)
    topics, systems = matrix.shape[-2:]
    pairs = compared_pairs(systems, baselines)
    default = row_permutations(topics, systems, trials, seed)
    replicates = replicates_or_default(permutations, default, (topics, systems), "permutations")
    values = np.ascontiguousarray(np.moveaxis(matrix.reshape(-1, topics, systems), 0, -1))
    columns = np.unique(pairs[1])
    blocks = map_blocks(_farthest, replicates, jobs, values=values, columns=columns, check=permutations is not None)
    parts = reported(blocks, len(replicates), "shuffling for the baselines", progress)
    h = np.concatenate(list(parts), axis=1).reshape(*matrix.shape[:-2], replicates.trials) / topics
    return RandomisedTukey.of(matrix, h, pairs, smooth=smooth)


def _farthest(number: int, *, replicates: Replicates, values: Floats, columns: NDArray[np.intp], check: bool) -> Floats:
    """The largest distance of any sum from that of a baseline, (metrics, permutations)."""
    permutations = replicates.block(number)
    if check:
        check_permutations(permutations, values.shape[1])
    sums = values[0][permutations[:, 0]]
    # Topics are added in the order of `randomised_tukey`: with two systems the bits are equal.
    for topic, scores in enumerate(values[1:], start=1):
        sums += scores[permutations[:, topic]]
    baseline = sums[:, columns]
    above, below = sums.max(axis=1, keepdims=True) - baseline, baseline - sums.min(axis=1, keepdims=True)
    return np.asarray(np.maximum(above, below).max(axis=1).T)
