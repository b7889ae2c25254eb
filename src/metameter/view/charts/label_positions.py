"""Where to write names beside dots, so that they hide neither each other nor the dots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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


def label_positions(
    dots: Sequence[tuple[float, float]],
    names: Sequence[str],
    size: tuple[float, float],
    bars: Sequence[Box] = (),
    *,
    far: bool = False,
) -> list[tuple[float, float]]:
    """The middle of each name, at the first of several positions around its dot that overlaps least.

    Parameters
    ----------
    dots : sequence of (x, y), in pixels
    names : sequence of str
        Earlier names choose their positions first.
    size : (width, height)
        Names must stay within.
    bars : sequence of Box
        Lines, over which a name is written only if there is no better position.
    far : bool
        Whether names may stand further away, where a line connects them with their dots.

    Examples
    --------
    >>> label_positions([(50, 50), (60, 50)], ["ERG", "max"], (200, 100))  # the second dot blocks the right
    [(29.6, 50.0), (80.3, 50.0)]
    """
    marks = [Box(x - _DOT, y - _DOT, x + _DOT, y + _DOT) for x, y in dots]
    # Names, dots and the lines between, with what it costs to write over them.
    taken, price = [*marks, *bars], [10.0] * len(marks) + [3.0] * len(bars)
    middles = []
    for (x, y), name in zip(dots, names, strict=True):
        wide = LETTER * len(name)
        around = [*_around(x, y, wide), *(_further(x, y, wide) if far else [])]
        options = [_box(cx, cy, name) for cx, cy in around]
        # Of positions that overlap equally, the nearer one is better.
        away = np.hypot(*(np.array(around) - (x, y)).T) * far
        best = options[int((_costs(options, taken, price, size) + away).argmin())]
        taken.append(best)
        price.append(10.0)
        middles.append((round((best.left + best.right) / 2, 1), round((best.top + best.bottom) / 2, 1)))
    return middles


def _around(x: float, y: float, wide: float) -> list[tuple[float, float]]:
    beside, above = wide / 2 + _DOT + 5, LINE / 2 + _DOT + 1
    near = [(x + beside, y), (x - beside, y), (x, y - above), (x, y + above)]
    corners = [
        (x + side * beside, y + up * LINE * step / 2) for step in (1, 2, 3) for up in (-1, 1) for side in (1, -1)
    ]
    return near + corners


def _further(x: float, y: float, wide: float) -> list[tuple[float, float]]:
    sides = [side * (wide / 2 + away) for away in (_DOT + 5, 30, 60, 90) for side in (1, -1)]
    return [(x + side, y + up * LINE * lines) for side in sides for lines in (1.2, 2.2, 3.2, 4.5, 6) for up in (-1, 1)]


def _box(x: float, y: float, name: str) -> Box:
    wide = LETTER * len(name)
    return Box(x - wide / 2, y - LINE / 2, x + wide / 2, y + LINE / 2)


def _costs(
    options: Sequence[Box], taken: Sequence[Box], price: Sequence[float], size: tuple[float, float]
) -> NDArray[np.float64]:
    """How much each position overlaps what is drawn already, and how much of it lies outside."""
    boxes = np.array(options)
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    outside = area - _shared(boxes, np.array([(0.0, 0.0, *size)]))[:, 0]
    costs: NDArray[np.float64] = 20 * outside + _shared(boxes, np.array(taken)) @ np.array(price)
    # Costs that are equal up to rounding become equal, so that the first position is chosen.
    return costs.round(6)


def _shared(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """The area that every rectangle of one array has in common with every one of the other."""
    low, high = np.maximum(a[:, None, :2], b[None, :, :2]), np.minimum(a[:, None, 2:], b[None, :, 2:])
    sides: NDArray[np.float64] = np.clip(high - low, 0.0, None)
    return sides[..., 0] * sides[..., 1]


@dataclass(frozen=True)
class Panel:
    """A panel: the values at its edges, and its size in pixels.

    Examples
    --------
    >>> Panel((0.0, 1.0), (0.0, 2.0), 100, 100).pixels(0.5, 0.5)
    (50.0, 75.0)
    """

    across: tuple[float, float]
    up: tuple[float, float]
    width: float
    height: float

    def pixels(self, x: float, y: float) -> tuple[float, float]:
        """The pixels from the left and from the top of a point."""
        right = (x - self.across[0]) / (self.across[1] - self.across[0]) * self.width
        return right, self.height - (y - self.up[0]) / (self.up[1] - self.up[0]) * self.height

    def box(self, left: float, right: float, low: float, high: float) -> Box:
        """The pixels of a line between these values, one pixel wider on every side."""
        (start, top), (end, bottom) = self.pixels(left, high), self.pixels(right, low)
        return Box(start - 1, top - 1, end + 1, bottom + 1)


def step_boxes(corners: Sequence[tuple[float, float]], panel: Panel) -> list[Box]:
    """The pixels of the steps between these corners."""
    boxes = []
    for (x0, y0), (x1, y1) in pairwise(corners):
        boxes += [panel.box(x0, x0, y1, y0), panel.box(x0, x1, y1, y1)]
    return boxes
