"""Random-effects meta-analysis of a difference over few collections."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from metameter.stats.checks import check_level


class Pooled(NamedTuple):
    """A difference pooled over collections.

    Attributes
    ----------
    estimate, low, high : float
        The mean over collections and its interval, for other collections of this kind.
    between : float
        The standard deviation of the true differences between collections.
    collections : int
    """

    estimate: float
    low: float
    high: float
    between: float
    collections: int


def random_effects(estimates: list[float], errors: list[float], alpha: float = 0.05) -> Pooled | None:
    r"""Pool the differences of several collections by a random-effects model.

    The variance between collections is the Paule-Mandel estimate: with it, the weighted sum of squares about the mean
    equals its degrees of freedom. The interval is Hartung and Knapp's, by t with k - 1 degrees of freedom, and never
    narrower than with known weights (Röver et al. 2015); other intervals are too narrow for k = 2 to 5 collections.

    Parameters
    ----------
    estimates, errors : list of float
        The difference and its standard error in each collection.
    alpha : float
        One minus the confidence of the interval.

    Returns
    -------
    Pooled or None
        None for fewer than two collections, or if an error is 0.

    References
    ----------
    paule1982, hartung2001, roever2015

    Examples
    --------
    >>> same = random_effects([0.10, 0.10, 0.10], [0.02, 0.02, 0.02])
    >>> round(same.estimate, 3), round(same.low, 3), same.between
    (0.1, 0.05, 0.0)
    >>> round(random_effects([0.0, 0.2, 0.1], [0.02, 0.02, 0.02]).between, 3)
    0.098
    """
    from scipy.special import stdtrit

    values, squares = np.asarray(estimates, dtype=np.float64), np.asarray(errors, dtype=np.float64) ** 2
    count = len(values)
    check_level(alpha)
    if count < 2 or not (squares > 0).all():
        return None
    between = _paule_mandel(values, squares)
    weights = 1.0 / (squares + between)
    mean = float((weights * values).sum() / weights.sum())
    scatter = float((weights * (values - mean) ** 2).sum()) / (count - 1)
    half = float(-stdtrit(count - 1, alpha / 2.0)) * math.sqrt(max(scatter, 1.0) / float(weights.sum()))
    return Pooled(mean, mean - half, mean + half, math.sqrt(between), count)


def _paule_mandel(values: np.ndarray, squares: np.ndarray) -> float:
    """The variance between collections; 0 if the estimates vary less than their errors imply."""

    def excess(between: float) -> float:
        weights = 1.0 / (squares + between)
        mean = (weights * values).sum() / weights.sum()
        return float((weights * (values - mean) ** 2).sum()) - (len(values) - 1)

    if excess(0.0) <= 0.0:
        return 0.0
    low, high = 0.0, float(np.var(values) * len(values)) + float(squares.max())
    while excess(high) > 0.0:
        high *= 2.0
    for _ in range(200):
        middle = (low + high) / 2.0
        low, high = (middle, high) if excess(middle) > 0.0 else (low, middle)
    return (low + high) / 2.0
