"""Where to write names beside dots, so that they hide neither each other nor the dots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Box", "places"]

LETTER, LINE = 6.9, 14.0
_DOT = 5.0


class Box(NamedTuple):
    """A rectangle in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def shared(self, other: Box) -> float:
        """The area that two rectangles have in common."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(wide, 0.0) * max(high, 0.0)


def places(
    dots: Sequence[tuple[float, float]],
    names: Sequence[str],
    size: tuple[float, float],
    bars: Sequence[Box] = (),
) -> list[tuple[float, float]]:
    """The middle of each name, near its dot: the first of several places around it that is least in the way.

    Parameters
    ----------
    dots : sequence of (x, y), in pixels
    names : sequence of str
        The first names choose their places first.
    size : (width, height)
        Names must stay within.
    bars : sequence of Box
        Lines, over which a name is written only if there is no better place.

    Examples
    --------
    >>> places([(50, 50), (60, 50)], ["ERG", "max"], (200, 100))  # the second dot is in the way of the first name
    [(29.6, 50.0), (80.3, 50.0)]
    """
    marks = [Box(x - _DOT, y - _DOT, x + _DOT, y + _DOT) for x, y in dots]
    written: list[Box] = []
    middles = []
    for (x, y), name in zip(dots, names, strict=True):
        options = [_box(cx, cy, name) for cx, cy in _around(x, y, LETTER * len(name))]
        best = min(options, key=lambda box: _cost(box, written, marks, bars, size))
        written.append(best)
        middles.append((round((best.left + best.right) / 2, 1), round((best.top + best.bottom) / 2, 1)))
    return middles


def _around(x: float, y: float, wide: float) -> list[tuple[float, float]]:
    beside, above = wide / 2 + _DOT + 5, LINE / 2 + _DOT + 1
    near = [(x + beside, y), (x - beside, y), (x, y - above), (x, y + above)]
    corners = [
        (x + side * beside, y + up * LINE * step / 2) for step in (1, 2, 3) for up in (-1, 1) for side in (1, -1)
    ]
    return near + corners


def _box(x: float, y: float, name: str) -> Box:
    wide = LETTER * len(name)
    return Box(x - wide / 2, y - LINE / 2, x + wide / 2, y + LINE / 2)


def _cost(
    box: Box, written: Sequence[Box], marks: Sequence[Box], bars: Sequence[Box], size: tuple[float, float]
) -> float:
    area = LINE * (box.right - box.left)
    outside = area - box.shared(Box(0, 0, *size))
    return (
        20 * outside
        + 10 * sum(map(box.shared, written))
        + 10 * sum(map(box.shared, marks))
        + 3 * sum(map(box.shared, bars))
    )
