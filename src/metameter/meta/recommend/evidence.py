"""The numbers behind the verdicts: differences with intervals that hold all at once, drawn until they are clear."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.meta.recommend.references import Comparison
from metameter.meta.recommend.verdict import Case, Difference, Tau
from metameter.stats.checks import Floats
from metameter.stats.intervals.metric_pairs import MetricResamples
from metameter.stats.intervals.simultaneous import SimultaneousIntervals, simultaneous_intervals
from metameter.stats.proportional_metrics import first_proportional
from metameter.stats.rank_correlation.coefficients import coefficients_of_means
from metameter.stats.rank_correlation.correlation_intervals import fieller_bounds, simultaneous_lower_bounds

if TYPE_CHECKING:
    from metameter.parallel import Workers


#: Of the error rate, what the verdicts get; the rest is for the letters of the table of metrics.
VERDICTS_SHARE = 0.8


@dataclass(frozen=True, eq=False)
class Evidence:
    """The differences of all comparisons.

    Attributes
    ----------
    rows : list of Comparison
    taus : list of Tau
    identical : list of bool
    found : Simultaneous
        Differences in consistency of all rows, then in power.
    draws : MetricDraws
    """

    rows: list[Comparison]
    taus: list[Tau]
    identical: list[bool]
    found: SimultaneousIntervals
    draws: MetricResamples

    def case(self, number: int, *, similar: float, margin: float, row: bool = False) -> Case:
        """What the verdict on a row is made from: simultaneous intervals, or those of the row for itself."""
        consistency, power = (self.difference(number, part, row=row) for part in (0, 1))
        return Case(self.taus[number], consistency, power, self.identical[number], similar, margin)

    def difference(self, number: int, part: int, *, row: bool = False) -> Difference:
        """The difference of a row in consistency (0) or in power (1)."""
        place = number + part * len(self.rows)
        value = float(self.found.estimate[place])
        if not len(self.draws.power):
            return Difference(value)
        low, high = (float(end[place]) + 0.0 for end in self.found.ends(row=row))
        error = float((self.found.error_row if row else self.found.error)[place])
        # Too few resamples for the level: then nothing can be said. No difference lies beyond -1 or 1.
        if not np.isfinite([low, high]).all():
            return Difference(value)
        return Difference(value, max(low, min(-1.0, value)), min(high, max(1.0, value)), error)


def evidence(
    matrix: Floats,
    rows: Sequence[Comparison],
    draws: MetricResamples,
    *,
    units: int,
    alpha: float,
    row_alpha: float,
    case: dict[str, Any],
    most: int,
    drawn: dict[str, Any],
    progress: Callable[..., None] | None = None,
) -> Evidence:
    """The differences; as long as a verdict is a close call, half as many splits and resamples more, up to ``most``.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    rows : sequence of Comparison
    draws : MetricDraws
        Those made so far.
    units : int
        How many topics (or systems) the resamples are drawn from.
    alpha : float
        The familywise level of a study.
    row_alpha : float
        The level of a row for itself.
    case : dict
        ``similar``, ``margin``, and ``row`` if each row stands for itself.
    most : int
        How many resamples at most.
    drawn : dict
        How the draws are made: ``alpha``, ``seed``, ``jobs``, ...
    progress : callable, optional
    """
    taus = taus_of(matrix, rows, alpha=alpha, seed=drawn.get("seed", 0), jobs=drawn.get("jobs"))
    found = _judged(matrix, rows, taus, draws, units, alpha, row_alpha)
    step = max(len(draws.power) // 2, 1)
    while 0 < len(draws.power) < most and any(found.case(n, **case).close_call() for n in range(len(rows))):
        resamples = min(len(draws.power) + step, most)
        splits = round(len(draws.split_taus) * resamples / len(draws.power))
        draws = draws.extended(matrix, resamples, splits, progress=progress, **drawn)
        found = _judged(matrix, rows, taus, draws, units, alpha, row_alpha)
    return found


def _judged(
    matrix: Floats,
    rows: Sequence[Comparison],
    taus: list[Tau],
    draws: MetricResamples,
    units: int,
    alpha: float,
    row_alpha: float,
) -> Evidence:
    first, second = _sides(rows)
    multiples = first_proportional(matrix)
    parts = draws.differences(first, second)
    if len(draws.power) and len(rows):
        found = simultaneous_intervals(*parts, topics=units, alpha=VERDICTS_SHARE * alpha, row_alpha=row_alpha)
    else:
        none = np.zeros_like(parts[0])
        found = SimultaneousIntervals(parts[0], none, none, 0.0, none, none)
    identical = (multiples[first] == multiples[second]).tolist()
    return Evidence(list(rows), taus, identical, found, draws)


def _sides(rows: Sequence[Comparison]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    first, second = np.array([row[:2] for row in rows], dtype=np.intp).reshape(-1, 2).T
    return first, second


def taus_of(
    matrix: Floats,
    rows: Sequence[Comparison],
    *,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int | Workers | None = None,
) -> list[Tau]:
    """How alike pairs of metrics rank the systems: Fieller's interval of each, and a lower bound for all at once.

    Examples
    --------
    >>> matrix = np.array([[[0.1, 0.5, 0.8, 0.9, 0.95, 1.0]], [[0.2, 0.6, 0.7, 0.9, 1.0, 0.8]]])
    >>> tau = taus_of(matrix, [Comparison(0, 1, "by name")])[0]
    >>> round(tau.value, 2), round(tau.low, 2), round(tau.high, 2), tau.low_together
    (0.73, 0.02, 0.95, None)
    """
    if not rows:
        return []
    statistic = coefficients_of_means(*_sides(rows), "tau_b")
    estimates = statistic(matrix.mean(axis=1))
    ends = fieller_bounds(estimates, matrix.shape[2], "tau_b")
    lowest = simultaneous_lower_bounds(matrix, statistic, estimates, alpha=alpha, seed=seed, jobs=jobs)
    columns = (
        [None if np.isnan(value) else float(value) for value in each]
        for each in (estimates, ends["low"], ends["high"], lowest)
    )
    return [Tau(*each) for each in zip(*columns, strict=True)]
