"""Axes that one far value does not spoil: it is drawn at the edge, with an arrow and its value in words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

#: Rows are left outside only if all others then get so many times the room.
GAIN = 2.2
#: And only one row in so many; of fewer rows one, from so many rows on.
ONE_IN, FEWEST = 10, 4
Ends = tuple[float, float]


def robust_span(rows: Iterable[Sequence[float | None]], within: Sequence[float] = ()) -> Ends:
    """The ends of an axis: those of the values, except where few rows would take most of the room.

    A few rows stay outside, one in ten at most (of four to nineteen rows one), if without them the others get 2.2
    times the room or more.

    Parameters
    ----------
    rows : iterable of sequences
        The numbers that belong together, such as a value and the ends of its interval; None where there is none.
    within : sequence of float
        What the axis must hold in any case, such as 0 for differences.

    Examples
    --------
    >>> robust_span([[0.70], [0.72], [0.75], [0.1]])
    (0.7, 0.75)
    >>> robust_span([[0.70], [0.72], [0.75], [0.66]])
    (0.66, 0.75)
    """
    known = [(min(numbers), max(numbers)) for row in rows if (numbers := [*_finite(row)])]
    if not known and not within:
        return 0.0, 1.0
    spans = [_ends(known, within)]
    for _ in range(max(1, len(known) // ONE_IN) if len(known) >= FEWEST else 0):
        # Whichever end gives more room: the row that reaches furthest down, or the one that reaches furthest up.
        lowest, highest = min(known), max(known, key=lambda row: row[1])
        without = [[row for row in known if row is not each] for each in (lowest, highest)]
        known = min(without, key=lambda rest: _length(_ends(rest, within)))
        spans.append(_ends(known, within))
        if 0 < _length(spans[-1]) * GAIN <= _length(spans[0]):
            return spans[-1]
    return spans[0]


def _finite(row: Sequence[float | None]) -> Iterable[float]:
    return (number for number in row if number is not None and math.isfinite(number))


def _ends(rows: Sequence[Ends], within: Sequence[float]) -> Ends:
    return min([*within, *(low for low, _ in rows)]), max([*within, *(high for _, high in rows)])


def _length(ends: Ends) -> float:
    return ends[1] - ends[0]


def padded(ends: Ends, share: float = 0.08) -> Ends:
    """The ends of an axis with some room beyond them.

    Examples
    --------
    >>> padded((0.0, 1.0), 0.1), padded((0.5, 0.5))
    ((-0.1, 1.1), (0.49, 0.51))
    """
    room = share * _length(ends) or 0.01
    return ends[0] - room, ends[1] + room


def clipped(number: float | None, ends: Ends) -> float | None:
    """The number, or the end of the axis that it lies beyond."""
    return None if number is None else min(max(number, ends[0]), ends[1])


def beyond(number: float | None, ends: Ends, arrows: str = "←→") -> str:
    """For a number beyond the axis the arrow that leads to it, and the number in words; else nothing.

    Examples
    --------
    >>> beyond(-0.3123, (-0.1, 0.1)), beyond(0.05, (-0.1, 0.1)), beyond(1.25, (-0.1, 0.1), "↓↑")
    ('← −.312', '', '↑ 1.250')
    """
    if number is None or ends[0] <= number <= ends[1]:
        return ""
    size = f"{abs(number):.3f}"
    said = f"{'−' if number < 0 else ''}{size.removeprefix('0') if abs(number) < 1 else size}"
    return f"{arrows[0]} {said}" if number < ends[0] else f"{arrows[1]} {said}"
