"""Spearman's rho, with approximate p-values and exact ones for few items."""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.stats.checks import Floats
from metameter.stats.ties import average_ranks

#: The most items for which all permutations are enumerated.
MOST_EXACT = 8
_TIE = 1e-9


def rank_correlations(first: NDArray[Any], second: NDArray[Any]) -> Floats:
    """Return Spearman's rho along the last axis, ties averaged; NaN where a vector is constant.

    Examples
    --------
    >>> rank_correlations(np.array([[1, 2, 3, 4], [1, 1, 1, 1]]), np.array([1, 2, 4, 3]))
    array([0.8, nan])
    """
    one, other = _unit_ranks(first), _unit_ranks(second)
    rho = (one * other).sum(axis=-1)
    # Equal orders give 1 up to rounding; make it exact.
    return np.asarray(np.where(np.abs(rho) > 1.0 - _TIE, np.sign(rho), rho))


def _unit_ranks(values: NDArray[Any]) -> Floats:
    """Centred ranks scaled to unit length; NaN where all are equal."""
    if not np.size(values):
        return np.zeros(np.shape(values))
    centred = average_ranks(values) - (values.shape[-1] + 1) / 2.0
    length = np.sqrt((centred**2).sum(axis=-1, keepdims=True))
    return np.asarray(np.divide(centred, length, out=np.full(centred.shape, np.nan), where=length > 0))


def spearman(x: NDArray[Any], y: NDArray[Any]) -> float:
    """Return Spearman's rho of two vectors, ties averaged; NaN where one of the two is constant.

    Examples
    --------
    >>> round(spearman(np.array([1, 2, 3, 4]), np.array([1, 2, 4, 3])), 6)  # 1 - 6 * 2 / (4 * 15)
    0.8
    """
    one, other = average_ranks(x), average_ranks(y)
    if len(one) < 2 or not (np.ptp(one) and np.ptp(other)):
        return np.nan
    # The order of these operations decides the last digit of what is printed.
    product = _scaled_unit(one) * _scaled_unit(other)
    return float(np.clip(product.sum(), -1.0, 1.0))


def _scaled_unit(ranks: Floats) -> Floats:
    centred = ranks - ranks.mean()
    centred = centred / np.abs(centred).max()
    return np.asarray(centred / np.sqrt((centred**2).sum()))


def rho_pvalue(rho: Floats, n: int) -> Floats:
    """Return the two-sided p-value of rho by its approximate t distribution, as other software does.

    Examples
    --------
    >>> rho_pvalue(np.array([0.8, 1.0, np.nan]), 7).round(4)
    array([0.0307, 0.    ,    nan])
    """
    from scipy.special import stdtr

    if n < 3:
        return np.full(np.shape(rho), np.nan)
    with np.errstate(divide="ignore"):
        t = np.abs(rho) * np.sqrt((n - 2) / ((1.0 - rho) * (1.0 + rho)))
    return np.asarray(2.0 * stdtr(n - 2, -t))


def exact_rho_pvalue(first: NDArray[Any], second: NDArray[Any]) -> float:
    """Return the exact two-sided p-value of rho: the share of all permutations with at least this abs(rho).

    NaN for more than eight items, and where rho is undefined.

    Examples
    --------
    >>> exact_rho_pvalue(np.array([1, 2, 3, 4]), np.array([1, 2, 3, 4]))  # this order and its reverse, 2 of 24
    0.08333333333333333
    """
    one, other = _unit_ranks(first), _unit_ranks(second)
    if len(one) > MOST_EXACT or len(one) < 2 or np.isnan(one).any() or np.isnan(other).any():
        return np.nan
    correlations = other[_orders(len(other))] @ one
    return float((np.abs(correlations) >= abs(one @ other) - _TIE).mean())


@lru_cache(maxsize=2)
def _orders(n: int) -> NDArray[np.intp]:
    return np.array(list(permutations(range(n))), dtype=np.intp)
