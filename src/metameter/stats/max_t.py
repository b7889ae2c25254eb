"""Robust single-step max-t: which systems differ, with one error rate for all, also where variances differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.parallel import Progress, Workers, reported
from metameter.stats.checks import score_matrix, tolerance
from metameter.stats.comparisons import comparisons
from metameter.stats.explicit import replicates_or_default
from metameter.stats.replicates import map_blocks
from metameter.stats.resampled_t import observed_t
from metameter.stats.sign_flips import check_signs, sign_flips
from metameter.stats.sums import weighted_sums
from metameter.stats.tukey_result import count_at_least, discriminative_power

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from metameter.stats.checks import Floats
    from metameter.stats.replicates import Replicates

__all__ = ["MaxT", "max_t"]

_CELLS = 1 << 16  # pairs of one system x metrics x flips held at a time, to stay in the cache
_TIE = 1e-9  # sums that are equal on paper differ in their last digits; exact ties must count


@dataclass(frozen=True, eq=False)
class MaxT:
    """Result of `max_t`. Pairs are in the order of `comparisons`: (0,1), (0,2), ... where there is no baseline.

    Attributes
    ----------
    statistic : ndarray, (..., pairs)
        Studentised mean difference t; infinite if the difference is the same on every topic.
    pvalue : ndarray, (..., pairs)
        Adjusted for all pairs compared.
    mean_difference : ndarray, (..., pairs)
    maxima : ndarray, (..., trials)
        The largest abs(t) of each trial: what abs(t) is compared with.
    trials : int
    """

    statistic: Floats
    pvalue: Floats
    mean_difference: Floats
    maxima: Floats
    trials: int

    @property
    def pvalue_error(self) -> Floats:
        """Monte-Carlo standard error of each p-value, sqrt(p(1-p)/trials)."""
        return np.sqrt(self.pvalue * (1.0 - self.pvalue) / self.trials)

    def power(self, alpha: float = 0.05) -> Floats:
        """Discriminative power: the fraction of pairs with p < alpha."""
        return discriminative_power(self.pvalue, alpha)


def max_t(
    scores: ArrayLike,
    *,
    baselines: Sequence[int] = (),
    trials: int = 2000,
    seed: int = 0,
    flips: Replicates | ArrayLike | None = None,
    jobs: int | Workers | None = 1,
    progress: Progress | None = None,
) -> MaxT:
    """Find the pairs of systems that differ, with one error rate for all pairs, whatever their variances.

    If two systems are equally good, their difference on a topic might as well have had the other sign. In each trial
    every topic is given a sign, the same for all pairs, and the largest abs(t) of all pairs is noted. A t arises by
    chance with p = #{largest >= abs(t)} / trials. Differences are divided by their own standard errors, so noisy
    systems do not set the scale for quiet ones (Westfall and Young 1993), as they do in `randomised_tukey`.

    Parameters
    ----------
    scores : array-like, (..., topics, systems)
        At least two topics. Leading axes, such as metrics, share the flips.
    baselines : sequence of int
        Positions of systems: every system is compared with these only, and p is for these comparisons.
    trials, seed : int
        Number of random flips of the topics; their seed.
    flips : Replicates or array of int, (trials, topics), optional
        Explicit signs, 1 or -1; all 2^topics of them give the exact test.
    jobs : int or Workers, optional
        How many threads; the result does not depend on it.
    progress : callable, optional
        Told how many of how many blocks of flips are done.

    Examples
    --------
    >>> from itertools import product
    >>> signs = list(product((1, -1), repeat=3))
    >>> result = max_t([[2, 1], [4, 1], [3, 1]], flips=signs)  # differences 1, 3, 2: mean 2, standard deviation 1
    >>> result.statistic.round(4), result.pvalue  # the observed signs and their mirror image, 2 of 8
    (array([3.4641]), array([0.25]))
    """
    matrix = score_matrix(scores, topics=2)
    topics, systems = matrix.shape[-2:]
    first, second = comparisons(systems, baselines)
    replicates = replicates_or_default(flips, sign_flips(topics, trials, seed), (topics,), "flips")
    flat = matrix.reshape(-1, topics, systems)
    # Differences stay as they are without the means of the topics, and sums keep more of their digits.
    centred = flat - flat.mean(axis=-1, keepdims=True)
    shared: dict[str, Any] = {"values": np.ascontiguousarray(np.moveaxis(centred, 0, -1)), "inverse": _inverse(flat)}
    shared["starts"] = [(b, 0) for b in baselines] or [(i, i + 1) for i in range(systems - 1)]
    blocks = map_blocks(_largest, replicates, jobs, check=flips is not None, **shared)
    maxima = np.concatenate(list(reported(blocks, len(replicates), "flipping", progress)), axis=1)
    t, mean = _observed(flat, first, second)
    largest = _as_t(maxima + _TIE, topics)
    p = count_at_least(largest, np.abs(t)) / replicates.trials
    t, p, mean, largest = (part.reshape(*matrix.shape[:-2], -1) for part in (t, p, mean, largest))
    return MaxT(t, p, mean, largest, replicates.trials)


def _observed(matrix: Floats, first: Any, second: Any) -> tuple[Floats, Floats]:
    zeros = tolerance(matrix, axes=2)[:, 0, 0]
    t = [observed_t(one[:, first] - one[:, second], float(zero))[0] for one, zero in zip(matrix, zeros, strict=True)]
    means = matrix.mean(axis=1)
    return np.stack(t), means[:, first] - means[:, second]


def _inverse(matrix: Floats) -> Floats:
    """One over the root of the sum of squared differences, (systems, systems, metrics); 0 where all are zero.

    No flip changes a square, so abs(t) rises with abs(sum of flipped differences) times this.
    """
    rows = []
    for one, zero in zip(matrix, tolerance(matrix, axes=2)[:, 0, 0], strict=True):
        away = [np.abs(one - column[:, None]) for column in one.T]
        norms = np.stack([np.where(each.max(axis=0) > zero, np.sqrt((each**2).sum(axis=0)), np.inf) for each in away])
        rows.append(1.0 / norms)
    return np.stack(rows, axis=-1)


def _largest(
    number: int,
    *,
    replicates: Replicates,
    values: Floats,
    inverse: Floats,
    starts: list[tuple[int, int]],
    check: bool,
) -> Floats:
    """The largest abs(sum) / norm over the pairs of each system with all from a start on, (metrics, flips)."""
    flips = replicates.block(number)
    if check:
        check_signs(flips)
    topics, systems, metrics = values.shape
    sums = weighted_sums(flips, values.reshape(topics, -1)).T.reshape(systems, metrics, len(flips))
    largest = np.zeros(sums.shape[1:])
    step = max(1, _CELLS // (systems * len(flips)))
    for some in (slice(i, i + step) for i in range(0, metrics, step)):
        part, over = np.ascontiguousarray(sums[:, some]), inverse[:, :, some, None]
        for system, start in starts:
            away = np.abs(part[start:] - part[system])
            away *= over[system, start:]
            np.maximum(largest[some], away.max(axis=0), out=largest[some])
    return largest


def _as_t(share: Floats, topics: int) -> Floats:
    # Of n differences z, share = abs(sum z) / sqrt(sum z^2), which is sqrt(n) when all are equal.
    left = topics - share**2
    without = np.full_like(share, np.inf)
    return share * np.sqrt(np.divide(topics - 1.0, left, out=without, where=left > 0.0))
