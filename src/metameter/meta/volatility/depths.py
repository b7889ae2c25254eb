"""Lists of evaluation depths: as people write them, and thinned to so many a decade."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from metameter.errors import MetameterError

__all__ = ["FEW", "MANY", "depth_list", "thinned"]

#: About ten depths a decade from 1 to 1000, for intervals; about seven, for a study.
MANY, FEW = 28, 20
_DEEPEST, _MOST = 1000, 1_000_000
_RANGE = re.compile(r"(\d+)(?:\s*-\s*(\d+))?")
_FIX = "Write depths as 1-1000, or as 5,10,20, or as 1-10,20,50."


def depth_list(given: Any, longest: int, name: str = "depths") -> tuple[int, ...]:
    """The depths that are meant, rising, each once; by default 1 to 1000, or to the end of the longest list.

    Parameters
    ----------
    given : str, int, iterable of int, or None
        As text single depths and ranges, with commas between them.
    longest : int
        The length of the longest list.
    name : str
        What the option is called.

    Examples
    --------
    >>> depth_list("1-3, 10,5", 1000), depth_list([20, 10], 1000), depth_list(None, 4)
    ((1, 2, 3, 5, 10), (10, 20), (1, 2, 3, 4))
    >>> depth_list("0-5", 1000)
    Traceback (most recent call last):
    metameter.errors.MetameterError: depths is out of range (given 0, allowed: 1 or more). Write depths as 1-1000, or
    as 5,10,20, or as 1-10,20,50.
    """
    if given is None:
        return tuple(range(1, min(_DEEPEST, max(longest, 1)) + 1))
    listed = _of_text(given, name) if isinstance(given, str) else _of_numbers(given, name)
    for depth in listed:
        _check(depth, name)
    if not listed:
        raise MetameterError(f"{name} names no depth", given=given, fix=_FIX)
    return tuple(sorted(set(listed)))


def _of_text(text: str, name: str) -> list[int]:
    listed: list[int] = []
    for part in text.split(","):
        found = _RANGE.fullmatch(part.strip())
        if found is None:
            raise MetameterError(f"{name} is not a list of depths", given=part.strip() or text, fix=_FIX)
        first, last = int(found[1]), int(found[2] or found[1])
        _check(max(last, 1), name)  # before a list of that length is made
        if last < first:
            raise MetameterError(f"{name} holds a range that falls", given=part.strip(), fix=_FIX)
        listed += range(first, last + 1)
    return listed


def _check(depth: int, name: str) -> None:
    if not 1 <= depth <= _MOST:
        allowed = "1 or more" if depth < 1 else f"at most {_MOST:,}"
        raise MetameterError(f"{name} is out of range", given=depth, allowed=allowed, fix=_FIX)


def _of_numbers(given: Any, name: str) -> list[int]:
    numbers = list(given) if isinstance(given, Iterable) else [given]
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, Integral):
            raise MetameterError(f"{name} holds what is no depth", given=number, allowed="whole numbers", fix=_FIX)
    return [int(number) for number in numbers]


def thinned(depths: Sequence[int], most: int = MANY) -> tuple[int, ...]:
    """At most so many of the depths, at about equal ratios, the first and the last among them.

    Examples
    --------
    >>> thinned(range(1, 1001), 7)
    (1, 3, 10, 32, 100, 316, 1000)
    >>> thinned([5, 10], 7)
    (5, 10)
    """
    if len(depths) <= most:
        return tuple(depths)
    listed = np.asarray(depths)
    wanted = np.geomspace(listed[0], listed[-1], most)
    nearest = np.abs(np.log(listed)[:, None] - np.log(wanted)).argmin(axis=0)
    return tuple(int(depth) for depth in np.unique(listed[nearest]))
