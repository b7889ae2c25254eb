"""Intervals of the differences between systems, which agree with the test where such intervals exist."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from metameter.parallel import Workers
from metameter.stats.checks import system_pairs
from metameter.stats.pairs import TUKEY, Pairs
from metameter.stats.pairwise import critical_t, standard_errors
from metameter.stats.resampled_pairs import Resampled, resampled_pairs
from metameter.stats.resampling import bootstrap_indices
from metameter.stats.tukey_result import rank_of_alpha

if TYPE_CHECKING:
    from metameter.stats.checks import Floats

__all__ = ["describe_intervals", "pair_intervals"]


def pair_intervals(
    matrix: Floats,
    test: str,
    tested: Pairs,
    resampled: Floats,
    *,
    alpha: float,
    correction: str,
    family: int,
    seed: int,
    jobs: int | Workers | None = 1,
) -> tuple[Floats, Floats]:
    """Lower and upper ends for the difference of every pair, metrics x pairs.

    The interval leaves out 0 exactly when the test calls the pair different, for the Tukey tests (simultaneously for
    all pairs), the t test and the bootstrap, uncorrected or with the corrections that use one level for all pairs
    (bonferroni, sidak). The Wilcoxon and sign tests are not about means: theirs are percentiles over resampled topics.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    test : str
    tested : Pairs
        What the test says.
    resampled : ndarray, (resamples, metrics, systems)
        Means over resampled topics.
    alpha : float
    correction : str
    family : int
        How many pairs the correction is for.
    seed : int
    jobs : int or Workers, optional

    Examples
    --------
    >>> from metameter.stats.pair_tests import run_test
    >>> x = np.array([[[2.0, 1.0], [4.0, 1.0], [3.0, 1.0]]])
    >>> pairs = run_test(x, "t", trials=1, alpha=0.05, seed=0)
    >>> ends = pair_intervals(x, "t", pairs, x[:0], alpha=0.05, correction="none", family=1, seed=0)
    >>> [float(end[0, 0].round(3)) for end in ends]
    [-0.484, 4.484]
    """
    level = _per_pair(alpha, correction, family)
    if test in ("wilcoxon", "sign"):
        return _percentiles(resampled, level)
    if test in TUKEY:
        width = np.broadcast_to(tested.required[:, None], tested.difference.shape)
    elif test == "t":
        width = critical_t(level, matrix.shape[1]) * standard_errors(matrix)
    else:
        width = _studentised(matrix, level, tested.trials or 1, seed, jobs) * standard_errors(matrix)
    return tested.difference - width, tested.difference + width


def describe_intervals(test: str, alpha: float, correction: str) -> str:
    """What the intervals of the differences are, in one sentence.

    Examples
    --------
    >>> print(describe_intervals("tukey", 0.05, "none"))
    Intervals of differences hold for all pairs at once (95%): the difference plus or minus the required difference.
    """
    share = f"{100 * (1 - alpha):g}%"
    if test in TUKEY:
        return (
            f"Intervals of differences hold for all pairs at once ({share}): "
            "the difference plus or minus the required difference."
        )
    kind = {"t": "t intervals", "bootstrap": "studentised bootstrap intervals"}.get(
        test, "percentiles of the mean difference over resampled topics, since this test is not about means"
    )
    if correction in ("bonferroni", "sidak"):
        return f"Intervals of differences hold for all pairs at once ({share}, {correction}): {kind}."
    apart = "" if correction == "none" else f" (there are none for {correction})"
    return f"Intervals of differences are for each pair alone ({share}){apart}: {kind}."


def _per_pair(alpha: float, correction: str, family: int) -> float:
    if correction == "bonferroni":
        return alpha / family
    return -float(np.expm1(np.log1p(-alpha) / family)) if correction == "sidak" else alpha


def _percentiles(resampled: Floats, alpha: float) -> tuple[Floats, Floats]:
    first, second = system_pairs(resampled.shape[-1])
    ends = [
        np.quantile(means[:, first] - means[:, second], [alpha / 2.0, 1.0 - alpha / 2.0], axis=0)
        for means in np.moveaxis(resampled, 1, 0)
    ]
    low, high = np.stack(ends, axis=1)
    return low, high


def _studentised(matrix: Floats, alpha: float, trials: int, seed: int, jobs: int | Workers | None) -> Floats:
    """The abs(t) that the bootstrap test requires of each pair: the ceil(alpha * trials)-th largest one drawn."""
    indices = bootstrap_indices(matrix.shape[1], trials, seed)
    summary = partial(_required_t, rank=rank_of_alpha(alpha, trials))
    return np.asarray(resampled_pairs(matrix, indices, summary, jobs=jobs)[0])


def _required_t(some: Resampled, *, rank: int) -> Floats:
    return np.asarray(np.partition(some.extreme, -rank, axis=0)[-rank][None])
