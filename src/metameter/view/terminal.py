"""Tables on a terminal."""

from __future__ import annotations

import io
import shutil
from typing import TYPE_CHECKING

from metameter.view.cells import DECIMALS, is_number, rounded_rows
from metameter.view.escape import visible

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

__all__ = ["to_terminal"]

MOST_ROWS = 1000
NARROWEST = 12


def to_terminal(frame: pl.DataFrame, width: int | None = None, digits: int = DECIMALS) -> str:
    """A table for people: numbers flush right and never cut, long names folded to the width of the terminal.

    Nothing in a name is taken for markup or for a command to the terminal.

    Examples
    --------
    >>> import polars as pl
    >>> print(to_terminal(pl.DataFrame({"run": ["[red]a"], "mean": [0.5]}), width=40))
     run        mean
    ─────────────────
     [red]a   0.5000
    """
    from rich.console import Console

    table = _table(frame.head(MOST_ROWS), digits)
    wanted = shutil.get_terminal_size().columns if width is None else width
    # Below the least width rich would leave columns out; a line that is too long for the terminal loses nothing.
    least = sum(column.min_width or 0 for column in table.columns) + 3 * len(table.columns)
    text = io.StringIO()
    Console(file=text, width=max(wanted, least), color_system=None, emoji=False, markup=False).print(table)
    lines = [line.rstrip() for line in text.getvalue().strip("\n").split("\n")]
    if frame.height > MOST_ROWS:
        lines.append(f" ... and {frame.height - MOST_ROWS:,} more rows; CSV shows all of them.")
    return "\n".join(lines)


def _table(frame: pl.DataFrame, digits: int) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=True)
    rows = rounded_rows(frame, digits)
    for index, (name, number) in enumerate(zip(frame.columns, is_number(frame), strict=True)):
        # A long heading breaks between its words, which leaves room for names.
        words = visible(name).replace("_", " ")
        longest = max(*map(len, words.split()), *(len(row[index]) for row in rows), 1)
        table.add_column(
            Text(words),
            justify="right" if number else "left",
            overflow="fold",
            # rich breaks a word only where the column is too narrow for it, so the least width is set here.
            min_width=longest if number else min(NARROWEST, longest),
        )
    for row in rows:
        # Text objects, not strings: rich reads markup in strings.
        table.add_row(*(Text(visible(cell)) for cell in row))
    return table
