"""What charts along evaluation depths share: which depths are drawn, their axis, and the line of the pool depth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from metameter.view.charts.core.parts import number, value
from metameter.view.charts.core.theme import LETTERS

MOST_DEPTHS = 80
#: The pool depth: a crimson that no verdict has, and that differs from their vermilion for all kinds of colour vision.
POOL = "#CC1155"
#: Lines that are many: systems, and systems behind them.
THIN, FAINT = "#A2A2A2", "#D2D2D2"
#: What these colours are on a dark page.
ON_DARK = {POOL: "#FF7FA3", THIN: "#727A82", FAINT: "#434A51"}


def drawn_depths(depths: Iterable[int], keep: Iterable[int | None] = (), most: int = MOST_DEPTHS) -> list[int]:
    """The depths that are drawn: at equal ratios, as a logarithmic axis shows them; the first and the last among them.

    Parameters
    ----------
    depths : iterable of int
    keep : iterable of int or None
        Depths that are drawn in any case if they are among them, such as the pool depth.
    most : int
        No more than so many are drawn.

    Examples
    --------
    >>> drawn_depths(range(1, 1001), keep=[150], most=8)
    [1, 3, 10, 32, 100, 150, 316, 1000]
    >>> drawn_depths([10, 5, 5])
    [5, 10]
    """
    given = np.unique(np.fromiter(depths, dtype=np.int64))
    if len(given) <= most:
        return [int(depth) for depth in given]
    always = {given[0], given[-1], *(depth for depth in keep if depth in given)}
    chosen = always
    # At shallow depths many points of equal ratio are the same depth: more points, until there are too many depths.
    for points in range(2, 20 * most):
        wanted = np.round(np.geomspace(given[0], given[-1], points))
        more = always | set(given[np.searchsorted(given, wanted).clip(max=len(given) - 1)])
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
    found = [step * 10**power for power in range(9) for step in (1, 2, 5) if first <= step * 10**power <= last]
    # The last number is long: in a small pane it would run into the one before it.
    if len(found) > 8 and found[-1] >= 1000:
        del found[-2]
    # Of very few the axis would say too little.
    return found if len(found) > 1 else sorted({*found, round(first), round(last)})


def depth_axis(depths: Sequence[int], column: str = "depth", *, room: float = 1.0, **further: Any) -> dict[str, Any]:
    """The channel of depths: logarithmic, with round numbers; with room, it begins at the first depth divided by it."""
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
    return number(column, **{"title": "evaluation depth", "scale": scale, "axis": axis, **further})


def pool_line(pool_depth: int | None, depths: Sequence[int], axis: dict[str, Any], y: int = 3) -> list[Any]:
    """The layers of the dashed line at the pool depth, and of its name; none if it is not within the axis.

    Parameters
    ----------
    pool_depth : int or None
    depths : sequence of int
        Those of the axis.
    axis : dict
        The channel of depths.
    y : int
        Where its name begins, in pixels below the top of the panel.
    """
    if pool_depth is None or not depths or not min(depths) <= pool_depth <= max(depths):
        return []
    shared = {"data": {"values": [{"depth": pool_depth, "said": f"pool depth {pool_depth:,}"}]}}
    x = {**axis, "field": "depth"}
    # Where the line is far to the right, its name stands to its left.
    left = pool_depth > (min(depths) * max(depths)) ** 0.5
    beside = {"align": "right", "dx": -5} if left else {"align": "left", "dx": 5}
    text = {"type": "text", "baseline": "top", "fontSize": LETTERS, "color": POOL, **beside}
    rule = {"type": "rule", "color": POOL, "strokeDash": [5, 3], "strokeWidth": 1.4}
    return [
        {**shared, "mark": rule, "encoding": {"x": x}},
        {**shared, "mark": text, "encoding": {"x": x, "y": value(y), "text": {"field": "said", "type": "nominal"}}},
    ]
