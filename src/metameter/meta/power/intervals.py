"""Power on other topics or systems: resamples, intervals around the observed power, and which metrics differ."""

from __future__ import annotations

import numpy as np

from metameter.meta.framework.metric_names import is_diagnostic
from metameter.meta.framework.sampling import Sampling
from metameter.parallel import Workers
from metameter.stats.checks import Floats
from metameter.stats.consistency.resampled_metrics import approximate_power, resampled_power
from metameter.stats.intervals.rows import row_intervals
from metameter.stats.intervals.simultaneous import critical_value, simultaneous_intervals
from metameter.stats.resampling.replicates import BLOCK
from metameter.stats.significance.pair_tests import power_error
from metameter.stats.significance.pairs import PairTests
from metameter.types import Scores

#: The test whose normal approximation is resampled: an interval needs its centre and its width from the same test.
RESAMPLED_TEST = "tukey-randomised"


def powers_resampled(
    scores: Scores,
    test: str,
    resamples: int,
    sampling: Sampling,
    *,
    alpha: float,
    seed: int,
    jobs: int | Workers | None,
) -> Floats:
    """Return the power of every resample, (resamples, metrics); no rows where the test or the data do not allow it."""
    if test != RESAMPLED_TEST or not resamples or not sampling.enough:
        return np.empty((0, len(scores.metrics)))
    return resampled_power(
        scores.matrix,
        resamples,
        alpha=alpha,
        seed=seed,
        jobs=jobs,
        resample=sampling.resample,
        clusters=sampling.clusters,
    )


def power_intervals(pairs: PairTests, alpha: float, resampled: Floats, units: int) -> dict[str, Floats]:
    """95% intervals around the observed power: ``low``, ``high``, and their Monte-Carlo errors; NaN without resamples.

    Parameters
    ----------
    pairs : PairTests
        The results of the test.
    alpha : float
    resampled : ndarray, (resamples, metrics)
    units : int
        How many topics, or groups of systems, are resampled.
    """
    observed = (pairs.pvalue < alpha).mean(axis=-1)
    # Unlike tau over a few splits, the power of a resample has no Monte-Carlo noise to take out.
    nothing = np.zeros((-(-len(resampled) // BLOCK), resampled.shape[1]))
    rows = row_intervals(
        observed, resampled, nothing, np.nan_to_num(power_error(pairs, "none", alpha)) ** 2, units=units
    )
    return {name: np.clip(end, 0.0, 1.0) for name, end in rows.ends.items()} | rows.errors


def beaten_metrics(scores: Scores, alpha: float, resampled: Floats, units: int) -> dict[str, list[str]] | None:
    """Metric -> the metrics that are shown to separate fewer pairs; None without resamples, or with too few of them.

    The intervals of the differences hold for all pairs of metrics at once, diagnostics left out; an interval without
    zero shows a difference. Centre and width both come from the test's normal approximation.

    Parameters
    ----------
    scores : Scores
    alpha : float
        The level of the tests, and the chance that any two metrics are wrongly shown to differ.
    resampled : ndarray, (resamples, metrics)
    units : int
        How many topics, or groups of systems, are resampled.
    """
    if not np.isfinite(critical_value(resampled[:, 0], alpha)):
        return None
    every = np.array([not is_diagnostic(name) for name in scores.metrics]).nonzero()[0]
    if len(every) < 2:
        return {}
    first, second = (every[side] for side in np.triu_indices(len(every), 1))
    observed = approximate_power(scores.matrix, alpha)
    difference = observed[first] - observed[second]
    # Unlike tau over a few splits, the power of a resample has no Monte-Carlo noise to take out.
    none = np.zeros((-(-len(resampled) // BLOCK), len(first)))
    differences = resampled[:, first] - resampled[:, second]
    differs = simultaneous_intervals(difference, differences, none, none[0], topics=units, alpha=alpha).clear()
    beaten: dict[str, list[str]] = {}
    for pair in np.flatnonzero(differs):
        ahead, behind = (first, second) if difference[pair] > 0 else (second, first)
        beaten.setdefault(scores.metrics[ahead[pair]], []).append(scores.metrics[behind[pair]])
    return beaten
