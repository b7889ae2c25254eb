"""The picture at the top of a report: every standard metric a row, with two intervals on common scales."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from metameter.meta.framework.metric_names import name_list
from metameter.meta.recommend.overview import figure_with_ends, group_text
from metameter.meta.recommend.summary import Summary, SummaryRow

#: The most rows that are shown before anything is unfolded: with them the picture fits the first screen.
MOST_ROWS = 14
#: The most names of a tile.
_MOST_NAMES = 6
#: Group -> the class of its row in the style sheet, its mark, and what it means; the marks differ in shape.
GROUPS = {
    "top": ("top", "●", "top: shown to beat another, below none"),
    "not shown": ("open", "○", "not shown: neither is shown"),
    "below": ("below", "▼", "below: shown to be below another"),
}


@dataclass(frozen=True)
class Scale:
    """The values that one column of intervals covers.

    Attributes
    ----------
    low, high : float
    ticks : tuple of (float, str)
        Position in per cent, and label.
    """

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]

    @classmethod
    def of(cls, values: Sequence[float | None], form: str, bounds: tuple[float, float]) -> Scale:
        """Return a scale that covers the values, with round ends.

        Examples
        --------
        >>> scale = Scale.of([0.52, 0.83, None], ".1f", (-1.0, 1.0))
        >>> scale.low, scale.high, [label for _, label in scale.ticks]
        (0.5, 0.9, ['0.5', '0.6', '0.7', '0.8', '0.9'])
        >>> [label for _, label in Scale.of([0.0, 1.0], ".0%", (0.0, 1.0)).ticks]
        ['0%', '50%', '100%']
        """
        known = [value for value in values if value is not None] or [*bounds]
        span = max(known) - min(known)
        step = next(each for each in (0.1, 0.2, 0.5, 1.0) if span <= 4 * each or each == 1.0)
        low = max(bounds[0], round(math.floor(min(known) / step + 1e-9) * step, 9))
        high = min(bounds[1], round(math.ceil(max(known) / step - 1e-9) * step, 9))
        if high <= low:
            low, high = (low - step, high) if high >= bounds[1] else (low, low + step)
        count = round((high - low) / step)
        at = [low + number * step for number in range(count + 1)]
        return cls(low, high, tuple((100 * (each - low) / (high - low), format(each, form)) for each in at))

    def position(self, value: float) -> float:
        """The position of a value in per cent, rounded so that pages are the same everywhere."""
        return round(100 * (value - self.low) / (self.high - self.low), 2)


@dataclass(frozen=True)
class Bar:
    """One interval: its ends and its middle in per cent, and its text; without an interval the ends are the middle."""

    left: float
    width: float
    middle: float
    text: str
    ends: str


@dataclass(frozen=True)
class PictureRow:
    """One metric: its name, its group as class, mark and text, and its two bars."""

    metric: str
    kind: str
    mark: str
    group: str
    bars: tuple[Bar | None, Bar | None]


@dataclass(frozen=True)
class Picture:
    """The rows that are shown, those that are folded away, and the scales of both columns."""

    rows: tuple[PictureRow, ...]
    folded: tuple[PictureRow, ...]
    scales: tuple[Scale, Scale]

    @property
    def groups(self) -> list[tuple[str, str, str]]:
        """The class, the mark and the meaning of each group that occurs."""
        kinds = {row.kind for row in (*self.rows, *self.folded)}
        return [group for group in GROUPS.values() if group[0] in kinds]


def tile_names(names: Sequence[str]) -> str:
    """The metrics of a tile; of many only the first, since the picture has all.

    Examples
    --------
    >>> tile_names(["AP", "RR"]), tile_names([f"m{number}" for number in range(9)])
    ('AP, RR', 'm0, m1, m2, m3, m4, m5 and 3 more')
    """
    return name_list(names, _MOST_NAMES)


def picture_of(summary: Summary) -> Picture:
    """Return the picture of a summary."""
    scales = (
        Scale.of([value for row in summary.rows for value in _consistency(row)], ".1f", (-1.0, 1.0)),
        Scale.of([value for row in summary.rows for value in _power(row)], ".0%", (0.0, 1.0)),
    )
    rows = tuple(_row(row, scales) for row in summary.rows)
    return Picture(rows[:MOST_ROWS], rows[MOST_ROWS:], scales)


def _consistency(row: SummaryRow) -> tuple[float | None, float | None, float | None]:
    return row.consistency, row.consistency_low, row.consistency_high


def _power(row: SummaryRow) -> tuple[float | None, float | None, float | None]:
    return row.power, row.power_low, row.power_high


def _row(row: SummaryRow, scales: tuple[Scale, Scale]) -> PictureRow:
    kind, mark, _ = GROUPS[row.group]
    bars = (_bar(_consistency(row), scales[0], ".2f"), _bar(_power(row), scales[1], ".0%"))
    return PictureRow(row.metric, kind, mark, group_text(row), bars)


def _bar(values: tuple[float | None, float | None, float | None], scale: Scale, form: str) -> Bar | None:
    value, low, high = values
    if value is None:
        return None
    left, right = (scale.position(value if end is None else end) for end in (low, high))
    text = figure_with_ends(values, form, intervals=False)
    return Bar(left, round(right - left, 2), scale.position(value), text, figure_with_ends(values, form))
