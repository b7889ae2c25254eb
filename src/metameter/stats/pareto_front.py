"""The Pareto front: what no other point equals or beats in both coordinates."""

from __future__ import annotations

Point = tuple[float, float]


def front(points: list[Point]) -> list[Point]:
    """The points that no other point equals or beats in both coordinates, from left to right.

    Examples
    --------
    >>> front([(0, 0), (1, -1), (-1, -1), (0.5, 0)])
    [(0.5, 0), (1, -1)]
    """
    kept: list[Point] = []
    for x, y in sorted(set(points), reverse=True):
        if not kept or y > kept[-1][1]:
            kept.append((x, y))
    return kept[::-1]


def stairs(points: list[Point], left: float, bottom: float) -> list[Point]:
    """The front, and where its line enters at the left and leaves at the bottom.

    Examples
    --------
    >>> stairs([(0, 0), (1, -1)], left=-2, bottom=-3)
    [(-2, 0), (0, 0), (1, -1), (1, -3)]
    """
    steps = front(points)
    return [(left, steps[0][1]), *steps, (steps[-1][0], bottom)]
