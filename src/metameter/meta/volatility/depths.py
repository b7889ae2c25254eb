"""Lists of evaluation depths: as people write them, and thinned to so many a decade."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from metameter.scoring.number_lists import number_list

#: About ten depths a decade from 1 to 1000, for intervals; about seven, for a study.
MANY, FEW = 28, 20
_DEEPEST = 1000


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
    metameter.errors.MetameterError: depths is out of range (given 0, allowed: 1 or more).
    Write depths as 1-10, or as 1,3,10, or as 1-3,10.
    """
    if given is None:
        return tuple(range(1, min(_DEEPEST, max(longest, 1)) + 1))
    return number_list(given, name, "depth")


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
