"""Kendall, Spearman, Pearson between two vectors: value, p-value, interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metameter.errors import MetameterError
from metameter.stats.checks import Interval, as_finite
from metameter.stats.intervals import correlation_interval
from metameter.stats.kendall import tau_a, tau_b
from metameter.stats.ties import average_ranks, tied_codes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from metameter.stats.checks import Floats

__all__ = ["Correlation", "kendall", "pearson", "spearman"]

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
