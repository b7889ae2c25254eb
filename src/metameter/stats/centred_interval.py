"""An interval for other topics around what was observed on these."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from metameter.stats.bootstrap import percentile_interval
from metameter.stats.monte_carlo import bound_errors

if TYPE_CHECKING:
    from metameter.stats.checks import Floats

__all__ = ["centred_interval"]


def centred_interval(resampled: Floats, observed: Floats) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """The central 95% of the resampled values, moved onto the observed one; and the Monte-Carlo error of its ends.

    A resample holds about 63% of the topics: its halves agree less than those of all topics, and where two metrics
    lose unequally, their difference moves too. That shift is known and no uncertainty, so it is taken out.

    Parameters
    ----------
    resampled : ndarray, (resamples, values)
        Without resamples there is no interval: NaN.
    observed : ndarray, (values,)

    Returns
    -------
    ends, errors : dict of ndarray, (values,)
        ``low`` and ``high``; ``low_se`` and ``high_se``.

    Examples
    --------
    >>> ends, _ = centred_interval(np.arange(201.0)[:, None], np.array([0.0]))
    >>> ends["low"], ends["high"]
    (array([-95.]), array([95.]))
    """
    if not resampled.size:
        empty = np.full_like(observed, np.nan)
        return {"low": empty, "high": empty}, {"low_se": empty, "high_se": empty}
    shift = observed - resampled.mean(axis=0)
    low, high = percentile_interval(resampled)
    low_se, high_se = bound_errors(resampled)
    return {"low": low + shift, "high": high + shift}, {"low_se": low_se, "high_se": high_se}
