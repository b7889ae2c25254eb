"""Checks of arguments: counts, seeds, levels, choices, score matrices; and the tolerance of comparisons."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metameter.arguments import whole_number
from metameter.errors import MetameterError, did_you_mean

#: Upper limit for shuffles, splits and resamples. One float per replicate and metric is kept: 8 MB for a million.
MAX_REPLICATES = 1_000_000
# Seeds must fit into the 64-bit columns of manifests and tables.
_SEEDS = 1 << 63


def check_count(count: Any, what: str, least: int = 1, *, zero: str = "", most: int = MAX_REPLICATES) -> int:
    """Return a whole number from ``least`` to ``most``, refusing anything else.

    Parameters
    ----------
    count : object
        Integers of NumPy are accepted, booleans are not.
    what : str
        The name of the option, for messages.
    least, most : int
    zero : str
        What 0 stands for. If given, 0 is allowed although it is below ``least``.

    Examples
    --------
    >>> check_count(2000, "trials"), check_count(0, "resamples", 2, zero="for no intervals")
    (2000, 0)
    >>> check_count(10**23, "trials")
    Traceback (most recent call last):
    metameter.errors.MetameterError: too many trials (given 100000000000000000000000, allowed: at most 1,000,000).
    Set trials to 1,000,000 or less.
    >>> check_count("a", "trials")
    Traceback (most recent call last):
    metameter.errors.MetameterError: trials is not a whole number (given 'a'). Set trials to 1 or more.
    """
    fix = f"Set {what} to {least} or more."
    number = _whole(count, what, fix)
    if number < least and not (zero and number == 0):
        allowed = f"at least {least}" + (f", or 0 {zero}" if zero else "")
        raise MetameterError(f"too few {what}", given=number, allowed=allowed, fix=fix)
    if number > most:
        fix = f"Set {what} to {most:,} or less."
        raise MetameterError(f"too many {what}", given=number, allowed=f"at most {most:,}", fix=fix)
    return number


def check_seed(seed: Any) -> int:
    """Return a seed of random numbers, a whole number of 0 or more, refusing anything else.

    Examples
    --------
    >>> check_seed(1.5)
    Traceback (most recent call last):
    metameter.errors.MetameterError: the seed is not a whole number (given 1.5). Choose a seed of 0 or more.
    """
    fix = "Choose a seed of 0 or more."
    number = _whole(seed, "the seed", fix)
    if number < 0:
        raise MetameterError("the seed is negative", given=number, allowed="a whole number from 0", fix=fix)
    if number >= _SEEDS:
        allowed = f"a whole number below 2^{_SEEDS.bit_length() - 1}"
        raise MetameterError("the seed is too large", given=number, allowed=allowed, fix="Choose a smaller seed.")
    return number


def _whole(value: Any, what: str, fix: str) -> int:
    number = whole_number(value)
    if number is None:
        raise MetameterError(f"{what} is not a whole number", given=_text_of_none(value), fix=fix)
    return number


def check_number(value: Any, what: str, fix: str) -> float:
    """Return a number as a float, refusing anything else.

    Examples
    --------
    >>> check_number("a", "alpha", "Give alpha as a share, such as 0.05.")
    Traceback (most recent call last):
    metameter.errors.MetameterError: alpha is not a number (given 'a'). Give alpha as a share, such as 0.05.
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise MetameterError(f"{what} is not a number", given=_text_of_none(value), fix=fix)
    try:
        return float(value)
    except OverflowError:
        raise MetameterError(f"{what} is too large a number", given=value, fix=fix) from None


def check_choice(value: Any, what: str, known: Iterable[str]) -> None:
    """Refuse a value that is not one of the known choices.

    Examples
    --------
    >>> check_choice("brows", "value of by", ("browse", "all"))
    Traceback (most recent call last):
    metameter.errors.MetameterError: unknown value of by (given 'brows'). Did you mean browse? Known: all, browse.
    """
    choices = list(known)
    if not isinstance(value, str) or value not in choices:
        raise MetameterError(f"unknown {what}", given=_text_of_none(value), fix=did_you_mean(_text(value), choices))


def _text(value: Any) -> str:
    # Only text can be compared with the known choices.
    return value if isinstance(value, str) else ""


def _text_of_none(value: Any) -> Any:
    # MetameterError leaves out a given value of None.
    return "None" if value is None else value


Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.integer[Any]]
# Means that are equal on paper differ by a few units in the last place after summation. Differences this small are
# rounding, never a difference between scores.
RELATIVE_TOLERANCE = 1e-12
# Smaller levels would require more trials than can be computed.
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


def system_pairs(systems: int) -> SystemPairs:
    """Return first and second members of the K(K-1)/2 pairs: (0,1), (0,2), ..., (1,2), ...

    Examples
    --------
    >>> [list(map(int, side)) for side in system_pairs(3)]
    [[0, 0, 1], [1, 2, 2]]
    """
    first, second = np.triu_indices(systems, 1)
    return first, second


#: The positions of the first and of the second systems of some pairs.
SystemPairs: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp]]


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
        what = f"{name} is too small for any number of trials"
        raise MetameterError(what, given=level, allowed=f"{_LEAST:g} or more", fix=fix)
    return share
