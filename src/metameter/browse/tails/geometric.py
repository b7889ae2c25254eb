"""Tail sums of a view that fades by the same factor at every rank."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metameter.browse.browsing_state import Tail

_TERMS = 400
_MOST = 4096
_FAR = 50.0


def geometric_tail(
    beyond: NDArray[np.float64], n: int | NDArray[np.int64], leaving: NDArray[np.float64] | float
) -> Tail:
    """The tail of ``C(i) = 1 - leaving`` for i > n, given the view of rank n+1.

    ``leaving`` may be far below the rounding error of 1, which is why the continuation itself is not passed. Where it
    is 0, users never leave: they view infinitely many items, and contribute nothing to sums of 1/i.

    Examples
    --------
    >>> tail = geometric_tail(np.array(0.25), 2, 0.5)
    >>> float(tail.view), float(tail.discounted_last(0.5).round(6))
    (0.5, 0.083333)
    """
    q = np.asarray(leaving, dtype=np.float64)
    return Tail.later(
        beyond,
        view=lambda: np.asarray(np.divide(beyond, q, out=np.where(beyond > 0, np.inf, 0.0), where=q > 0)),
        last_per_rank=lambda: np.asarray(beyond * _per_rank(np.asarray(n), q)),
        discounted_last=lambda delta: beyond * (q * delta / (1 - delta + q * delta)) if delta < 1 else beyond,
    )


def _per_rank(n: NDArray[np.int64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum over m >= 1 of q (1-q)^(m-1) / (n+m): the first terms, then the Euler-Maclaurin formula for the rest."""
    if n.ndim and q.size > _MOST:  # the terms of all lists at all depths would not fit in memory
        return np.stack([_per_rank(each, q[..., at]) for at, each in enumerate(n)], axis=-1)
    fade = -np.log1p(-np.minimum(q, 1 - 2**-53))
    m, start = np.arange(_TERMS), np.asarray(n + 1.0 + _TERMS, dtype=np.float64)
    first = (np.exp(-fade[..., None] * m) / (n[..., None] + 1 + m)).sum(axis=-1)
    # f(x) = exp(-fade x) / (n+1+x): its integral from _TERMS on, half of f there, and less its derivatives.
    rest = _scaled_exponential_integral(start * np.where(q > 0, fade, 1.0)) + 0.5 / start
    rest = rest + (fade + 1 / start) / start / 12
    rest = rest - (fade**3 + 3 * fade**2 / start + 6 * fade / start**2 + 6 / start**3) / start / 720
    return np.asarray(q * (first + np.exp(-fade * _TERMS) * rest))


def _scaled_exponential_integral(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """exp(z) E1(z), without overflow for large z."""
    from scipy.special import exp1

    far = np.maximum(z, _FAR)
    series = np.ones_like(far)
    for k in range(20, 0, -1):
        series = 1 - k * series / far
    near = np.minimum(z, _FAR)
    return np.asarray(np.where(z > _FAR, series / far, np.exp(near) * exp1(near)))
