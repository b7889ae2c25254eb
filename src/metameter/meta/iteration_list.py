"""Which iterations of sessions: ``1-10`` or ``1,3,10``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metameter.errors import MetameterError
from metameter.scoring.number_lists import number_ranges, whole_numbers

__all__ = ["iteration_list"]


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
    if given is None or (isinstance(given, tuple) and not given):
        return tuple(sorted(known))
    listed = _of_text(given, known) if isinstance(given, str) else whole_numbers(given, "iterations", "iteration")
    if not listed:
        raise MetameterError(
            "iterations names no iteration", given=given, fix="Write iterations as 1-10, or as 1,3,10."
        )
    for number in listed:
        if number not in known:
            allowed = ", ".join(map(str, sorted(known)))
            raise MetameterError("there is no such iteration", given=number, allowed=allowed, fix="Choose from these.")
    return tuple(sorted(set(listed)))


def _of_text(text: str, known: Sequence[int]) -> list[int]:
    # Of a range what there is is meant; a single number must be there.
    ranges = number_ranges(text, "iterations", "iteration")
    parts = ([number for number in known if first <= number <= last] or [first] for first, last in ranges)
    return [number for part in parts for number in part]
