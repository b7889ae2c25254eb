"""Tables on a terminal, of whatever width."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING

from metameter.view.escape import visible
from metameter.view.tables.cells import DECIMALS, is_number, rounded_column
from metameter.view.tables.columns import heading, is_error, other_end
from metameter.view.tables.wrapping import cells_wide, wrapped

if TYPE_CHECKING:
    import polars as pl


#: What names, and sentences, are folded to before a column is left out; and before one is that nobody can do without.
COMFORTABLE, TIGHT = (20, 50), (8, 20)
#: A cell of words that is longer is a sentence.
LONGEST_NAME = 40
#: The name of a metric that is a heading is broken to that, for it stands above shorter numbers; words are not.
LONGEST_METRIC = 12
MOST_NAMES = 4

#: A table of more rows than a person scrolls through is represented by its first ones.
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
    """A table for people, which fits: numbers flush right and never cut, names folded, columns left out if need be.

    Nothing in a name is taken for a command to the terminal.

    Parameters
    ----------
    frame : polars.DataFrame
    width : int, optional
        By default that of the terminal in use; less than 20 is taken for 20.
    digits : int
        Decimals.
    first : sequence of str
        The columns that are left out last; after them, those that stand first.
    unshown : sequence of str
        Further columns, which are not in the table and are to be seen elsewhere.
    left_out : str
        What else is to be seen there, such as ``5 more depths``.
    elsewhere : str
        Where the whole table is to be seen.

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
    wanted = max(NARROWEST, shutil.get_terminal_size().columns if width is None else width)
    columns = _columns(frame if frame.height <= MOST_ROWS else frame.head(FIRST_ROWS), digits)
    # A blank at each end of the rule.
    room = wanted - 2
    gap = GAP if room_for(columns, GAP) <= room else NARROW_GAP
    shown, folded = chosen(columns, room, gap, first)
    gap = GAP if room_for(shown, GAP) <= room else NARROW_GAP
    lines = _lines(shown, widths_of(shown, room, gap, folded), gap)
    if frame.height > MOST_ROWS:
        lines += wrapped(f"... and {frame.height - FIRST_ROWS:,} more rows: {elsewhere}", wanted)
    kept = {column.name for column in shown}
    lines += _more_columns([*(name for name in frame.columns if name not in kept), *unshown], wanted, elsewhere)
    if left_out:
        lines += wrapped(f"{left_out}: {elsewhere}", wanted)
    return "\n".join(lines)


def _columns(frame: pl.DataFrame, digits: int) -> list[Column]:
    return [
        Column(series.name, visible(heading(series.name)), list(map(visible, rounded_column(series, digits))), number)
        for series, number in zip(frame, is_number(frame), strict=True)
    ]


def _lines(columns: Sequence[Column], widths: Sequence[int], gap: int) -> list[str]:
    heads = [wrapped(column.words, width) for column, width in zip(columns, widths, strict=True)]
    # Headings stand on the rule.
    high = max(map(len, heads), default=0)
    lines = _laid_out([[""] * (high - len(head)) + head for head in heads], columns, widths, gap)
    lines.append(RULE * (sum(widths) + gap * (len(widths) - 1) + 2))
    for row in zip(*(column.cells for column in columns), strict=True):
        folded = [wrapped(cell, width) for cell, width in zip(row, widths, strict=True)]
        lines += _laid_out(folded, columns, widths, gap)
    return lines


def _laid_out(folded: Sequence[Sequence[str]], columns: Sequence[Column], widths: Sequence[int], gap: int) -> list[str]:
    """One row, of as many lines as its highest cell has."""
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
    """How many columns are not shown, which, and where they are; only how many where the names would fill lines."""
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

    def least(self, folded: tuple[int, int]) -> int:
        """The width it needs at least: for numbers, or that much for names and sentences; and for its heading."""
        sentences = self.longest > LONGEST_NAME and any(" " in cell for cell in self.cells)
        text = self.longest if self.number else min(self.longest, folded[sentences])
        words = (cells_wide(word) if word.isalpha() else min(cells_wide(word), LONGEST_METRIC) for word in self._parts)
        return max(text, *words, 1)

    @property
    def _parts(self) -> list[str]:
        return self.words.split(" ")


def chosen(
    columns: Sequence[Column], room: int, gap: int, first: Sequence[str] = ()
) -> tuple[list[Column], tuple[int, int]]:
    """The columns that fit, in the order of the table, and the widths to which names and sentences may be folded.

    What counts is, in this order: the columns that are said to, those that stand first, and at last Monte-Carlo errors.
    What belongs together (both ends of an interval, both of a pair, wins, ties and losses) is shown, or none of it.
    Text is folded further before a column is left out that nobody can do without. Where columns are left out, errors
    that nobody estimated are.

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
    """The columns without empty ones of Monte-Carlo errors: of a test that draws nothing, say."""
    return [column for column in columns if any(column.cells) or not is_error(column.name)]


def _essential(units: list[list[Column]], first: Sequence[str]) -> set[str]:
    """Those that are said to be; else what the table is about and the first number, if that does not stand far off."""
    if first:
        return {column.name for unit in units for column in unit if column.name in first}
    named = len(list(takewhile(lambda unit: not unit[0].number, units)))
    return {column.name for unit in units[: named + 1 if named < MOST_NAMES else 2] for column in unit}


def _by_importance(columns: Sequence[Column], first: Sequence[str]) -> list[list[Column]]:
    """The columns, the most important first; those that are shown together in one list."""
    by_name = {column.name: column for column in columns}
    order = [by_name[name] for name in first if name in by_name]
    order += sorted((column for column in columns if column.name not in first), key=lambda each: is_error(each.name))
    units: dict[str, list[Column]] = {}
    for column in order:
        units.setdefault(next(filter(by_name.__contains__, _leads(column.name)), column.name), []).append(column)
    return list(units.values())


def _leads(name: str) -> tuple[str, ...]:
    """The columns, one of which may be there, with which a column stays or goes."""
    pair = f"{name[:-2]}_a" if name.endswith("_b") else ""
    return other_end(name, "high", "low"), pair, "wins" if name in ("ties", "losses") else ""


def _taken(units: list[list[Column]], room: int, gap: int, folded: tuple[int, int]) -> set[str]:
    """The names of the columns that fit: one that does not leaves its room to those that count less."""
    taken: set[str] = set()
    left = room + gap
    for unit in units:
        need = sum(column.least(folded) + gap for column in unit)
        if need <= left:
            left -= need
            taken |= {column.name for column in unit}
    return taken or {units[0][0].name}


def room_for(columns: Sequence[Column], gap: int) -> int:
    """The width in which nothing is folded."""
    return sum(column.whole for column in columns) + gap * (len(columns) - 1)


def widths_of(columns: Sequence[Column], room: int, gap: int, folded: tuple[int, int]) -> list[int]:
    """How wide each column is: what is left goes to names first, always to the narrowest column, then to headings.

    Examples
    --------
    >>> columns = [Column("system", "system", ["a-long-name"], False), Column("mean", "mean score", ["0.5"], True)]
    >>> widths_of(columns, 20, 2, TIGHT), widths_of(columns, 40, 2, TIGHT)
    ([11, 5], [11, 10])
    """
    widths = [min(column.least(folded), room) for column in columns]
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
