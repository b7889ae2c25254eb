"""Options of statistics and procedures: counts, seeds, numbers and words, checked before anything is computed."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import Any

from metameter.arguments import whole_number
from metameter.errors import MetameterError, did_you_mean

#: The most shuffles, splits and resamples: a figure of each is kept for each metric, 8 MB for a million.
MOST = 1_000_000
# What fits into the manifests and tables that name it.
_SEEDS = 1 << 63


def check_count(count: Any, what: str, least: int = 1, *, zero: str = "", most: int = MOST) -> int:
    """Return a whole number from ``least`` to ``most``, refusing anything else.

    Parameters
    ----------
    count : object
        Integers of NumPy are whole numbers, truth values are not.
    what : str
        What is counted; the name of the option.
    least, most : int
    zero : str
        What 0 stands for, where it is allowed although it is below ``least``.

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
    """Return a seed of random numbers, a whole number from 0, refusing anything else.

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
        raise MetameterError(f"{what} is not a whole number", given=_shown(value), fix=fix)
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
        raise MetameterError(f"{what} is not a number", given=_shown(value), fix=fix)
    try:
        return float(value)
    except OverflowError:
        raise MetameterError(f"{what} is too large a number", given=value, fix=fix) from None


def check_choice(given: Any, what: str, known: Iterable[str]) -> None:
    """Refuse a word that is not among the known ones.

    Examples
    --------
    >>> check_choice("brows", "value of by", ("browse", "all"))
    Traceback (most recent call last):
    metameter.errors.MetameterError: unknown value of by (given 'brows'). Did you mean browse? Known: all, browse.
    """
    words = list(known)
    if not isinstance(given, str) or given not in words:
        raise MetameterError(f"unknown {what}", given=_shown(given), fix=did_you_mean(_text(given), words))


def _text(given: Any) -> str:
    # Of what is no word, no word is near.
    return given if isinstance(given, str) else ""


def _shown(value: Any) -> Any:
    # An error without a value would not say that None was given.
    return "None" if value is None else value
