"""SVG that is the same bytes every time the same chart is drawn."""

from __future__ import annotations

import re

__all__ = ["without_drawing_ids"]


def without_drawing_ids(svg: str) -> str:
    """The figure without what differs between two drawings of it.

    Vega goes on counting gradients and clips from one chart to the next, so they are numbered anew. It also keeps
    labels for which there is no room as invisible text, which the PDF writer lists in an order that changes: that text
    is left out.

    Examples
    --------
    >>> without_drawing_ids('<text opacity="0">gone</text><path fill="url(#gradient_7)"/>')
    '<path fill="url(#gradient_0)"/>'
    """
    shown = re.sub(r'<text [^<>]*\bopacity="0"[^<>]*>[^<>]*</text>', "", svg)
    numbers: dict[str, int] = {}
    mark = r'(?<=[#"])(gradient_|clip)(\d+)(?=[")])'
    return re.sub(mark, lambda match: f"{match[1]}{numbers.setdefault(match[0], len(numbers))}", shown)
