"""Lists of whole numbers as people write them: ``1-10,20,50``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from numbers import Integral
from typing import Any

from metameter.errors import MetameterError

_MOST = 1_000_000
_RANGE = re.compile(r"(\d{1,99})(?:\s*-\s*(\d{1,99}))?")


def number_list(numbers: Any, name: str, what: str = "number") -> tuple[int, ...]:
    """Return the numbers of a list, from 1, sorted and distinct.

    Parameters
    ----------
    numbers : str, int or iterable of int
        As text: single numbers and ranges, with commas between them.
    name : str
        What the option is called.
    what : str
        What its numbers are.

    Examples
    --------
    >>> number_list("1-3, 10,5", "depths"), number_list([20, 10], "depths")
    ((1, 2, 3, 5, 10), (10, 20))
    >>> number_list("0-5", "iterations", "iteration")
    Traceback (most recent call last):
    metameter.errors.MetameterError: iterations is out of range (given 0, allowed: 1 or more).
    Write iterations as 1-10, or as 1,3,10, or as 1-3,10.
    """
    fix = _fix(name)
    listed = _of_text(numbers, name, what, fix) if isinstance(numbers, str) else whole_numbers(numbers, name, what)
    for number in listed:
        _check(number, name, fix)
    if not listed:
        raise MetameterError(f"{name} names no {what}", given=numbers, fix=fix)
    return tuple(sorted(set(listed)))


def number_ranges(text: str, name: str, what: str = "number") -> list[tuple[int, int]]:
    """Return the first and the last number of each range in a text; a single number is both.

    Examples
    --------
    >>> number_ranges("1-3, 10", "depths")
    [(1, 3), (10, 10)]
    """
    fix = _fix(name)
    ranges = []
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None:
            raise MetameterError(f"{name} is not a list of {what}s", given=part.strip() or text, fix=fix)
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise MetameterError(f"{name} holds a range that falls", given=part.strip(), fix=fix)
        ranges.append((first, last))
    return ranges


def _of_text(text: str, name: str, what: str, fix: str) -> list[int]:
    listed: list[int] = []
    for first, last in number_ranges(text, name, what):
        _check(max(last, 1), name, fix)  # before a list of that length is made
        listed += range(first, last + 1)
    return listed


def _fix(name: str) -> str:
    return f"Write {name} as 1-10, or as 1,3,10, or as 1-3,10."


def _check(number: int, name: str, fix: str) -> None:
    if not 1 <= number <= _MOST:
        allowed = "1 or more" if number < 1 else f"at most {_MOST:,}"
        raise MetameterError(f"{name} is out of range", given=number, allowed=allowed, fix=fix)


def whole_numbers(values: Any, name: str, what: str = "number") -> list[int]:
    """Return one whole number or several as a list; refuse anything else.

    Examples
    --------
    >>> whole_numbers([3, 1], "depths"), whole_numbers(7, "depths")
    ([3, 1], [7])
    """
    numbers = list(values) if isinstance(values, Iterable) else [values]
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, Integral):
            raise MetameterError(
                f"{name} holds what is no {what}", given=number, allowed="whole numbers", fix=_fix(name)
            )
    return [int(number) for number in numbers]
