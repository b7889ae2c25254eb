"""How power and the required difference converged: their values after fewer trials, and their Monte-Carlo errors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.parallel import Workers
from metameter.stats.checks import Floats
from metameter.stats.resampling.monte_carlo_error import required_ranges
from metameter.stats.tests.pair_tests import run_test
from metameter.stats.tests.pairs import Pairs, corrected

_POINTS = 24
_AFFORDABLE = 20_000_000  # bootstrap samples x pairs x metrics, a few seconds


def convergence(
    matrix: Floats, tested: Pairs, correction: str, alpha: float, seed: int, jobs: int | Workers | None
) -> dict[str, NDArray[Any]] | None:
    """Power and required difference after fewer trials and after all; None if nothing is random or it would take long.

    The bootstrap test keeps no record of its samples: it is run again with an eighth, a quarter and a half of them,
    unless that would take long.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    tested : Pairs
        What `run_test` said of it.
    correction : str
    alpha : float
    seed : int
        As for `run_test`.
    jobs : int or Workers, optional

    Returns
    -------
    dict or None
        As `ranges_convergence` gives it.

    Examples
    --------
    >>> matrix = np.array([[[0.0, 1.0], [0.0, 1.0], [0.1, 1.0]]])
    >>> tested = run_test(matrix, "bootstrap", trials=80, alpha=0.05, seed=0)
    >>> convergence(matrix, tested, "none", 0.05, seed=0, jobs=1)["trials"].tolist()
    [10, 20, 40, 80]
    """
    if tested.trials is None:
        return None
    if tested.ranges is not None:
        return ranges_convergence(tested.ranges, tested.statistic, tested.zero, alpha)
    if tested.pvalue.size * tested.trials > _AFFORDABLE:
        return None
    counts = sorted({max(1, tested.trials // part) for part in (8, 4, 2)} - {tested.trials})
    runs = [run_test(matrix, "bootstrap", trials=n, alpha=alpha, seed=seed, jobs=jobs) for n in counts]
    return _by_run([*runs, tested], correction, alpha)


def _by_run(runs: list[Pairs], correction: str, alpha: float) -> dict[str, NDArray[Any]]:
    return {
        "trials": np.array([run.trials for run in runs]),
        "power": np.stack([(corrected(run.pvalue, correction) < alpha).mean(axis=-1) for run in runs], axis=-1),
        "power_error": np.stack([power_error(run, correction, alpha) for run in runs], axis=-1),
        "required_difference": np.stack([run.required for run in runs], axis=-1),
        "required_difference_error": np.stack([run.required_error for run in runs], axis=-1),
    }


def ranges_convergence(
    ranges: Floats, difference: Floats, tolerance: Floats | float, alpha: float, points: int = _POINTS
) -> dict[str, NDArray[Any]]:
    """Power and required difference of the randomised Tukey HSD after its first trials, with Monte-Carlo errors.

    Parameters
    ----------
    ranges : ndarray, (metrics, trials)
    difference : ndarray, (metrics, pairs)
        What is compared with the ranges: for max-t the differences divided by their scale.
    tolerance : ndarray, (metrics, 1)
    alpha : float
    points : int
        At how many numbers of trials to look; the last is all of them.

    Returns
    -------
    dict
        ``trials`` (points,), and (metrics, points) each: ``power``, ``power_error``, ``required_difference``,
        ``required_difference_error``.

    Examples
    --------
    >>> result = ranges_convergence(np.array([[0.3, 0.1, 0.2, 0.4]]), np.array([[0.5, 0.1]]), 0.0, 0.25)
    >>> result["trials"], result["required_difference"], result["power"]
    (array([4]), array([[0.4]]), array([[0.5]]))
    """
    total = ranges.shape[-1]
    counts = np.unique(np.geomspace(total, min(64, total), points).round().astype(np.int64))
    distances = np.sort(np.abs(difference) - tolerance, axis=-1)
    needed = np.stack([required_ranges(ranges[:, :count], alpha) for count in counts], axis=1)
    shares = np.stack([_share_above(row, bounds) for row, bounds in zip(distances, needed, strict=True)])
    # Of few topics the t required may be infinite.
    needed = np.where(np.isfinite(needed), needed, np.nan)
    error = (needed[..., 1] - needed[..., 2]) / 2.0
    return {
        "trials": counts,
        "power": shares[..., 0],
        "power_error": (shares[..., 2] - shares[..., 1]) / 2.0,
        "required_difference": needed[..., 0],
        "required_difference_error": np.where(error <= tolerance, 0.0, error),
    }


def _share_above(rising: Floats, bounds: Floats) -> Floats:
    return np.asarray((len(rising) - np.searchsorted(rising, bounds, side="right")) / len(rising))


def power_error(tested: Pairs, correction: str, alpha: float) -> Floats:
    """Monte-Carlo error of power: half of its change when the p-values move by one standard error up or down.

    Examples
    --------
    >>> p = np.array([[0.04, 0.06, 0.5, 0.001]])
    >>> pairs = Pairs(p, p, p, p[:, 0], p[:, 0], trials=100)  # sqrt(.05 * .95 / 100) = .022
    >>> power_error(pairs, "none", 0.05)  # between 1 and 3 of the 4
    array([0.25])
    """
    if tested.trials is None:
        return np.full(len(tested.pvalue), np.nan)
    if tested.ranges is not None:
        last = ranges_convergence(tested.ranges, tested.statistic, tested.zero, alpha, points=1)
        return np.asarray(last["power_error"][:, 0])
    error = tested.pvalue_error
    moved = (corrected(np.clip(tested.pvalue + shift, 0.0, 1.0), correction) < alpha for shift in (-error, error))
    more, fewer = (verdicts.mean(axis=-1) for verdicts in moved)
    return np.asarray((more - fewer) / 2.0)
