"""The colour of an aggregation, the same in every chart and panel."""

from __future__ import annotations

import re
from collections.abc import Sequence

from metameter.registry import find

# "PE(beta=0.5)* = fin" begins with an aggregation, "ERR*ERR@10" with a browsing model.
_FIRST = re.compile(r"(\w+)(\([^)]*\))?\*?(?= |$)")


def aggregation_colours(labels: Sequence[str]) -> list[str]:
    """The colours of labels that begin with an aggregation; ink and greys for the others.

    Two aggregations that differ in a parameter only have one colour: the dashes of their lines tell them apart.

    Examples
    --------
    >>> aggregation_colours(["max", "ERG (canonical) = ETG"]) == aggregation_colours(["max", "ERG"])
    True
    >>> aggregation_colours(["AP", "ERR*ERR@10", "max"])
    ['#222222', '#6B6B6B', '#B8B80A']
    """
    from metameter.view.charts.core.theme import PALETTE, SERIES

    positions = [_palette_position(label) for label in labels]
    colours = []
    for position in positions:
        if position is not None and position < len(PALETTE):
            colours.append(PALETTE[position])
        else:
            colours.append(SERIES[sum(each in SERIES for each in colours) % len(SERIES)])
    return colours


def _palette_position(label: str) -> int | None:
    first = _FIRST.match(label)
    aggregation = find("aggregate", first[1]) if first else None
    position: int | None = None if aggregation is None else aggregation.colour
    return position
