"""P-values of many statistics from shared resamples, adjusted for all of them: max-|t|, stepping down."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from metameter.stats.checks import Floats

__all__ = ["adjusted_over_all"]

_ROUNDING = 1e-12


def adjusted_over_all(estimate: Floats, resampled: Floats, *, units: int) -> Floats:
    """Two-sided p-values of statistics that are 0 under the null, adjusted over all of them.

    The largest deviation from the mean over the resamples, in standard deviations, is what each statistic is held
    against; those that are decided first leave it to the others. They say what the intervals of `simultaneous` say that
    are widened by tail.

    Parameters
    ----------
    estimate : ndarray, (statistics,)
    resampled : ndarray, (resamples, statistics)
    units : int
        How many topics, pages or users the resamples are drawn from.

    Examples
    --------
    >>> draws = np.random.default_rng(0).normal(size=(999, 3))
    >>> adjusted_over_all(np.array([0.0, 2.0, 9.0]), draws, units=10_000).round(2)
    array([1.  , 0.08, 0.  ])
    """
    away = np.abs(resampled - resampled.mean(axis=0))
    deviation = resampled.std(axis=0, ddof=1)
    varies = deviation > _ROUNDING
    # What never varies is known; p is 1 / (resamples + 1) all the same, as small as it gets.
    pvalues = np.where(np.abs(estimate) > _ROUNDING, 1.0 / (len(resampled) + 1.0), 1.0)
    if not varies.any():
        return pvalues
    t = _as_normal(np.abs(estimate[varies]) / deviation[varies], units)
    order = np.argsort(-t, kind="stable")
    scaled = (away[:, varies] / deviation[varies])[:, order]
    largest_of_rest = np.maximum.accumulate(scaled[:, ::-1], axis=1)[:, ::-1]
    above = (largest_of_rest >= t[order]).sum(axis=0)
    stepped = np.maximum.accumulate((1.0 + above) / (len(resampled) + 1.0))
    own = np.empty_like(stepped)
    own[order] = stepped
    pvalues[varies] = own
    return pvalues


def _as_normal(t: Floats, units: int) -> Floats:
    """What a normal variable exceeds as rarely as t of so many units exceeds this: undoes `as_t`."""
    from scipy.special import ndtri, stdtr

    return -np.asarray(ndtri(stdtr(max(units - 1, 1), -t)))
