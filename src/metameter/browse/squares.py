"""Tail sums of a view that fades with the square of the rank (INST, INSQ): digamma, trigamma and zeta.

Beyond rank n such a view is ``V(i) = K / (i + a - 1)^2`` with ``K = V(n+1) (n + a)^2``.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from metameter.browse.journey import Tail

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["square_tail"]

_SMALL = 0.1
_BLOCK = 4096
_MOST_TERMS = 2**20


def square_tail(beyond: NDArray[np.float64], n: int, a: NDArray[np.float64] | float) -> Tail:
    """The tail of ``C(i) = ((i+a-1)/(i+a))^2`` for i > n, given the view of rank n+1.

    Examples
    --------
    >>> tail = square_tail(np.array(1.0), 0, 4.5)  # INSQ(T=2.25) on an empty list
    >>> round(float(tail.view), 7)
    5.0366833
    """
    from scipy.special import polygamma

    shift = np.asarray(a, dtype=np.float64)
    scale = beyond * (n + shift) ** 2
    return Tail(
        view=scale * polygamma(1, n + shift),
        last=beyond,
        last_per_rank=scale * (_per_rank(n, shift - 1) - _per_rank(n, shift)),
        discounted_last=lambda delta: beyond if delta == 1 else _forgotten(scale, n, shift, delta),
    )


def _per_rank(n: int, b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum over i > n of 1 / (i (i+b)^2)."""
    from scipy.special import polygamma, psi, zeta

    small = np.abs(b) < _SMALL
    wide = np.where(small, 1.0, b)
    closed = (psi(n + 1 + wide) - psi(n + 1)) / wide**2 - polygamma(1, n + 1 + wide) / wide
    if not small.any():
        return np.asarray(closed)
    # Near b = 0 the closed form cancels; there the series in b converges in a few terms.
    near = np.where(small, b, 0.0)
    series = sum((j + 1) * (-near) ** j * zeta(3 + j, n + 1) for j in range(24))
    return np.asarray(np.where(small, series, closed))


def _forgotten(scale: NDArray[np.float64], n: int, shift: NDArray[np.float64], delta: float) -> NDArray[np.float64]:
    """Sum over m >= 1 of L(n+m) delta^m, until delta^m no longer counts."""
    total = np.zeros_like(scale)
    if delta == 0:
        return total
    terms = min(math.ceil(math.log(1e-17) / math.log(delta)), _MOST_TERMS)
    for start in range(1, terms + 1, _BLOCK):
        m = np.arange(start, min(start + _BLOCK, terms + 1))
        reach = n + m + shift[..., None]
        total += ((1 / (reach - 1) ** 2 - 1 / reach**2) * delta**m).sum(axis=-1)
    return np.asarray(scale * total)
