"""Where a falling tail probability reaches a level."""

from __future__ import annotations

from collections.abc import Callable
from math import copysign

_WIDTH = 1e-12
_EPSILON = 2.0**-52


def level_reached(tail: Callable[[float], float], alpha: float) -> float:
    """The positive x with tail(x) = alpha, of a tail that falls from 1 to 0.

    By Chandrupatla's method: inverse quadratic interpolation where that is safe, else bisection. SciPy's `brentq`
    needs as few steps, but importing it takes longer than most of what it is needed for here.

    Examples
    --------
    >>> from math import exp
    >>> round(level_reached(lambda x: exp(-x), 0.05), 9)  # -ln(0.05)
    2.995732274
    """
    high = 8.0
    while tail(high) > alpha:
        high *= 2.0
    return _root(lambda x: tail(x) - alpha, 0.0, high)


def _root(f: Callable[[float], float], a: float, b: float) -> float:
    fa, fb, share = f(a), f(b), 0.5
    while True:
        x = a + share * (b - a)
        fx = f(x)
        # The root stays between a and b; c is the end that was left.
        if copysign(1.0, fx) == copysign(1.0, fa):
            c, fc = a, fa
        else:
            c, fc, b, fb = b, fb, a, fa
        a, fa = x, fx
        best, smallest = (a, fa) if abs(fa) < abs(fb) else (b, fb)
        least = (2 * _EPSILON * abs(best) + _WIDTH) / abs(b - c) if b != c else 1.0
        if smallest == 0 or least > 0.5:
            return best
        where, height = (a - b) / (c - b), (fa - fb) / (fc - fb)
        if height**2 < where and (1 - height) ** 2 < 1 - where:
            share = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        else:
            share = 0.5
        share = min(1 - least, max(least, share))
