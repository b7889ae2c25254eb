"""Figures that are the same bytes every time."""

from __future__ import annotations

import re

__all__ = ["settled"]


def settled(svg: str) -> str:
    """The figure without what differs between two drawings of it.

    Vega numbers gradients and clips on from chart to chart, and keeps labels for which there is no room as
    invisible ones, whose transparency the PDF writer puts in an order that changes.

    Examples
    --------
    >>> settled('<text opacity="0">gone</text><path fill="url(#gradient_7)"/>')
    '<path fill="url(#gradient_0)"/>'
    """
    shown = re.sub(r'<text [^<>]*\bopacity="0"[^<>]*>[^<>]*</text>', "", svg)
    numbers: dict[str, int] = {}
    mark = r'(?<=[#"])(gradient_|clip)(\d+)(?=[")])'
    return re.sub(mark, lambda match: f"{match[1]}{numbers.setdefault(match[0], len(numbers))}", shown)
