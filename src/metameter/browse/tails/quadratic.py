"""Tail sums of a view that fades with the square of the rank (INST, INSQ): digamma, trigamma and zeta.

Beyond rank n such a view is ``V(i) = K / (i + a - 1)^2`` with ``K = V(n+1) (n + a)^2``.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from metameter.browse.browsing_state import Tail

# Bernoulli numbers of even index; seven suffice from x = 16 on.
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
_LARGE = 16

_SMALL, _TINY = 0.1, 1e-150
_BLOCK = 4096
_PIECE = 8192
_MOST_TERMS = 2**20


def square_tail(beyond: NDArray[np.float64], n: int | NDArray[np.int64], a: NDArray[np.float64] | float) -> Tail:
    """The tail of ``C(i) = ((i+a-1)/(i+a))^2`` for i > n, given the view of rank n+1.

    Examples
    --------
    >>> tail = square_tail(np.array(1.0), 0, 4.5)  # INSQ(T=2.25) on an empty list
    >>> round(float(tail.view), 7)
    5.0366833
    """
    depth, shift = np.asarray(n), np.asarray(a, dtype=np.float64)
    # Below this 1/x^2 overflows; the scaled sums have reached their limit long before.
    reach = np.maximum(depth + shift, _TINY)

    def scaled(total: NDArray[np.float64]) -> NDArray[np.float64]:
        total *= reach
        total *= reach
        return np.asarray(beyond * total)

    return Tail.later(
        beyond,
        view=lambda: scaled(trigamma(reach)),
        last_per_rank=lambda: scaled(_per_rank(depth, shift - 1) - _per_rank(depth, shift)),
        discounted_last=lambda delta: beyond if delta == 1 else scaled(_discounted_sum(depth, shift, delta)),
    )


def trigamma(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum over i >= 0 of 1 / (x+i)^2, for x above 0: the first terms where x is small, and Stirling's series.

    Faster than scipy's for the many values, one per list and depth, that curves need.

    Examples
    --------
    >>> bool(np.isclose(trigamma(np.array(1.0)), np.pi**2 / 6, rtol=1e-15))
    True
    """
    values = np.ascontiguousarray(x).reshape(-1)
    total = np.empty_like(values)
    # In pieces that fit in the processor's cache.
    for start in range(0, values.size, _PIECE):
        piece = values[start : start + _PIECE]
        _stirling(piece + (piece < _LARGE) * float(_LARGE), total[start : start + _PIECE])
    small = np.flatnonzero(values < _LARGE)
    total[small] += (1.0 / (values[small][:, None] + np.arange(_LARGE)) ** 2).sum(axis=-1)
    return total.reshape(np.shape(x))


def _stirling(x: NDArray[np.float64], series: NDArray[np.float64]) -> None:
    inverse = 1.0 / x
    square = inverse * inverse
    np.multiply(square, _BERNOULLI[-1], out=series)
    for number in _BERNOULLI[-2:0:-1]:
        series += number
        series *= square
    series += _BERNOULLI[0]
    series *= inverse
    series += 0.5
    series *= square
    series += inverse


def _per_rank(n: NDArray[np.int64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum over i > n of 1 / (i (i+b)^2)."""
    from scipy.special import polygamma, psi, zeta

    small = np.abs(b) < _SMALL
    wide = np.where(small, 1.0, b)
    closed = (psi(n + 1 + wide) - psi(n + 1)) / wide**2 - polygamma(1, n + 1 + wide) / wide
    if not small.any():
        return np.asarray(closed)
    # Near b = 0 the closed form loses all digits; there the series in b converges in a few terms.
    near = np.where(small, b, 0.0)
    series = sum((j + 1) * (-near) ** j * zeta(3 + j, n + 1) for j in range(24))
    return np.asarray(np.where(small, series, closed))


def _discounted_sum(n: NDArray[np.int64], shift: NDArray[np.float64], delta: float) -> NDArray[np.float64]:
    """Sum over m >= 1 of L(n+m) delta^m for the scale 1, until delta^m no longer counts."""
    if n.ndim and shift.size > _BLOCK:  # the terms of all lists at all depths would not fit in memory
        return np.stack([_discounted_sum(each, shift[..., at], delta) for at, each in enumerate(n)], axis=-1)
    total = np.zeros(np.broadcast_shapes(n.shape, shift.shape))
    if delta == 0:
        return total
    terms = min(math.ceil(math.log(1e-17) / math.log(delta)), _MOST_TERMS)
    for start in range(1, terms + 1, _BLOCK):
        m = np.arange(start, min(start + _BLOCK, terms + 1))
        reach = n[..., None] + m + shift[..., None]
        total += ((1 / (reach - 1) ** 2 - 1 / reach**2) * delta**m).sum(axis=-1)
    return total
