"""Consistency and power of metrics on shared resamples, and simultaneous intervals of their differences."""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.parallel import Progress, Workers
from metameter.stats.checks import Floats
from metameter.stats.consistency.resampled_metrics import (
    ResampledTaus,
    approximate_power,
    resampled_power,
    resampled_taus,
)
from metameter.stats.consistency.split_half import more_split_taus
from metameter.stats.intervals.simultaneous import critical_value, half_widths, normal_to_t, small_sample_factor
from metameter.stats.resampling.replicates import BLOCK

if TYPE_CHECKING:
    from collections.abc import Callable

    from metameter.stats.resampling.samples import Clusters, Resample


@dataclass(frozen=True, eq=False)
class MetricResamples:
    """Consistency and power of metrics on the observed topics, and on resampled ones shared by all metrics.

    Attributes
    ----------
    split_taus : ndarray, (splits, metrics)
        tau_b between halves of the observed topics; the mean over splits is the consistency.
    halves : ResampledTaus
        tau_b between halves of the resampled topics.
    observed_power : ndarray, (metrics,)
        By the normal approximation of the randomised Tukey HSD.
    power : ndarray, (resamples, metrics)
        The same on the resamples.
    """

    split_taus: Floats
    halves: ResampledTaus
    observed_power: Floats
    power: Floats

    @classmethod
    def of(
        cls,
        matrix: Floats,
        split_taus: Floats,
        halves: ResampledTaus,
        *,
        alpha: float,
        seed: int,
        power: Floats | None = None,
        jobs: int | Workers | None = 1,
        resample: Resample = "topics",
        clusters: Clusters | None = None,
    ) -> MetricResamples:
        """Combine the taus that `consistency` computed with the power on the same resamples.

        Parameters
        ----------
        matrix : ndarray, (metrics, topics, systems)
        split_taus : ndarray, (splits, metrics)
        halves : ResampledTaus
        alpha : float
            Level of the test behind power.
        seed : int
        power : ndarray, (resamples, metrics), optional
            Power computed before; computed here if missing or of another length.
        jobs, resample, clusters
            As for `resampled_power`.
        """
        count = len(halves.taus)
        if power is None or len(power) != count:
            power = halves.taus
            if count:
                power = resampled_power(
                    matrix, count, alpha=alpha, seed=seed, jobs=jobs, resample=resample, clusters=clusters
                )
        return cls(split_taus, halves, approximate_power(matrix, alpha), power)

    def extended(
        self,
        matrix: Floats,
        resamples: int,
        splits: int,
        *,
        alpha: float,
        seed: int,
        jobs: int | Workers | None = 1,
        progress: Progress | None = None,
        resample: Resample = "topics",
        clusters: Clusters | None = None,
    ) -> MetricResamples:
        """Return these resamples extended to more resamples and splits."""
        kept = len(self.power) // BLOCK
        rest = resampled_power(
            matrix, resamples, alpha=alpha, first=kept, seed=seed, jobs=jobs, resample=resample, clusters=clusters
        )
        halves = resampled_taus(
            matrix,
            resamples,
            known=self.halves,
            progress=progress,
            seed=seed,
            jobs=jobs,
            resample=resample,
            clusters=clusters,
        )
        return replace(
            self,
            split_taus=np.nan_to_num(more_split_taus(matrix, self.split_taus, splits, seed, jobs, progress)),
            halves=halves,
            power=np.concatenate([self.power[: kept * BLOCK], rest]),
        )

    def differences(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> tuple[Floats, Floats, Floats, Floats]:
        """Return differences of pairs of metrics in consistency, then in power, as `simultaneous_intervals` takes them.

        Returns
        -------
        estimate, resampled, noise, centre : ndarray
            The last axis has the differences of all pairs in consistency, then in power. Power is computed by a
            formula, so its ``noise`` and ``centre`` are 0.
        """
        each = self.split_taus[:, first] - self.split_taus[:, second]
        none = np.zeros(len(first))
        covariance = self.halves.noise
        noise = covariance[:, first, first] + covariance[:, second, second] - 2.0 * covariance[:, first, second]
        estimate = [each.mean(axis=0), self.observed_power[first] - self.observed_power[second]]
        resampled = [values[:, first] - values[:, second] for values in (self.halves.taus, self.power)]
        return (
            np.concatenate(estimate),
            np.concatenate(resampled, axis=1),
            np.concatenate([noise, np.zeros_like(noise)], axis=1),
            np.concatenate([each.var(axis=0, ddof=1) / len(each), none]),
        )


_ROUNDING = 1e-12
_BATCHES = 16  # of blocks of resamples, left out one after the other


@dataclass(frozen=True, eq=False)
class PairDifferences:
    """Differences of every two metrics in consistency and in power; arrays (2, metrics, metrics).

    Attributes
    ----------
    estimate : ndarray
        The metric of the row minus that of the column: consistency, then power.
    se : ndarray
        Standard errors for other topics.
    half : ndarray
        Half-widths of simultaneous intervals that tell whether two metrics differ; infinite with too few resamples for
        the level.
    half_any : ndarray
        Half-widths that hold for any hypothesis, as equivalence needs: where two metrics are not shown to differ, those
        of the first step.
    error : ndarray
        Monte-Carlo errors of the interval bounds.
    """

    estimate: Floats
    se: Floats
    half: Floats
    half_any: Floats
    error: Floats

    def beats(self, margin: float = 0.0, *, shift: Floats | float = 0.0, off: float = 0.0) -> NDArray[np.bool_]:
        """Whether a metric (row) significantly exceeds another (column) in one statistic, and is below it in neither.

        Parameters
        ----------
        margin : float
            If both intervals lie within plus or minus this, the metrics are equivalent: neither beats the other.
        shift : ndarray, (..., 2, metrics, metrics)
            Added to the estimates: the effect of other topics, systems or seeds.
        off : float
            Move the bounds by this many Monte-Carlo errors: if positive, against the metric of the row, which must
            exceed the other by more, and counts sooner as below it or equivalent to it; if negative, in its favour.

        Examples
        --------
        >>> apart = np.array([[[0.0, 0.3], [-0.3, 0.0]], [[0.0, 0.0], [0.0, 0.0]]])
        >>> PairDifferences(apart, apart, *np.full((2, 2, 2, 2), 0.1), apart * 0).beats()
        array([[False,  True],
               [False, False]])
        """
        estimate = self.estimate + shift
        moved = off * np.where(np.isfinite(self.half), self.error, 0.0) if off else 0.0
        outer, inner = self.half + moved, self.half - moved
        equivalent = self.half_any - np.where(np.isfinite(self.half_any), moved, 0.0)
        alike = (np.abs(estimate) + equivalent <= margin).all(axis=-3) if margin else False
        above = (estimate > outer + _ROUNDING).any(axis=-3)
        below = (-estimate > inner + _ROUNDING).any(axis=-3)
        return np.asarray(above & ~below & ~np.asarray(alike))

    def differs(self, margin: float = 0.0) -> NDArray[np.bool_]:
        """Whether two metrics differ significantly in consistency, and in power: (2, metrics, metrics)."""
        alike = (np.abs(self.estimate) + self.half_any <= margin).all(axis=0)
        return np.asarray((np.abs(self.estimate) > self.half + _ROUNDING) & ~alike)


def pair_differences(draws: MetricResamples, *, topics: int, alpha: float) -> PairDifferences:
    """Return the differences of every two metrics with simultaneous intervals; consistency and power are one family.

    The verdicts of `simultaneous_intervals` on all pairs, in memory for resamples x metrics, not resamples x pairs.

    Parameters
    ----------
    draws : MetricResamples
    topics : int
    alpha : float
        The familywise error rate.
    """
    resampled = (draws.halves.taus, draws.power)
    none = np.zeros((resampled[0].shape[1],) * 2)
    splits = draws.split_taus
    blocks = draws.halves.noise
    noise = (difference_variances(blocks.mean(axis=0)), none)
    centre = (difference_variances(np.atleast_2d(np.cov(splits.T)) / len(splits)), none)
    away = [each - each.mean(axis=0) for each in resampled]
    variance = [difference_variances(np.atleast_2d(np.cov(each.T))) for each in resampled]
    se = np.array([_error(*part) for part in zip(variance, noise, centre, strict=True)])
    estimate = np.array([_outer(splits.mean(axis=0)), _outer(draws.observed_power)])
    widen = partial(operator.mul, small_sample_factor(topics, alpha))
    steps: list[Floats] = []
    apart, critical = _stepping_down(list(estimate), list(se), away, variance, widen, alpha, steps)
    first = widen(critical_value(steps[0], alpha)) if steps else np.inf
    # A difference that varies in no resample, such as that of a metric from itself, has an interval of width 0.
    half, half_any = (
        np.where(np.array(variance) > _ROUNDING**2, half_widths(each, se), 0.0 if steps else np.inf)
        for each in (critical, np.where(apart, critical, first))
    )
    parts = []
    batches = np.array_split(np.arange(len(blocks)), min(_BATCHES, len(blocks)))
    rows = np.arange(len(away[0])) // BLOCK
    for batch in batches if len(away[0]) > BLOCK + 1 else []:
        kept = ~np.isin(rows, batch)
        own = [difference_variances(np.atleast_2d(np.cov(each[kept].T))) for each in away]
        less = (difference_variances(np.delete(blocks, batch, axis=0).mean(axis=0)), none)
        error = np.array([_error(*part) for part in zip(own, less, centre, strict=True)])
        c = {widen(critical_value(each, alpha)): widen(critical_value(each[kept], alpha)) for each in steps}
        moved = np.vectorize(lambda value, by=c: by.get(value, value), otypes=[float])(critical)
        parts.append(np.where(np.isfinite(moved), moved, 0.0) * error)
    spread = (len(parts) - 1) * np.var(parts, axis=0) if len(parts) > 1 else np.full_like(estimate, np.inf)
    return PairDifferences(estimate, se, half, half_any, np.sqrt(spread + np.array(centre)))


def _error(variance: Floats, noise: Floats, centre: Floats) -> Floats:
    """Standard errors, less the noise of the resamples' few splits, plus the noise of the estimate's own splits."""
    return np.asarray(np.sqrt(np.maximum(variance - noise, 0.0) + centre))


def differing_pairs(estimate: Floats, resampled: Floats, *, units: int, alpha: float) -> NDArray[np.bool_]:
    """Return which two of many estimates differ significantly, all pairs being one family: a symmetric matrix.

    Parameters
    ----------
    estimate : ndarray, (statistics,)
    resampled : ndarray, (resamples, statistics)
        Free of Monte-Carlo noise: all their variance is due to resampling.
    units : int
        The number of topics, pages or users that are resampled.
    alpha : float
        The familywise error rate.

    Examples
    --------
    >>> draws = np.random.default_rng(0).normal(size=(1000, 3))
    >>> differing_pairs(np.array([0.0, 0.5, 9.0]), draws, units=1000, alpha=0.05).astype(int)
    array([[0, 0, 1],
           [0, 0, 1],
           [1, 1, 0]])
    """
    if len(resampled) < 2:
        return np.zeros((len(estimate),) * 2, dtype=bool)
    variance = np.maximum(difference_variances(np.atleast_2d(np.cov(resampled.T))), 0.0)
    parts = [_outer(estimate)], [np.sqrt(variance)], [resampled - resampled.mean(axis=0)], [variance]
    return np.asarray(_stepping_down(*parts, partial(normal_to_t, units=units), alpha, [])[0][0])


def _stepping_down(
    estimate: list[Floats],
    error: list[Floats],
    away: list[Floats],
    variance: list[Floats],
    widen: Callable[[float], float],
    alpha: float,
    steps: list[Floats],
) -> tuple[NDArray[np.bool_], Floats]:
    """Which pairs differ in each statistic, and the critical value of each pair; rejected pairs leave the family.

    The largest deviations of every step, which give its critical value, are appended to ``steps``.
    """
    family = np.array([var > _ROUNDING**2 for var in variance])
    differs = np.zeros_like(family)
    critical = np.full(family.shape, np.inf)
    estimates, errors = np.array(estimate), np.array(error)
    while family.any():
        largest = np.maximum.reduce([_largest(*part) for part in zip(away, variance, family, strict=True)])
        c = widen(critical_value(largest, alpha))
        if not np.isfinite(c):  # too few resamples for the level
            break
        steps.append(largest)
        critical[family] = c
        decided = family & (np.abs(estimates) > c * errors)
        if not decided.any():
            break
        differs |= decided
        family &= ~decided
    return differs, critical


def _outer(values: Floats) -> Floats:
    return np.asarray(values[:, None] - values)


def difference_variances(covariance: Floats) -> Floats:
    """Return the variance of every difference, from the covariances."""
    own = np.diagonal(covariance)
    return np.asarray(own[:, None] + own - 2.0 * covariance)


def _largest(away: Floats, variance: Floats, family: NDArray[np.bool_]) -> Floats:
    """The largest deviation in every resample over the pairs in the family."""
    largest = np.zeros(len(away))
    for metric in range(away.shape[1]):
        others = np.nonzero(family[metric, metric + 1 :])[0] + metric + 1
        if len(others):
            apart = np.abs(away[:, [metric]] - away[:, others]) / np.sqrt(variance[metric, others])
            np.maximum(largest, apart.max(axis=1), out=largest)
    return largest
