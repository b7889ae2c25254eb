"""Kendall, Spearman, Pearson between two vectors: value, p-value, interval."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from metameter.errors import MetameterError, did_you_mean
from metameter.stats.checks import Floats, Interval, check_level


def _fieller_tau(r: Floats, n: int) -> Any:
    return 0.437 / (n - 4) if n > 4 else np.nan


def _fieller_rho(r: Floats, n: int) -> Any:
    return 1.06 / (n - 3) if n > 3 else np.nan


def _fisher(r: Floats, n: int) -> Any:
    return 1.0 / (n - 3) if n > 3 else np.nan


_VARIANCES = {
    "fieller_tau": _fieller_tau,
    "fieller_rho": _fieller_rho,
    "fisher": _fisher,
}


def correlation_interval(r: ArrayLike, n: int, method: str = "fieller_tau", level: float = 0.95) -> Interval:
    r"""Say how far from r the correlation may be, had other systems been drawn.

    .. math:: \tanh(\operatorname{atanh} r \mp z_{1-\alpha/2} \sqrt{v})

    Parameters
    ----------
    r : float or array
        Correlations in [-1, 1].
    n : int
        Number of systems (or pages) correlated.
    method : {"fieller_tau", "fieller_rho", "fisher"}
        v = 0.437/(n-4) for Kendall's tau, 1.06/(n-3) for Spearman's rho, 1/(n-3) for Pearson's r.
    level : float
        Confidence, 0.95.

    Returns
    -------
    Interval
        ``low``, ``high``. NaN when n is too small; (r, r) when abs(r) = 1.

    Notes
    -----
    The systems are treated as the random sample. `bootstrap_bounds` treats the topics as the random sample.

    References
    ----------
    fieller1957

    Examples
    --------
    >>> low, high = correlation_interval(0.784, 39)
    >>> print(f"{low:.3f} {high:.3f}")
    0.684 0.855
    """
    from scipy.special import ndtri

    if method not in _VARIANCES:
        raise MetameterError("unknown kind of interval", given=method, fix=did_you_mean(method, list(_VARIANCES)))
    values = np.asarray(r, dtype=np.float64)
    if (np.abs(values) > 1.0).any():
        outside = float(values[np.abs(values) > 1.0].flat[0])
        raise MetameterError("a correlation is outside [-1, 1]", given=outside, fix="Give correlation coefficients.")
    perfect = np.abs(values) == 1.0
    z = np.arctanh(np.where(perfect, 0.0, values))
    half = ndtri(0.5 + check_level(level, "level") / 2.0) * np.sqrt(_VARIANCES[method](values, n))
    bounds = (np.where(perfect & ~np.isnan(half), values, np.tanh(z + sign * half)) for sign in (-1.0, 1.0))
    return Interval(*(bound if bound.ndim else float(bound) for bound in bounds))
