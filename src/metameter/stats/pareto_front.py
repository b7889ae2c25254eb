"""The Pareto front of points in the plane, both coordinates being better if larger."""

from __future__ import annotations

Point = tuple[float, float]


def front(points: list[Point]) -> list[Point]:
    """Return the points that no other point equals or exceeds in both coordinates, from left to right.

    Examples
    --------
    >>> front([(0, 0), (1, -1), (-1, -1), (0.5, 0)])
    [(0.5, 0), (1, -1)]
    """
    front_points: list[Point] = []
    for x, y in sorted(set(points), reverse=True):
        if not front_points or y > front_points[-1][1]:
            front_points.append((x, y))
    return front_points[::-1]


def stairs(points: list[Point], left: float, bottom: float) -> list[Point]:
    """Return the front with its step line extended to the left and the bottom edge of a chart.

    Examples
    --------
    >>> stairs([(0, 0), (1, -1)], left=-2, bottom=-3)
    [(-2, 0), (0, 0), (1, -1), (1, -3)]
    """
    steps = front(points)
    return [(left, steps[0][1]), *steps, (steps[-1][0], bottom)]
