"""The form of TianGong-QRef: reformulation, clicks, usefulness and satisfaction, with tabs between them."""

from __future__ import annotations

import polars as pl

from metameter.errors import MetameterError
from metameter.read.sheets import Sheet
from metameter.types import counted

__all__ = ["sheet_of_tiangong"]

_COLUMNS = ("reformulation", "clicks", "usefulness", "satisfaction")


def sheet_of_tiangong(data: bytes, where: str) -> Sheet:
    r"""Clicks, usefulness (as the grades) and satisfaction; empty lines are skipped.

    Examples
    --------
    >>> sheet = sheet_of_tiangong(b"D\t[1, 0]\t[2, 0]\t3\n", "train.txt")
    >>> sheet.cells.rows(), sheet.place(0)
    ([('[1, 0]', '[2, 0]', '3')], 'train.txt:1')
    """
    lines, rows = [], []
    for number, line in enumerate(_text(data, where).split("\n"), start=1):
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != len(_COLUMNS):
            allowed = f"{len(_COLUMNS)}, with tabs between them: {', '.join(_COLUMNS)}"
            what = f"the line has {counted(len(cells), 'cell')}"
            raise MetameterError(
                what,
                where=f"{where}:{number}",
                given=line,
                allowed=allowed,
                fix="Correct the line, or leave input out.",
            )
        lines.append(number)
        rows.append(cells[1:])
    table = pl.DataFrame(rows, dict.fromkeys(("clicks", "grades", "satisfaction"), pl.String), orient="row")
    return Sheet(where, table, lambda row: f"{where}:{lines[row]}")


def _text(data: bytes, where: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise MetameterError(
            "the text is not UTF-8", where=f"{where}:{line}", fix="Convert the file to UTF-8."
        ) from None
