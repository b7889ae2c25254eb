"""The colour of an aggregation, the same in every chart and panel."""

from __future__ import annotations

import re
from collections.abc import Sequence

from metameter.registry import find

__all__ = ["aggregation_colours"]


def aggregation_colours(labels: Sequence[str]) -> list[str] | None:
    """The colours of labels that begin with an aggregation; None if some do not, or two would look the same.

    Examples
    --------
    >>> aggregation_colours(["max", "ERG (canonical) = ETG"]) == aggregation_colours(["max", "ERG"])
    True
    >>> aggregation_colours(["PE(beta=0.5)", "PE(beta=0.8)"]), aggregation_colours(["AP"])
    (None, None)
    """
    from metameter.view.charts.theme import PALETTE

    positions = [_palette_position(label) for label in labels]
    known = [position for position in positions if position is not None and position < len(PALETTE)]
    if len(set(known)) < len(labels):
        return None
    return [PALETTE[position] for position in known]


def _palette_position(label: str) -> int | None:
    name = re.match(r"\w*", label)
    aggregation = find("aggregate", name[0]) if name else None
    position: int | None = None if aggregation is None else aggregation.colour
    return position
