"""The numbers behind the verdicts: differences with simultaneous intervals, with more draws while a call is close."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.meta.recommend.references import Comparison
from metameter.meta.recommend.verdict import Assessment, Criteria, Difference, Tau
from metameter.stats.checks import Floats
from metameter.stats.intervals.metric_pairs import MetricResamples
from metameter.stats.intervals.simultaneous import SimultaneousIntervals, simultaneous_intervals
from metameter.stats.proportional_metrics import first_proportional
from metameter.stats.rank_correlation.coefficients import coefficients_of_means
from metameter.stats.rank_correlation.correlation_intervals import fieller_bounds, simultaneous_lower_bounds

if TYPE_CHECKING:
    from metameter.meta.framework.sampling import Sampling
    from metameter.parallel import Workers


# The share of the error rate that the verdicts use; the letters in the table of metrics use the rest.
_VERDICTS_SHARE = 0.8


@dataclass(frozen=True, eq=False)
class Design:
    """How metrics are compared.

    Attributes
    ----------
    criteria : Criteria
    sampling : Sampling
        What is resampled.
    alpha : float
        The level of each row alone, and of the test behind power.
    study_alpha : float
        The familywise level of all statements.
    seed : int
    jobs : Workers
    """

    criteria: Criteria
    sampling: Sampling
    alpha: float
    study_alpha: float
    seed: int
    jobs: Workers

    @property
    def level(self) -> str:
        """Which intervals decide: ``row``, those of each row alone, or ``study``, those that hold all at once."""
        return "row" if self.criteria.by_row else "study"

    @property
    def verdict_alpha(self) -> float:
        """The familywise level of the verdicts."""
        return _VERDICTS_SHARE * self.study_alpha

    @property
    def letter_alpha(self) -> float:
        """The familywise level of the letters in the table of metrics."""
        return self.study_alpha - _VERDICTS_SHARE * self.study_alpha


@dataclass(frozen=True, eq=False)
class ComparisonIntervals:
    """The differences of all comparisons.

    Attributes
    ----------
    comparisons : list of Comparison
    taus : list of Tau
    identical : list of bool
    intervals : SimultaneousIntervals
        Differences in consistency of all comparisons, then in power.
    draws : MetricResamples
    """

    comparisons: list[Comparison]
    taus: list[Tau]
    identical: list[bool]
    intervals: SimultaneousIntervals
    draws: MetricResamples

    def assessment(self, number: int, criteria: Criteria) -> Assessment:
        """Return what the verdict on one comparison follows from."""
        consistency, power = (self.difference(number, part, by_row=criteria.by_row) for part in (0, 1))
        return Assessment(
            self.taus[number], consistency, power, self.identical[number], criteria.similar, criteria.margin
        )

    def difference(self, number: int, part: int, *, by_row: bool = False) -> Difference:
        """Return the difference of one comparison in consistency (part 0) or in power (part 1)."""
        index = number + part * len(self.comparisons)
        value = float(self.intervals.estimate[index])
        if not len(self.draws.power):
            return Difference(value)
        low, high = (float(end[index]) + 0.0 for end in self.intervals.ends(row=by_row))
        error = float((self.intervals.error_row if by_row else self.intervals.error)[index])
        # With too few resamples for the level there is no interval. No difference lies beyond -1 or 1.
        if not np.isfinite([low, high]).all():
            return Difference(value)
        return Difference(value, max(low, min(-1.0, value)), min(high, max(1.0, value)), error)


def comparison_intervals(
    matrix: Floats,
    comparisons: Sequence[Comparison],
    draws: MetricResamples,
    design: Design,
    *,
    most: int,
    progress: Callable[..., None] | None = None,
) -> ComparisonIntervals:
    """Return the differences; while a verdict is a close call, draw half as many splits and resamples more.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    comparisons : sequence of Comparison
    draws : MetricResamples
        The first draws.
    design : Design
    most : int
        The largest number of resamples.
    progress : callable, optional
    """
    taus = taus_of(matrix, comparisons, alpha=design.study_alpha, seed=design.seed, jobs=design.jobs)
    result = _with_intervals(matrix, comparisons, taus, draws, design)
    step = max(len(draws.power) // 2, 1)
    while 0 < len(draws.power) < most and _has_close_call(result, design.criteria):
        resamples = min(len(draws.power) + step, most)
        splits = round(len(draws.split_taus) * resamples / len(draws.power))
        draws = draws.extended(
            matrix,
            resamples,
            splits,
            alpha=design.alpha,
            seed=design.seed,
            jobs=design.jobs,
            progress=progress,
            resample=design.sampling.resample,
            clusters=design.sampling.clusters,
        )
        result = _with_intervals(matrix, comparisons, taus, draws, design)
    return result


def _has_close_call(result: ComparisonIntervals, criteria: Criteria) -> bool:
    return any(result.assessment(number, criteria).close_call() for number in range(len(result.comparisons)))


def _with_intervals(
    matrix: Floats, comparisons: Sequence[Comparison], taus: list[Tau], draws: MetricResamples, design: Design
) -> ComparisonIntervals:
    first, second = _sides(comparisons)
    multiples = first_proportional(matrix)
    differences = draws.differences(first, second)
    if len(draws.power) and len(comparisons):
        intervals = simultaneous_intervals(
            *differences, topics=design.sampling.units, alpha=design.verdict_alpha, row_alpha=design.alpha
        )
    else:
        none = np.zeros_like(differences[0])
        intervals = SimultaneousIntervals(differences[0], none, none, 0.0, none, none)
    identical = (multiples[first] == multiples[second]).tolist()
    return ComparisonIntervals(list(comparisons), taus, identical, intervals, draws)


def _sides(comparisons: Sequence[Comparison]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    first, second = np.array([each[:2] for each in comparisons], dtype=np.intp).reshape(-1, 2).T
    return first, second


def taus_of(
    matrix: Floats,
    comparisons: Sequence[Comparison],
    *,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int | Workers | None = None,
) -> list[Tau]:
    """Return tau for pairs of metrics: Fieller's interval of each, and a lower bound that holds for all at once.

    Examples
    --------
    >>> matrix = np.array([[[0.1, 0.5, 0.8, 0.9, 0.95, 1.0]], [[0.2, 0.6, 0.7, 0.9, 1.0, 0.8]]])
    >>> tau = taus_of(matrix, [Comparison(0, 1, "by name")])[0]
    >>> round(tau.value, 2), round(tau.low, 2), round(tau.high, 2), tau.low_together
    (0.73, 0.02, 0.95, None)
    """
    if not comparisons:
        return []
    statistic = coefficients_of_means(*_sides(comparisons), "tau_b")
    estimates = statistic(matrix.mean(axis=1))
    ends = fieller_bounds(estimates, matrix.shape[2], "tau_b")
    lowest = simultaneous_lower_bounds(matrix, statistic, estimates, alpha=alpha, seed=seed, jobs=jobs)
    columns = (
        [None if np.isnan(value) else float(value) for value in each]
        for each in (estimates, ends["low"], ends["high"], lowest)
    )
    return [Tau(*each) for each in zip(*columns, strict=True)]
