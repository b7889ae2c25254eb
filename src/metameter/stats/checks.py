"""What every statistic asks of its input, and the tolerance with which it compares."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metameter.errors import MetameterError
from metameter.stats.options import check_number

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.integer[Any]]


# Means that are equal on paper differ by a few units in the last place after summation; nothing that a
# metric can tell apart is this close.
RELATIVE_TOLERANCE = 1e-12
# What a level is divided by must be a number that can be counted to.
_LEAST = 1e-12


class Interval(NamedTuple):
    """A confidence interval; floats, or arrays of one shape."""

    low: Any
    high: Any


def as_finite(values: ArrayLike, name: str = "scores", ndim: int = 1) -> Floats:
    """Return ``values`` as floats, refusing NaN, infinities, and fewer than ``ndim`` axes.

    Examples
    --------
    >>> as_finite([1, 2])
    array([1., 2.])
    >>> as_finite([1, float("nan")])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    metameter.errors.MetameterError: 1 of 2 scores are NaN or infinite. Fill or drop ...
    """
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        fix = "Give numbers only, in rows of one length."
        raise MetameterError(f"{name} are not an array of numbers", given=str(error), fix=fix) from None
    if array.ndim < ndim:
        fix = "Give a matrix, topics by systems." if ndim == 2 else "Give a list of numbers."
        raise MetameterError(f"{name} have too few axes", given=array.ndim, allowed=f"at least {ndim}", fix=fix)
    if not np.isfinite(array).all():
        bad = int((~np.isfinite(array)).sum())
        fix = "Fill or drop the missing cells first (missing='zero' or 'drop-topic')."
        raise MetameterError(f"{bad} of {array.size} {name} are NaN or infinite", fix=fix)
    return array


def score_matrix(scores: ArrayLike, systems: int = 2, topics: int = 1) -> Floats:
    """Return ``scores[..., topic, system]``, refusing too few systems or topics.

    Examples
    --------
    >>> score_matrix([[1, 2], [3, 4]]).shape
    (2, 2)
    """
    array = as_finite(scores, ndim=2)
    fix = "Give more of them; a score matrix is scores[..., topic, system]."
    require_at_least(array.shape[-1], systems, "systems", fix)
    require_at_least(array.shape[-2], topics, "topics", fix)
    if 0 in array.shape:
        raise MetameterError("scores are empty", given=array.shape, fix="Give the scores of one metric or more.")
    return array


def require_at_least(count: int, least: int, what: str, fix: str | None = None) -> None:
    """Refuse a count that is too small.

    Examples
    --------
    >>> require_at_least(1, 2, "topics")
    Traceback (most recent call last):
    metameter.errors.MetameterError: too few topics (given 1, allowed: at least 2). Give 2 topics or more.
    """
    if count < least:
        allowed = f"at least {least}"
        raise MetameterError(
            f"too few {what}", given=count, allowed=allowed, fix=fix or f"Give {least} {what} or more."
        )


def system_pairs(systems: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return first and second members of the K(K-1)/2 pairs: (0,1), (0,2), ..., (1,2), ...

    Examples
    --------
    >>> [list(map(int, side)) for side in system_pairs(3)]
    [[0, 0, 1], [1, 2, 2]]
    """
    first, second = np.triu_indices(systems, 1)
    return first, second


def tolerance(values: Floats, axes: int = 1) -> Floats:
    """Return 1e-12 of the largest absolute value over the last ``axes`` axes, which are kept with length 1.

    Examples
    --------
    >>> tolerance(np.array([[0.5, -2.0], [0.0, 0.0]]))
    array([[2.e-12],
           [0.e+00]])
    """
    over = tuple(range(-axes, 0))
    return np.asarray(RELATIVE_TOLERANCE * np.abs(values).max(axis=over, keepdims=True, initial=0.0))


def check_level(level: float, name: str = "alpha") -> float:
    """Return a probability strictly between 0 and 1, refusing anything else.

    Examples
    --------
    >>> check_level(0.05)
    0.05
    """
    fix = f"Give {name} as a share, such as 0.05 or 0.95."
    share = check_number(level, name, fix)
    if not 0.0 < share < 1.0:
        allowed = "0 < value < 1"
        raise MetameterError(f"{name} is not a probability between 0 and 1", given=level, allowed=allowed, fix=fix)
    if share < _LEAST:
        what = f"{name} is smaller than any number of trials can show"
        raise MetameterError(what, given=level, allowed=f"{_LEAST:g} or more", fix=fix)
    return share
