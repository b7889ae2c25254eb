"""Which columns of a table a terminal has room for, and how wide each is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from metameter.view.headings import is_error, other_end
from metameter.view.wrapping import cells_wide

__all__ = ["Column", "chosen", "room_for", "widths_of"]

#: What a name is folded to before a column is left out; and what it is folded to before the answer itself is.
COMFORTABLE, TIGHT = 20, 8
#: A word of a heading that is longer is broken: the name of a metric stands above numbers that are shorter.
LONGEST_WORD = 12


@dataclass(frozen=True)
class Column:
    """One column of a table as text.

    Attributes
    ----------
    name : str
    words : str
        Its heading.
    cells : list of str
    number : bool
        It stands flush right and is not folded.
    """

    name: str
    words: str
    cells: list[str]
    number: bool

    @cached_property
    def longest(self) -> int:
        """The widest cell."""
        return max(map(cells_wide, self.cells), default=0)

    @property
    def whole(self) -> int:
        """The width in which nothing is folded, not even the heading."""
        return max(self.longest, cells_wide(self.words), 1)

    def least(self, names: int) -> int:
        """The width it needs at least: for its numbers, or that much for names, and for a word of the heading."""
        words = max(map(cells_wide, self.words.split(" ")), default=0)
        return max(self.longest if self.number else min(self.longest, names), min(words, LONGEST_WORD), 1)


def chosen(columns: Sequence[Column], room: int, gap: int, first: Sequence[str] = ()) -> tuple[list[Column], int]:
    """The columns that fit, in the order of the table, and the width to which names are folded for that.

    What counts is, in this order: the columns that are said to, those that stand first, and at last Monte-Carlo errors.
    Both ends of an interval are shown, or none. Names are folded further where there would be no room for any answer.

    Examples
    --------
    >>> columns = [Column("metric", "metric", ["AP"], False), Column("low", "low", ["0.1"], True),
    ...     Column("high", "high", ["0.2"], True), Column("p", "p", ["0.5"], True)]
    >>> [column.name for column in chosen(columns, 16, 2)[0]]
    ['metric', 'p']
    """
    units = _by_importance(columns, first)
    # What the table is about, and the first thing that it says of it.
    named = list(takewhile(lambda unit: not unit[0].number, units))
    essential = {column.name for unit in units[: len(named) + 1] for column in unit}
    for names in (COMFORTABLE, TIGHT):
        taken = _taken(units, room, gap, names)
        if essential <= taken:
            break
    return [column for column in columns if column.name in taken], names


def _by_importance(columns: Sequence[Column], first: Sequence[str]) -> list[list[Column]]:
    """The columns, the most important first; those that are shown together in one list."""
    by_name = {column.name: column for column in columns}
    order = [by_name[name] for name in first if name in by_name]
    order += sorted((column for column in columns if column.name not in first), key=lambda each: is_error(each.name))
    units: dict[str, list[Column]] = {}
    for column in order:
        low = other_end(column.name, "high", "low")
        units.setdefault(low if low in by_name else column.name, []).append(column)
    return list(units.values())


def _taken(units: list[list[Column]], room: int, gap: int, names: int) -> set[str]:
    """The names of the columns that fit: one that does not leaves its room to those that count less."""
    taken: set[str] = set()
    left = room + gap
    for unit in units:
        need = sum(column.least(names) + gap for column in unit)
        if need <= left:
            left -= need
            taken |= {column.name for column in unit}
    return taken or {units[0][0].name}


def room_for(columns: Sequence[Column], gap: int) -> int:
    """The width in which nothing is folded."""
    return sum(column.whole for column in columns) + gap * (len(columns) - 1)


def widths_of(columns: Sequence[Column], room: int, gap: int, names: int) -> list[int]:
    """How wide each column is: what is left goes to names first, always to the narrowest column, then to headings.

    Examples
    --------
    >>> columns = [Column("system", "system", ["a-long-name"], False), Column("mean", "mean score", ["0.5"], True)]
    >>> widths_of(columns, 20, 2, 8), widths_of(columns, 40, 2, 8)
    ([11, 5], [11, 10])
    """
    widths = [min(column.least(names), room) for column in columns]
    left = room - gap * (len(columns) - 1) - sum(widths)
    wanting = [place for place, column in enumerate(columns) if column.longest > widths[place]]
    while left > 0 and wanting:
        place = min(wanting, key=widths.__getitem__)
        widths[place] += 1
        left -= 1
        wanting = [place for place in wanting if columns[place].longest > widths[place]]
    for place, column in enumerate(columns):
        # A heading that breaks anyway needs no more room than its words.
        given = column.whole - widths[place] if column.whole - widths[place] <= left else 0
        widths[place] += given
        left -= given
    return widths
