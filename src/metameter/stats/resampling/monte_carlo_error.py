"""Monte-Carlo standard errors of p-values, quantiles and means, and the number of trials for a given precision."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metameter.errors import MetameterError
from metameter.stats.checks import Floats, check_count, check_number

_POINTS = 40

FINEST = 0.0005


def trials_for(until: float | None, trials: int, *, random: bool) -> int:
    """Return ``trials``, or the number that keeps the Monte-Carlo standard error of every p-value at most ``until``.

    A p-value from B trials has the standard error sqrt(p(1-p)/B), at most 1 / (2 sqrt(B)), so B follows from the
    precision alone. The results of the trials do not decide when to stop: stopping cannot favour a verdict.

    Parameters
    ----------
    until : float or None
    trials : int
        Used if ``until`` is None.
    random : bool
        Whether the test draws at random; if not, ``until`` is refused.

    Examples
    --------
    >>> trials_for(None, 2000, random=True), trials_for(0.005, 2000, random=True)
    (2000, 10000)
    """
    if until is None:
        return check_count(trials, "trials", 1 if random else 0)
    if not random:
        raise MetameterError(
            "this test draws no random samples, so it has no Monte-Carlo error",
            given=f"until={until}",
            fix="Leave until out.",
        )
    return math.ceil(0.25 / check_precision(until) ** 2 - 1e-9)


def check_precision(until: float) -> float:
    """Return a Monte-Carlo standard error within the supported range, refusing anything else.

    Examples
    --------
    >>> check_precision(0.005)
    0.005
    """
    fix = "Set until to a standard error (--until 0.005)."
    precision = check_number(until, "until", fix)
    if not FINEST <= precision < 1.0:
        most = f"{math.ceil(0.25 / FINEST**2):,} trials"
        allowed = f"{FINEST} ({most}) to below 1"
        raise MetameterError("the precision is out of range", given=until, allowed=allowed, fix=fix)
    return precision


def attainable(alpha: float, trials: int) -> bool:
    """Whether the smallest possible p-value of so many trials, 1 / (trials + 1), is below alpha.

    Examples
    --------
    >>> attainable(0.05, 19), attainable(0.05, 20)
    (False, True)
    """
    return alpha * (trials + 1) > 1.0 + 1e-9


def quantile_ranks(alpha: float, trials: int) -> tuple[int, int, int]:
    """Return the rank of the critical value, from the largest, and the ranks one standard error above and below it.

    A statistic strictly above the critical value has p = (b + 1) / (trials + 1) < alpha, where b of the values drawn
    are at least as large.

    Examples
    --------
    >>> quantile_ranks(0.05, 2000)  # 100, give or take sqrt(2000 * .05 * .95) = 9.7
    (100, 90, 110)
    """
    middle = max(1, math.ceil(alpha * (trials + 1) - 1e-9) - 1)
    step = math.ceil(math.sqrt(trials * alpha * (1.0 - alpha)))
    return middle, max(1, middle - step), min(trials, middle + step)


def required_ranges(ranges: Floats, alpha: float) -> Floats:
    """Return the critical range of each metric, and the values one Monte-Carlo standard error above and below it.

    The argument has the ranges (largest minus smallest mean) of all trials, (metrics, trials); the result is
    (metrics, 3). Critical ranges are infinite if the trials are too few for any p-value below alpha.

    Examples
    --------
    >>> required_ranges(np.array([[0.3, 0.1, 0.2, 0.4]]), 0.5)
    array([[0.3, 0.4, 0.2]])
    >>> required_ranges(np.array([[0.3, 0.1, 0.2, 0.4]]), 0.05)  # no p is below 1/5
    array([[inf, inf, inf]])
    """
    trials = ranges.shape[-1]
    if not attainable(alpha, trials):
        return np.full((len(ranges), 3), np.inf)
    falling = np.sort(ranges, axis=-1)[:, ::-1]
    return np.asarray(falling[:, np.array(quantile_ranks(alpha, trials)) - 1])


def required_with_error(ranges: Floats, alpha: float) -> tuple[Floats, Floats]:
    """Return, for ranges (metrics, trials), the critical range and its Monte-Carlo error; NaN if no range suffices.

    Examples
    --------
    >>> [part.round(3) for part in required_with_error(np.array([[0.3, 0.1, 0.2, 0.4]]), 0.5)]
    [array([0.3]), array([0.1])]
    """
    required, above, below = np.where(np.isfinite(bounds := required_ranges(ranges, alpha)), bounds, np.nan).T
    return required, (above - below) / 2.0


def mean_error(draws: ArrayLike) -> NDArray[np.float64]:
    """Return the standard error of the mean over the first axis of independent draws.

    Examples
    --------
    >>> float(mean_error([0.0, 1.0, 0.0, 1.0]).round(4))
    0.2887
    """
    values = np.asarray(draws, dtype=np.float64)
    return np.asarray(values.std(axis=0, ddof=1) / np.sqrt(len(values)))


def running_means(draws: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean of the first draws and its standard error, for increasing numbers of draws.

    Returns
    -------
    counts : ndarray of int, (points,)
        The numbers of draws; the last is all of them.
    means, errors : ndarray, (points, columns)

    Examples
    --------
    >>> count, mean, error = running_means(np.array([[0.0], [1.0], [2.0]]))
    >>> count, mean[:, 0], error[:, 0].round(4)
    (array([2, 3]), array([0.5, 1. ]), array([0.5   , 0.5774]))
    """
    total = len(draws)
    counts = np.unique(np.geomspace(min(20, total), total, _POINTS).round().astype(np.int64)) if total > 3 else None
    n = np.arange(2, total + 1) if counts is None else counts
    centre = draws.mean(axis=0)
    # Centred at the final mean, so that the squares do not cancel.
    away = draws - centre
    mean = np.cumsum(away, axis=0)[n - 1] / n[:, None]
    square = np.cumsum(away**2, axis=0)[n - 1] / n[:, None]
    variance = np.maximum(square - mean**2, 0.0) * (n / (n - 1))[:, None]
    return n, mean + centre, np.sqrt(variance / n[:, None])
