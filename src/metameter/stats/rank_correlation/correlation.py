"""Kendall, Spearman, Pearson between two vectors: value, p-value, interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from metameter.errors import MetameterError, did_you_mean
from metameter.stats.checks import Floats, Interval, as_finite, check_level
from metameter.stats.rank_correlation.kendall import tau_a, tau_b
from metameter.stats.ties import average_ranks, tied_codes

_INTERVAL = {"tau_a": "fieller_tau", "tau_b": "fieller_tau", "spearman": "fieller_rho", "pearson": "fisher"}


@dataclass(frozen=True)
class Correlation:
    """A correlation between two vectors of ``n`` scores.

    Attributes
    ----------
    statistic, pvalue : float
        The coefficient; two-sided p of no association. NaN when a vector is constant.
    n : int
    kind : {"tau_a", "tau_b", "spearman", "pearson"}
    """

    statistic: float
    pvalue: float
    n: int
    kind: str

    def confidence_interval(self, level: float = 0.95, method: str | None = None) -> Interval:
        """Return the interval of `correlation_interval`; by default Fieller's for tau and rho, Fisher's for r."""
        return correlation_interval(self.statistic, self.n, method or _INTERVAL[self.kind], level)


def kendall(x: ArrayLike, y: ArrayLike, variant: str = "b") -> Correlation:
    """Compare two orders by Kendall's tau, with its p-value.

    The p-value is exact without ties for n <= 33 (or at most one discordance), otherwise normal with tie correction.

    Parameters
    ----------
    x, y : array-like, (n,)
    variant : {"b", "a"}

    Examples
    --------
    >>> kendall([1, 2, 3, 4], [1, 2, 4, 3])
    Correlation(statistic=0.6666666666666666, pvalue=0.3333333333333333, n=4, kind='tau_b')
    """
    if variant not in ("a", "b"):
        raise MetameterError(
            "unknown variant of Kendall's tau",
            given=variant,
            allowed="'a' or 'b'",
            fix="Use 'b', which allows for ties.",
        )
    first, second = _vectors(x, y)
    statistic = (tau_b if variant == "b" else tau_a)(first, second)
    return Correlation(statistic, _kendall_pvalue(first, second, statistic), len(first), f"tau_{variant}")


def _kendall_pvalue(x: Floats, y: Floats, statistic: float) -> float:
    from scipy.stats import kendalltau

    # On codes, so that what is tied for the statistic is tied for its p-value.
    return float(kendalltau(tied_codes(x), tied_codes(y)).pvalue) if np.isfinite(statistic) else np.nan


def spearman(x: ArrayLike, y: ArrayLike) -> Correlation:
    """Compare two orders by Spearman's rho: Pearson's r of the ranks, ties averaged.

    Examples
    --------
    >>> round(spearman([1, 2, 3, 4], [1, 2, 4, 3]).statistic, 6)  # 1 - 6 * 2 / (4 * 15)
    0.8
    """
    first, second = _vectors(x, y)
    return _product_moment(average_ranks(first), average_ranks(second), "spearman")


def pearson(x: ArrayLike, y: ArrayLike) -> Correlation:
    """Compare two vectors by Pearson's r: how well a rising line fits.

    Examples
    --------
    >>> round(pearson([0, 1, 2], [0, 2, 1]).statistic, 6)
    0.5
    """
    return _product_moment(*_vectors(x, y), "pearson")


def _vectors(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    first, second = as_finite(x, "x"), as_finite(y, "y")
    if first.shape != second.shape or first.ndim != 1:
        raise MetameterError(
            "x and y are not vectors of one length",
            given=(first.shape, second.shape),
            fix="Give two lists with one score for each item.",
        )
    return first, second


def _product_moment(x: Floats, y: Floats, kind: str) -> Correlation:
    n = len(x)
    if n < 2 or not (tied_codes(x).any() and tied_codes(y).any()):
        return Correlation(np.nan, np.nan, n, kind)
    x, y = (_unit(vector) for vector in (x, y))
    r = float(np.clip((x * y).sum(), -1.0, 1.0))
    return Correlation(r, _t_pvalue(r, n - 2), n, kind)


def _unit(vector: Floats) -> Floats:
    # Scaled before squaring: tiny or huge scores neither under- nor overflow.
    centred = vector - vector.mean()
    centred = centred / np.abs(centred).max()
    return np.asarray(centred / np.sqrt((centred**2).sum()))


def _t_pvalue(r: float, df: int) -> float:
    from scipy.special import stdtr

    if df < 1:
        return np.nan
    t = np.inf if abs(r) == 1.0 else abs(r) * np.sqrt(df / ((1.0 - r) * (1.0 + r)))
    return float(2.0 * stdtr(df, -t))


def _fieller_tau(r: Floats, n: int) -> Any:
    return 0.437 / (n - 4) if n > 4 else np.nan


def _fieller_rho(r: Floats, n: int) -> Any:
    return 1.06 / (n - 3) if n > 3 else np.nan


def _bonett_wright(r: Floats, n: int) -> Any:
    return (1.0 + r**2 / 2.0) / (n - 3) if n > 3 else np.nan


def _fisher(r: Floats, n: int) -> Any:
    return 1.0 / (n - 3) if n > 3 else np.nan


_VARIANCES = {
    "fieller_tau": _fieller_tau,
    "fieller_rho": _fieller_rho,
    "bonett_wright": _bonett_wright,
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
    method : {"fieller_tau", "fieller_rho", "bonett_wright", "fisher"}
        v = 0.437/(n-4) for Kendall's tau, 1.06/(n-3) or (1 + r²/2)/(n-3) for Spearman's rho, 1/(n-3) for Pearson's r.
    level : float
        Confidence, 0.95.

    Returns
    -------
    Interval
        ``low``, ``high``. NaN when n is too small; (r, r) when abs(r) = 1.

    Notes
    -----
    The systems are treated as the random sample. For other topics, bootstrap the topics
    (`bootstrap_means_interval`).

    References
    ----------
    fieller1957, bonett2000

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
