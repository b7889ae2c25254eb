"""Tests of the difference between two dependent correlations: of two metrics with the same labels.

They are derived for Pearson's r. For tau_b they are approximate: convert by r = sin(pi tau / 2) first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metameter.errors import MetameterError
from metameter.stats.checks import Interval
from metameter.stats.rank_correlation.correlation_intervals import correlation_interval


class CorrelationTest(NamedTuple):
    """A two-sided test of the difference between two correlations."""

    statistic: float
    pvalue: float


def williams(r12: float, r13: float, r23: float, n: int) -> CorrelationTest:
    """Return Williams' t with n - 3 degrees of freedom: whether variable 1 correlates differently with 2 and with 3.

    Parameters
    ----------
    r12, r13 : float
        The correlations compared; variable 1 is the labels.
    r23 : float
        The correlation between the two metrics.
    n : int
        The number of observations, at least 4.

    References
    ----------
    steiger1980

    Examples
    --------
    >>> result = williams(0.396, 0.179, 0.088, 66)
    >>> print(f"{result.statistic:.6f} {result.pvalue:.6f}")
    1.380949 0.172174
    """
    from scipy.special import stdtr

    determinant = _determinant(r12, r13, r23, n)
    if r12 == r13:
        return CorrelationTest(0.0, 1.0)
    middle = (r12 + r13) / 2.0
    below = 2.0 * (n - 1) / (n - 3) * determinant + middle**2 * (1.0 - r23) ** 3
    t = float((r12 - r13) * np.sqrt((n - 1) * (1.0 + r23) / below)) if below > 0 else float(np.sign(r12 - r13)) * np.inf
    return CorrelationTest(t, float(2.0 * stdtr(n - 3, -abs(t))))


def steiger(r12: float, r13: float, r23: float, n: int) -> CorrelationTest:
    """Return Steiger's Z (pooled, Fisher-transformed); arguments as for `williams`.

    Examples
    --------
    >>> print(f"{steiger(0.396, 0.179, 0.088, 66).statistic:.6f}")
    1.367773
    """
    _determinant(r12, r13, r23, n)
    if r12 == r13:
        return CorrelationTest(0.0, 1.0)
    middle = ((r12 + r13) / 2.0) ** 2
    psi = r23 * (1.0 - 2.0 * middle) - 0.5 * middle * (1.0 - 2.0 * middle - r23**2)
    covariance = psi / (1.0 - middle) ** 2
    return _normal(_atanh(r12) - _atanh(r13), np.sqrt((2.0 - 2.0 * covariance) / (n - 3)))


def zou_interval(r12: float, r13: float, r23: float, n: int, level: float = 0.95) -> Interval:
    """Return Zou's confidence interval of r12 - r13; arguments as for `williams`.

    References
    ----------
    zou2007

    Examples
    --------
    >>> print("{:.6f} {:.6f}".format(*zou_interval(0.396, 0.179, 0.088, 66)))
    -0.092902 0.516760
    """
    _determinant(r12, r13, r23, n)
    (low12, high12), (low13, high13) = (correlation_interval(r, n, "fisher", level) for r in (r12, r13))
    shared = (r23 - r12 * r13 / 2.0) * (1.0 - r12**2 - r13**2 - r23**2) + r23**3
    free = (1.0 - r12**2) * (1.0 - r13**2)
    c = shared / free if free > 0 else 0.0
    below, above = (r12 - low12, high13 - r13), (high12 - r12, r13 - low13)
    left, right = (np.sqrt(max(a**2 + b**2 - 2.0 * c * a * b, 0.0)) for a, b in (below, above))
    return Interval(float(r12 - r13 - left), float(r12 - r13 + right))


def fisher_independent(r1: float, r2: float, n1: int, n2: int | None = None) -> CorrelationTest:
    """Return Fisher's z test of two correlations from independent samples of sizes n1 and n2 (by default n1).

    For correlations with the same labels its p-value is wrong; use it only to reproduce published numbers.

    Examples
    --------
    >>> result = fisher_independent(0.362, 0.334, 7500)
    >>> print(f"{result.statistic:.3f} {result.pvalue:.4f}")
    1.951 0.0511
    """
    second = n1 if n2 is None else n2
    _determinant(r1, r2, 0.0, min(n1, second), joint=False)
    if r1 == r2:
        return CorrelationTest(0.0, 1.0)
    return _normal(_atanh(r1) - _atanh(r2), np.sqrt(1.0 / (n1 - 3) + 1.0 / (second - 3)))


def _determinant(r12: float, r13: float, r23: float, n: int, joint: bool = True) -> float:
    if not all(abs(r) <= 1.0 for r in (r12, r13, r23)):
        raise MetameterError(
            "a correlation is outside [-1, 1]", given=(r12, r13, r23), fix="Give correlation coefficients."
        )
    if n < 4:
        raise MetameterError(
            "too few observations", given=n, allowed="at least 4", fix="Give the number of items that were correlated."
        )
    determinant = 1.0 - r12**2 - r13**2 - r23**2 + 2.0 * r12 * r13 * r23
    if joint and determinant < -1e-9:
        raise MetameterError(
            "no three variables can have these correlations",
            given=(r12, r13, r23),
            fix="Compute all three on the same items.",
        )
    return max(determinant, 0.0)


def _atanh(r: float) -> float:
    return float(np.arctanh(r)) if abs(r) < 1.0 else float(np.copysign(np.inf, r))


def _normal(difference: float, error: float) -> CorrelationTest:
    from scipy.special import ndtr

    z = float(difference / error) if error > 0 else float(np.copysign(np.inf, difference))
    return CorrelationTest(z, float(2.0 * ndtr(-abs(z))))
