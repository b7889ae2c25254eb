"""Tables that fit a terminal of any width."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING

from metameter.view.escape import visible
from metameter.view.tables.cells import DECIMALS, is_number, rounded_column
from metameter.view.tables.columns import heading as heading_of
from metameter.view.tables.columns import is_error, other_end
from metameter.view.tables.wrapping import cells_wide, wrapped

if TYPE_CHECKING:
    import polars as pl


#: The widths to which names and sentences are wrapped before a column is left out, and before an essential one is.
COMFORTABLE, TIGHT = (20, 50), (8, 20)
#: Longer text is a sentence.
LONGEST_NAME = 40
#: A name in a heading is broken at that width, or at that of names in tight columns; words are not.
LONGEST_METRIC = 12
MOST_NAMES = 4

#: Larger tables are cut to their first rows.
MOST_ROWS, FIRST_ROWS = 200, 40
NARROWEST = 20
GAP, NARROW_GAP = 3, 2
RULE = "─"


def to_terminal(
    frame: pl.DataFrame,
    width: int | None = None,
    digits: int = DECIMALS,
    *,
    first: Sequence[str] = (),
    unshown: Sequence[str] = (),
    left_out: str = "",
    elsewhere: str = "--format csv",
) -> str:
    """A table that fits the terminal: numbers are never cut, names are wrapped, columns are left out if necessary.

    Control characters in names are spelled out.

    Parameters
    ----------
    frame : polars.DataFrame
    width : int, optional
        By default that of the terminal in use; at least 20.
    digits : int
        Decimals.
    first : sequence of str
        The columns that are left out last; after them, those that stand first.
    unshown : sequence of str
        Further columns that are not in the frame and are named as left out.
    left_out : str
        What else is left out, such as ``5 more depths``.
    elsewhere : str
        Where a reader finds the whole table.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"run": ["[red]a"], "mean": [0.5], "low": [0.25], "high": [0.75]})
    >>> print(to_terminal(frame, width=40))
     run        mean      low     high
    ───────────────────────────────────
     [red]a   0.5000   0.2500   0.7500
    >>> print(to_terminal(frame, width=30))
     run        mean
    ─────────────────
     [red]a   0.5000
    2 more columns: --format csv
    """
    total = max(NARROWEST, shutil.get_terminal_size().columns if width is None else width)
    columns = _columns(frame if frame.height <= MOST_ROWS else frame.head(FIRST_ROWS), digits)
    # The rule is one character longer at each end.
    room = total - 2
    gap = GAP if room_for(columns, GAP) <= room else NARROW_GAP
    fitting, folded = chosen(columns, room, gap, first)
    gap = GAP if room_for(fitting, GAP) <= room else NARROW_GAP
    lines = _lines(fitting, widths_of(fitting, room, gap, folded), gap)
    if frame.height > MOST_ROWS:
        lines += wrapped(f"... and {frame.height - FIRST_ROWS:,} more rows: {elsewhere}", total)
    names = {column.name for column in fitting}
    lines += _more_columns([*(name for name in frame.columns if name not in names), *unshown], total, elsewhere)
    if left_out:
        lines += wrapped(f"{left_out}: {elsewhere}", total)
    return "\n".join(lines)


def _columns(frame: pl.DataFrame, digits: int) -> list[Column]:
    return [
        Column(
            series.name, visible(heading_of(series.name)), list(map(visible, rounded_column(series, digits))), number
        )
        for series, number in zip(frame, is_number(frame), strict=True)
    ]


def _lines(columns: Sequence[Column], widths: Sequence[int], gap: int) -> list[str]:
    heads = [wrapped(column.heading, width) for column, width in zip(columns, widths, strict=True)]
    # Headings are aligned at the bottom.
    high = max(map(len, heads), default=0)
    lines = _laid_out([[""] * (high - len(head)) + head for head in heads], columns, widths, gap)
    lines.append(RULE * (sum(widths) + gap * (len(widths) - 1) + 2))
    for row in zip(*(column.cells for column in columns), strict=True):
        folded = [wrapped(cell, width) for cell, width in zip(row, widths, strict=True)]
        lines += _laid_out(folded, columns, widths, gap)
    return lines


def _laid_out(folded: Sequence[Sequence[str]], columns: Sequence[Column], widths: Sequence[int], gap: int) -> list[str]:
    """The lines of one row: as many as its highest cell has."""
    lines = []
    for number in range(max(map(len, folded), default=0)):
        cells = []
        for cell, column, width in zip(folded, columns, widths, strict=True):
            text = cell[number] if number < len(cell) else ""
            blank = " " * (width - cells_wide(text))
            cells.append(blank + text if column.number else text + blank)
        lines.append((" " + (" " * gap).join(cells)).rstrip())
    return lines


def _more_columns(names: Sequence[str], width: int, elsewhere: str) -> list[str]:
    """The line on the columns left out: their number, their names if these fit the line, and where they are."""
    if not names:
        return []
    count = f"{len(names)} more column{'s' if len(names) > 1 else ''}"
    named = f"{count} ({', '.join(map(visible, names))}): {elsewhere}"
    return [named] if cells_wide(named) <= width else wrapped(f"{count}: {elsewhere}", width)


@dataclass(frozen=True)
class Column:
    """One column of a table as text.

    Attributes
    ----------
    name : str
    heading : str
    cells : list of str
    number : bool
        It is right-aligned and never wrapped.
    """

    name: str
    heading: str
    cells: list[str]
    number: bool

    @cached_property
    def longest(self) -> int:
        """The widest cell."""
        return max(map(cells_wide, self.cells), default=0)

    @property
    def whole(self) -> int:
        """The width in which nothing is wrapped, not even the heading."""
        return max(self.longest, cells_wide(self.heading), 1)

    def least(self, folded: tuple[int, int]) -> int:
        """The least width: that of its numbers, or of names and sentences wrapped to ``folded``, and of its heading."""
        sentences = self.longest > LONGEST_NAME and any(" " in cell for cell in self.cells)
        text = self.longest if self.number else min(self.longest, folded[sentences])
        parts = self.heading.split(" ")
        longest = min(LONGEST_METRIC, folded[0])
        heading = (cells_wide(part) if part.isalpha() else min(cells_wide(part), longest) for part in parts)
        return max(text, *heading, 1)


def chosen(
    columns: Sequence[Column], room: int, gap: int, first: Sequence[str] = ()
) -> tuple[list[Column], tuple[int, int]]:
    """The columns that fit, in the order of the table, and the widths to which names and sentences are wrapped.

    The columns ``first`` are the most important, then those that stand first; Monte-Carlo errors come last. Columns
    that belong together (both ends of an interval, both members of a pair, wins, ties and losses) are kept or left out
    together. Text is wrapped further before an essential column is left out. Where columns are left out, empty columns
    of errors are.

    Examples
    --------
    >>> columns = [Column("metric", "metric", ["AP"], False), Column("low", "low", ["0.1"], True),
    ...     Column("high", "high", ["0.2"], True), Column("p", "p", ["0.5"], True)]
    >>> [column.name for column in chosen(columns, 16, 2)[0]]
    ['metric', 'p']
    """
    units = _by_importance(columns if _least_room(columns, gap) <= room else _estimated(columns), first)
    essential = _essential(units, first)
    folded, taken = COMFORTABLE, _taken(units, room, gap, COMFORTABLE)
    if not essential <= taken:
        needed = [unit for unit in units if unit[0].name in essential]
        folded, taken = TIGHT, _taken(needed, room, gap, TIGHT)
        taken = taken if essential <= taken else _taken(units, room, gap, TIGHT)
    return [column for column in columns if column.name in taken], folded


def _least_room(columns: Sequence[Column], gap: int) -> int:
    return sum(column.least(COMFORTABLE) + gap for column in columns) - gap


def _estimated(columns: Sequence[Column]) -> list[Column]:
    """The columns without empty columns of Monte-Carlo errors, such as those of a test without random draws."""
    return [column for column in columns if any(column.cells) or not is_error(column.name)]


def _essential(units: list[list[Column]], first: Sequence[str]) -> set[str]:
    """The columns ``first``; by default the names and the first number, if few names precede it."""
    if first:
        return {column.name for unit in units for column in unit if column.name in first}
    named = len(list(takewhile(lambda unit: not unit[0].number, units)))
    return {column.name for unit in units[: named + 1 if named < MOST_NAMES else 2] for column in unit}


def _by_importance(columns: Sequence[Column], first: Sequence[str]) -> list[list[Column]]:
    """The columns by importance, in lists of those that are kept or left out together."""
    by_name = {column.name: column for column in columns}
    order = [by_name[name] for name in first if name in by_name]
    order += sorted((column for column in columns if column.name not in first), key=lambda each: is_error(each.name))
    units: dict[str, list[Column]] = {}
    for column in order:
        units.setdefault(next(filter(by_name.__contains__, _leads(column.name)), column.name), []).append(column)
    return list(units.values())


def _leads(name: str) -> tuple[str, ...]:
    """The columns one of which decides whether this one is kept."""
    pair = f"{name[:-2]}_a" if name.endswith("_b") else ""
    return other_end(name, "high", "low"), pair, "wins" if name in ("ties", "losses") else ""


def _taken(units: list[list[Column]], room: int, gap: int, folded: tuple[int, int]) -> set[str]:
    """The names of the columns that fit; the room of one that does not fit goes to less important ones."""
    taken: set[str] = set()
    left = room + gap
    for unit in units:
        need = sum(column.least(folded) + gap for column in unit)
        if need <= left:
            left -= need
            taken |= {column.name for column in unit}
    return taken or {units[0][0].name}


def room_for(columns: Sequence[Column], gap: int) -> int:
    """The width in which nothing is wrapped."""
    return sum(column.whole for column in columns) + gap * (len(columns) - 1)


def widths_of(columns: Sequence[Column], room: int, gap: int, folded: tuple[int, int]) -> list[int]:
    """The width of each column: spare room goes to names first, always to the narrowest column, then to headings.

    Examples
    --------
    >>> columns = [Column("system", "system", ["a-long-name"], False), Column("mean", "mean score", ["0.5"], True)]
    >>> widths_of(columns, 20, 2, TIGHT), widths_of(columns, 40, 2, TIGHT)
    ([11, 5], [11, 10])
    """
    widths = [min(column.least(folded), room) for column in columns]
    left = room - gap * (len(columns) - 1) - sum(widths)
    narrow = [index for index, column in enumerate(columns) if column.longest > widths[index]]
    while left > 0 and narrow:
        index = min(narrow, key=widths.__getitem__)
        widths[index] += 1
        left -= 1
        narrow = [index for index in narrow if columns[index].longest > widths[index]]
    for index, column in enumerate(columns):
        # A heading that is wrapped anyway needs no more room than its words.
        more = column.whole - widths[index] if column.whole - widths[index] <= left else 0
        widths[index] += more
        left -= more
    return widths
