"""The axes of charts: robust ends, named steps, evaluation depths."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from metameter.view.charts.channels import field_name, number, value
from metameter.view.charts.theme import LETTERS, POOL

#: Rows are left outside the axis only if the others then get this many times the room,
GAIN = 2.2
#: and only one row in ten; of fewer than ten rows one, if there are at least four.
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
        Values that the axis always contains, such as 0 for differences.

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
    spans = [_range_of(known, within)]
    for _ in range(max(1, len(known) // ONE_IN) if len(known) >= FEWEST else 0):
        # Leave out the lowest or the highest row, whichever gives the others more room.
        lowest, highest = min(known), max(known, key=lambda row: row[1])
        without = [[row for row in known if row is not each] for each in (lowest, highest)]
        known = min(without, key=lambda rest: _length(_range_of(rest, within)))
        spans.append(_range_of(known, within))
        if 0 < _length(spans[-1]) * GAIN <= _length(spans[0]):
            return spans[-1]
    return spans[0]


def _finite(row: Sequence[float | None]) -> Iterable[float]:
    return (number for number in row if number is not None and math.isfinite(number))


def _range_of(rows: Sequence[Ends], within: Sequence[float]) -> Ends:
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
    """The number, or the nearer end of the axis if it lies beyond."""
    return None if number is None else min(max(number, ends[0]), ends[1])


def beyond(number: float | None, ends: Ends, arrows: str = "←→") -> str:
    """An arrow and the value for a number beyond the axis; empty otherwise.

    Examples
    --------
    >>> beyond(-0.3123, (-0.1, 0.1)), beyond(0.05, (-0.1, 0.1)), beyond(1.25, (-0.1, 0.1), "↓↑")
    ('← −.312', '', '↑ 1.250')
    """
    if number is None or ends[0] <= number <= ends[1]:
        return ""
    size = f"{abs(number):.3f}"
    text = f"{'−' if number < 0 else ''}{size.removeprefix('0') if abs(number) < 1 else size}"
    return f"{arrows[0]} {text}" if number < ends[0] else f"{arrows[1]} {text}"


_GAP = " "


def spaced(values: Sequence[Any], most: int, apart: Any = None) -> list[Any]:
    """At most ``most`` values, evenly spaced, with the first and the last; ``apart`` comes after them.

    Examples
    --------
    >>> spaced(["All", "1", "2", "3", "4", "5"], 3, "All")
    ['1', '3', '5', 'All']
    """
    plain = [each for each in values if each != apart]
    if len(plain) > most:
        plain = [plain[index] for index in np.linspace(0, len(plain) - 1, most).round().astype(int)]
    return plain + [apart] * (apart in values and apart is not None)


def column_axis(column: str, values: Sequence[Any], apart: Any = None) -> dict[str, Any]:
    """The channel of named steps; an empty step precedes ``apart``.

    Examples
    --------
    >>> column_axis("turn", ["1", "2", "All"], "All")["sort"]
    ['1', '2', ' ', 'All']
    """
    domain = [*values[:-1], _GAP, apart] if apart is not None and apart in values else list(values)
    scale, axis = {"type": "point", "padding": 0.5, "domain": domain}, {"labelAngle": 0, "ticks": False}
    named = {"field": field_name(column), "type": "nominal", "title": column}
    return {**named, "sort": domain, "scale": scale, "axis": axis}


MOST_DEPTHS = 80


def drawn_depths(depths: Iterable[int], keep: Iterable[int | None] = (), most: int = MOST_DEPTHS) -> list[int]:
    """The depths to draw: at equal ratios, for a logarithmic axis, with the first and the last.

    Parameters
    ----------
    depths : iterable of int
    keep : iterable of int or None
        Depths that are always drawn if they occur, such as the pool depth.
    most : int
        The greatest number of depths.

    Examples
    --------
    >>> drawn_depths(range(1, 1001), keep=[150], most=8)
    [1, 3, 10, 32, 100, 150, 316, 1000]
    >>> drawn_depths([10, 5, 5])
    [5, 10]
    """
    distinct = np.unique(np.fromiter(depths, dtype=np.int64))
    if len(distinct) <= most:
        return [int(depth) for depth in distinct]
    always = {distinct[0], distinct[-1], *(depth for depth in keep if depth in distinct)}
    chosen = always
    # At shallow depths many points of equal ratio are the same depth: more points, until there are too many depths.
    for points in range(2, 20 * most):
        targets = np.round(np.geomspace(distinct[0], distinct[-1], points))
        more = always | set(distinct[np.searchsorted(distinct, targets).clip(max=len(distinct) - 1)])
        if len(more) > most:
            break
        chosen = more
    return sorted(int(depth) for depth in chosen)


def ticks(first: float, last: float) -> list[int]:
    """The round numbers of an axis.

    Examples
    --------
    >>> ticks(1, 100), ticks(7, 7), ticks(1, 1000)
    ([1, 2, 5, 10, 20, 50, 100], [7], [1, 2, 5, 10, 20, 50, 100, 200, 1000])
    """
    numbers = [step * 10**power for power in range(9) for step in (1, 2, 5) if first <= step * 10**power <= last]
    # A long last number would overlap the one before it in a small pane.
    if len(numbers) > 8 and numbers[-1] >= 1000:
        del numbers[-2]
    # An axis needs at least two numbers.
    return numbers if len(numbers) > 1 else sorted({*numbers, round(first), round(last)})


def depth_axis(depths: Sequence[int], *, room: float = 1.0, title: str = "evaluation depth") -> dict[str, Any]:
    """The logarithmic channel of depths, with round numbers; it begins at the first depth divided by ``room``."""
    first, last = (min(depths), max(depths)) if depths else (1, 1)
    # An axis needs a length.
    ends = [first / room, last] if first < last else [first / 1.5, last * 1.5]
    axis = {
        "values": ticks(first, last),
        "format": ",d",
        "labelOverlap": "greedy",
        "labelSeparation": 3,
        "labelFlush": False,
    }
    scale = {"type": "log", "domain": ends, "nice": False}
    return number("depth", title=title, scale=scale, axis=axis)


def pool_line(pool_depth: int | None, depths: Sequence[int], axis: dict[str, Any], y: int = 3) -> list[Any]:
    """The layers of the dashed line at the pool depth and of its label; none if it is not on the axis.

    Parameters
    ----------
    pool_depth : int or None
    depths : sequence of int
        Those of the axis.
    axis : dict
        The channel of depths.
    y : int
        The position of the label, in pixels below the top of the panel.
    """
    if pool_depth is None or not depths or not min(depths) <= pool_depth <= max(depths):
        return []
    shared = {"data": {"values": [{"depth": pool_depth, "said": f"pool depth {pool_depth:,}"}]}}
    x = {**axis, "field": "depth"}
    # The label of a line far to the right stands on its left.
    left = pool_depth > (min(depths) * max(depths)) ** 0.5
    beside = {"align": "right", "dx": -5} if left else {"align": "left", "dx": 5}
    text = {"type": "text", "baseline": "top", "fontSize": LETTERS, "color": POOL, **beside}
    rule = {"type": "rule", "color": POOL, "strokeDash": [5, 3], "strokeWidth": 1.4}
    return [
        {**shared, "mark": rule, "encoding": {"x": x}},
        {**shared, "mark": text, "encoding": {"x": x, "y": value(y), "text": {"field": "said", "type": "nominal"}}},
    ]
