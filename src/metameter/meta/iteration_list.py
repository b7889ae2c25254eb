"""Which iterations of sessions: ``1-10`` or ``1,3,10``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

from metameter.errors import MetameterError

__all__ = ["iteration_list"]

_RANGE = re.compile(r"(\d{1,9})(?:\s*-\s*(\d{1,9}))?")
_FIX = "Write iterations as 1-10, or as 1,3,10."


def iteration_list(given: Any, known: Sequence[int]) -> tuple[int, ...]:
    """The iterations that are meant, rising, each once; by default all.

    Parameters
    ----------
    given : str, int, iterable of int, or None
        As text single numbers and ranges, with commas between them.
    known : sequence of int
        Those that there are.

    Examples
    --------
    >>> iteration_list("1-2, 10", [1, 2, 3, 10]), iteration_list("1-10", [1, 2]), iteration_list(None, [2, 1])
    ((1, 2, 10), (1, 2), (1, 2))
    >>> iteration_list(4, [1, 2])
    Traceback (most recent call last):
    metameter.errors.MetameterError: there is no such iteration (given 4, allowed: 1, 2). Choose from these.
    """
    if given is None or given == ():
        return tuple(sorted(known))
    listed = _of_text(given, known) if isinstance(given, str) else _of_numbers(given)
    if not listed:
        raise MetameterError("iterations names no iteration", given=given, fix=_FIX)
    for number in listed:
        if number not in known:
            allowed = ", ".join(map(str, sorted(known)))
            raise MetameterError("there is no such iteration", given=number, allowed=allowed, fix="Choose from these.")
    return tuple(sorted(set(listed)))


def _of_text(text: str, known: Sequence[int]) -> list[int]:
    listed: list[int] = []
    for part in text.split(","):
        found = _RANGE.fullmatch(part.strip())
        if found is None or int(found[2] or found[1]) < int(found[1]):
            raise MetameterError("iterations is not a list of iterations", given=part.strip() or text, fix=_FIX)
        first, last = int(found[1]), int(found[2] or found[1])
        # Of a range what there is is meant; a single number must be there.
        listed += [number for number in known if first <= number <= last] or [first]
    return listed


def _of_numbers(given: Any) -> list[int]:
    numbers = list(given) if isinstance(given, Iterable) else [given]
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, Integral):
            raise MetameterError("iterations holds what is no iteration", given=number, fix=_FIX)
    return [int(number) for number in numbers]
