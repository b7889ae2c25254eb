"""Tables on a terminal, of whatever width."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING

from metameter.view.cells import DECIMALS, is_number, rounded_column
from metameter.view.escape import visible
from metameter.view.fitting import Column, chosen, room_for, widths_of
from metameter.view.headings import heading
from metameter.view.wrapping import cells_wide, wrapped

if TYPE_CHECKING:
    import polars as pl

__all__ = ["MOST_ROWS", "to_terminal"]

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
