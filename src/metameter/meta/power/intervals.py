"""Power on other topics or systems: resampled, intervals around what was observed, and which metrics differ."""

from __future__ import annotations

from typing import Any

import numpy as np

from metameter.meta.framework.sampling import Sampling
from metameter.stats.checks import Floats
from metameter.stats.consistency.resampled_metrics import approximate_power, resampled_power
from metameter.stats.intervals.rows import row_intervals
from metameter.stats.intervals.simultaneous import critical_value, simultaneous_intervals
from metameter.stats.resampling.replicates import BLOCK
from metameter.stats.significance.pair_tests import power_error
from metameter.stats.significance.pairs import PairTests
from metameter.types import Scores

#: The test whose normal approximation is resampled. Width and centre of an interval must be of the same test.
RESAMPLED_TEST = "tukey-randomised"


def powers_resampled(scores: Scores, test: str, resamples: int, sampling: Sampling, **options: Any) -> Floats:
    """Power of every resample, (resamples, metrics); no rows where the test or the data do not allow it."""
    if test != RESAMPLED_TEST or not resamples or not sampling.enough:
        return np.empty((0, len(scores.metrics)))
    return resampled_power(scores.matrix, resamples, **sampling.options, **options)


def power_intervals(pairs: PairTests, alpha: float, resampled: Floats, units: int) -> dict[str, Floats]:
    """95% intervals around the observed power: ``low``, ``high``, and their Monte-Carlo errors; NaN without resamples.

    Parameters
    ----------
    pairs : Pairs
        As the test found them.
    alpha : float
    resampled : ndarray, (resamples, metrics)
    units : int
        How many topics, or groups of systems, are drawn.
    """
    observed = (pairs.pvalue < alpha).mean(axis=-1)
    # Unlike tau over a few splits, the power of a resample has no chance in it: there is nothing to take out.
    nothing = np.zeros((-(-len(resampled) // BLOCK), resampled.shape[1]))
    rows = row_intervals(
        observed, resampled, nothing, np.nan_to_num(power_error(pairs, "none", alpha)) ** 2, units=units
    )
    return {name: np.clip(end, 0.0, 1.0) for name, end in rows.ends.items()} | rows.errors


def beaten_metrics(scores: Scores, alpha: float, resampled: Floats, units: int) -> dict[str, list[str]] | None:
    """Metric -> the metrics that are shown to separate fewer pairs; None without resamples, or with too few of them.

    Intervals of the differences between all pairs of metrics hold at once; one that leaves out zero shows a difference.
    Centre and width are both of the test's normal approximation.

    Parameters
    ----------
    scores : Scores
    alpha : float
        The level of the tests, and the chance that any two metrics are wrongly shown to differ.
    resampled : ndarray, (resamples, metrics)
    units : int
        How many topics, or groups of systems, are drawn.
    """
    if not np.isfinite(critical_value(resampled[:, 0], alpha)):
        return None
    if len(scores.metrics) < 2:
        return {}
    first, second = np.triu_indices(len(scores.metrics), 1)
    observed = approximate_power(scores.matrix, alpha)
    difference = observed[first] - observed[second]
    # Unlike tau over a few splits, the power of a resample has no chance in it: there is nothing to take out.
    none = np.zeros((-(-len(resampled) // BLOCK), len(first)))
    drawn = resampled[:, first] - resampled[:, second]
    shown = simultaneous_intervals(difference, drawn, none, none[0], topics=units, alpha=alpha).clear()
    beaten: dict[str, list[str]] = {}
    for pair in np.flatnonzero(shown):
        ahead, behind = (first, second) if difference[pair] > 0 else (second, first)
        beaten.setdefault(scores.metrics[ahead[pair]], []).append(scores.metrics[behind[pair]])
    return beaten
