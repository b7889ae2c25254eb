"""Where the names of the metrics stand in the chart of gains, so that they hide neither dots nor lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from metameter.stats.pareto_front import stairs
from metameter.view.charts.axes import beyond, clipped
from metameter.view.charts.label_positions import Box, places

if TYPE_CHECKING:
    import polars as pl


X, Y = "consistency_difference", "power_difference"
ENDS = ("consistency_low", "consistency_high", "power_low", "power_high")


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


def label_offsets(part: pl.DataFrame, panels: Sequence[Panel]) -> pl.DataFrame:
    """The dots as far as they are within the frame, and how far from each its name stands.

    Parameters
    ----------
    part : polars.DataFrame
        A dot each: ``label``, both differences and the ends of their intervals; the first is the reference.
    panels : sequence of Panel
        The same panel, wide and narrow.

    Returns
    -------
    polars.DataFrame
        With ``x``, ``y`` and the ends of the whiskers (``left``, ``right``, ``bottom``, ``top``) within the frame;
        ``dx``, ``dy``, ``dx_narrow``, ``dy_narrow``, in pixels; what lies beyond is added to ``label`` in words.
    """
    import polars as pl

    rows = [_within(row, panels[0]) for row in part.iter_rows(named=True)]
    columns: dict[str, list[Any]] = {}
    for suffix, panel in zip(("", "_narrow"), panels, strict=True):
        dots = [panel.pixels(row["x"], row["y"]) for row in rows]
        lines = [*_whiskers(rows, panel), *_zero_lines(dots[0], panel), *_front_lines(rows, panel)]
        middles = places(dots, [row["label"] for row in rows], (panel.width, panel.height), lines)
        moves = [(round(x - a, 1), round(y - b, 1)) for (a, b), (x, y) in zip(dots, middles, strict=True)]
        columns |= {f"dx{suffix}": [x for x, _ in moves], f"dy{suffix}": [y for _, y in moves]}
    within = {key: [row[key] for row in rows] for key in ("x", "y", "left", "right", "bottom", "top", "label")}
    kinds = dict.fromkeys(("x", "y", "left", "right", "bottom", "top"), pl.Float64)
    return part.with_columns(pl.DataFrame({**within, **columns}, schema_overrides=kinds).get_columns())


def _within(row: dict[str, Any], panel: Panel) -> dict[str, Any]:
    far = [beyond(row[X], panel.across), beyond(row[Y], panel.up, "↓↑")]
    across = {key: clipped(row[end], panel.across) for key, end in (("x", X), ("left", ENDS[0]), ("right", ENDS[1]))}
    up = {key: clipped(row[end], panel.up) for key, end in (("y", Y), ("bottom", ENDS[2]), ("top", ENDS[3]))}
    # A whisker along the edge would look like a part of the frame.
    hidden = dict.fromkeys([*(("bottom", "top") if far[0] else ()), *(("left", "right") if far[1] else ())])
    return {**across, **up, **hidden, "label": " ".join(filter(None, [row["label"], *far]))}


def _whiskers(rows: list[dict[str, Any]], panel: Panel) -> list[Box]:
    boxes = []
    for row in rows:
        # Without an interval there is only the dot.
        left, right = (row["x"] if row[end] is None else row[end] for end in ("left", "right"))
        low, high = (row["y"] if row[end] is None else row[end] for end in ("bottom", "top"))
        boxes += [panel.box(left, right, row["y"], row["y"]), panel.box(row["x"], row["x"], low, high)]
    return boxes


def _zero_lines(reference: tuple[float, float], panel: Panel) -> list[Box]:
    """The zero lines cross at the reference."""
    right, down = reference
    corner = Box(right - 1, down - 1, right + 1, down + 1)
    return [corner._replace(left=0, right=panel.width), corner._replace(top=0, bottom=panel.height)]


def _front_lines(rows: list[dict[str, Any]], panel: Panel) -> list[Box]:
    return step_boxes(stairs([(row["x"], row["y"]) for row in rows], panel.across[0], panel.up[0]), panel)


def step_boxes(corners: Sequence[tuple[float, float]], panel: Panel) -> list[Box]:
    """The pixels of the steps between these corners."""
    boxes = []
    for (x0, y0), (x1, y1) in pairwise(corners):
        boxes += [panel.box(x0, x0, y1, y0), panel.box(x0, x1, y1, y1)]
    return boxes
