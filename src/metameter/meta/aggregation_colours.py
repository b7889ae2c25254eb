"""One colour for one aggregation, in whatever panel or chart it is drawn."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["aggregation_colours"]

_ORDER = ("ERG", "ETG", "avg", "max", "fin", "PE", "ERR")  # that of the paper


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

    found = [re.match(r"\w*", label) for label in labels]
    names = [match[0] if match else "" for match in found]
    if len(set(names)) < len(names) or not set(names) <= set(_ORDER):
        return None
    return [PALETTE[_ORDER.index(name)] for name in names]
