"""Charts along iterations or other named steps: a column each, and what sums over them apart at the right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from metameter.view.charts.core.parts import field_name

_GAP = " "


def spaced(values: Sequence[Any], most: int, apart: Any = None) -> list[Any]:
    """At most so many values, evenly spaced, the first and the last among them; what stands apart comes after them.

    Examples
    --------
    >>> spaced(["All", "1", "2", "3", "4", "5"], 3, "All")
    ['1', '3', '5', 'All']
    """
    plain = [each for each in values if each != apart]
    if len(plain) > most:
        plain = [plain[place] for place in np.linspace(0, len(plain) - 1, most).round().astype(int)]
    return plain + [apart] * (apart in values and apart is not None)


def column_axis(column: str, values: Sequence[Any], apart: Any = None) -> dict[str, Any]:
    """The channel of columns; an empty one before what stands apart.

    Examples
    --------
    >>> column_axis("turn", ["1", "2", "All"], "All")["sort"]
    ['1', '2', ' ', 'All']
    """
    shown = [*values[:-1], _GAP, apart] if apart is not None and apart in values else list(values)
    scale, axis = {"type": "point", "padding": 0.5, "domain": shown}, {"labelAngle": 0, "ticks": False}
    named = {"field": field_name(column), "type": "nominal", "title": column}
    return {**named, "sort": shown, "scale": scale, "axis": axis}
