"""Where the names of the metrics stand in the chart of gains, so that they hide neither dots nor lines."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from metameter.meta.recommend.pareto_front import stairs
from metameter.view.charts.label_places import Box, places

__all__ = ["ENDS", "Panel", "X", "Y", "label_points"]

X, Y = "consistency_difference", "power_difference"
ENDS = ("consistency_low", "consistency_high", "power_low", "power_high")


@dataclass(frozen=True)
class Panel:
    """A panel: the values at its edges, and its size in pixels.

    Examples
    --------
    >>> panel = Panel((0.0, 1.0), (0.0, 2.0), 100, 100)
    >>> panel.pixels(0.5, 0.5), panel.values(50.0, 75.0)
    ((50.0, 75.0), (0.5, 0.5))
    """

    across: tuple[float, float]
    up: tuple[float, float]
    width: float
    height: float

    def pixels(self, x: float, y: float) -> tuple[float, float]:
        """The pixels from the left and from the top of a point."""
        right = (x - self.across[0]) / (self.across[1] - self.across[0]) * self.width
        return right, self.height - (y - self.up[0]) / (self.up[1] - self.up[0]) * self.height

    def values(self, right: float, down: float) -> tuple[float, float]:
        """The point at these pixels, counted from the left and from the top."""
        x = self.across[0] + right / self.width * (self.across[1] - self.across[0])
        return x, self.up[0] + (self.height - down) / self.height * (self.up[1] - self.up[0])

    def box(self, left: float, right: float, low: float, high: float) -> Box:
        """The pixels of a line between these values, one pixel wider on every side."""
        (start, top), (end, bottom) = self.pixels(left, high), self.pixels(right, low)
        return Box(start - 1, top - 1, end + 1, bottom + 1)


def label_points(rows: list[dict[str, Any]], panel: Panel) -> list[tuple[float, float]]:
    """The middle of the name of each dot, as values of the axes; the first row is the canonical metric.

    Parameters
    ----------
    rows : list of dict
        A dot each: ``label``, both differences and the ends of their intervals.
    panel : Panel
    """
    dots = [panel.pixels(row[X], row[Y]) for row in rows]
    lines = [*_whiskers(rows, panel), *_zero_lines(dots[0], panel), *_front_lines(rows, panel)]
    middles = places(dots, [row["label"] for row in rows], (panel.width, panel.height), lines)
    return [panel.values(*middle) for middle in middles]


def _whiskers(rows: list[dict[str, Any]], panel: Panel) -> list[Box]:
    boxes = []
    for row in rows:
        # Without an interval there is only the dot.
        left, right = (row[X] if row[end] is None else row[end] for end in ENDS[:2])
        low, high = (row[Y] if row[end] is None else row[end] for end in ENDS[2:])
        boxes += [panel.box(left, right, row[Y], row[Y]), panel.box(row[X], row[X], low, high)]
    return boxes


def _zero_lines(canonical: tuple[float, float], panel: Panel) -> list[Box]:
    """The zero lines cross at the canonical metric."""
    right, down = canonical
    corner = Box(right - 1, down - 1, right + 1, down + 1)
    return [corner._replace(left=0, right=panel.width), corner._replace(top=0, bottom=panel.height)]


def _front_lines(rows: list[dict[str, Any]], panel: Panel) -> list[Box]:
    boxes = []
    for (x0, y0), (x1, y1) in pairwise(stairs([(row[X], row[Y]) for row in rows], panel.across[0], panel.up[0])):
        boxes += [panel.box(x0, x0, y1, y0), panel.box(x0, x1, y1, y1)]
    return boxes
