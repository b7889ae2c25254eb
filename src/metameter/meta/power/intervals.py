"""Power on other topics or systems: resampled, and intervals around what was observed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.sampling import Sampling
from metameter.stats.convergence import power_error
from metameter.stats.pairs import Pairs
from metameter.stats.replicates import BLOCK
from metameter.stats.resampled_metrics import resampled_power
from metameter.stats.row_intervals import row_intervals
from metameter.types import Scores

if TYPE_CHECKING:
    from metameter.stats.checks import Floats

__all__ = ["RESAMPLED_TEST", "power_intervals", "powers_resampled"]

#: The test whose normal approximation is resampled. Width and centre of an interval must be of the same test.
RESAMPLED_TEST = "tukey-randomised"


def powers_resampled(scores: Scores, test: str, resamples: int, sampling: Sampling, **options: Any) -> Floats:
    """Power of every resample, (resamples, metrics); no rows where the test or the data do not allow it."""
    if test != RESAMPLED_TEST or not resamples or not sampling.enough:
        return np.empty((0, len(scores.metrics)))
    return resampled_power(scores.matrix, resamples, **sampling.options, **options)


def power_intervals(pairs: Pairs, alpha: float, resampled: Floats, units: int) -> dict[str, Floats]:
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
