"""Text with a header, its cells separated by commas or tabs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from metameter.errors import MetameterError
from metameter.read.columns import spellings
from metameter.types import counted

if TYPE_CHECKING:
    import polars as pl

__all__ = ["has_header", "is_headed", "separated_cells"]


def is_headed(data: bytes, names: tuple[str, ...]) -> bool:
    r"""Whether the first line is a header: words, at least two of which are among these names.

    Examples
    --------
    >>> is_headed(b"Topic,Turn,Doc\n1,1,d1\n", ("topic", "doc")), is_headed(b"topic\t0\tdoc\t9.5\n", ("topic", "doc"))
    (True, False)
    """
    line = data.removeprefix(b"\xef\xbb\xbf").lstrip()[:10_000].partition(b"\n")[0]
    cells = [cell.strip(' "\r').lower() for cell in re.split("[,\t]", line.decode(errors="replace"))]
    words = not any(re.fullmatch(r"[+-]?[\d.]+(e[+-]?\d+)?", cell) for cell in cells)
    return words and sum(cell in names for cell in cells) >= 2


def has_header(data: bytes, texts: tuple[str, ...], numbers: tuple[str, ...]) -> bool:
    r"""Whether text begins with a line that names at least two of the wanted columns.

    Examples
    --------
    >>> has_header(b"qid,docno,label\n", ("topic", "doc"), ("grade",)), has_header(b"401 0 d1 1", ("topic",), ())
    (True, False)
    """
    words = tuple(word for name in texts + numbers for word in spellings(name))
    return is_headed(data, (*words, *(word.replace("_", "-") for word in words)))


def separated_cells(data: bytes, where: str) -> tuple[list[str], pl.DataFrame, Sequence[int]]:
    r"""The names of the columns, the cells as text and the line of each row.

    A tab in the first line makes it TSV, else it is CSV.

    Examples
    --------
    >>> names, cells, lines = separated_cells(b'topic,doc\n\n1,"a,b"\n', "log.csv")
    >>> names, cells.rows(), lines
    (['topic', 'doc'], [('1', 'a,b')], [3])
    """
    text = _utf8(data, where).replace(b"\r\n", b"\n")
    header, _, body = text.partition(b"\n")
    separator = "\t" if b"\t" in text.lstrip(b"\n").partition(b"\n")[0] else ","
    names = header.decode().split(separator)
    if header.strip() and b'"' not in text and b"\r" not in text:
        cells = _regular(body, separator, len(names))
        if cells is not None:
            return names, cells, range(2, cells.height + 2)
    return _patient(text.decode(), separator, where)


def _utf8(data: bytes, where: str) -> bytes:
    what, start = "the text holds a null byte", data.find(b"\0")
    try:
        data.decode()
    except UnicodeDecodeError as problem:
        what, start = "the text is not UTF-8", problem.start
    if start >= 0:
        line = data.count(b"\n", 0, start) + 1
        raise MetameterError(what, where=f"{where}:{line}", fix="Convert the file to UTF-8.")
    return data.removeprefix(b"\xef\xbb\xbf")


def _regular(body: bytes, separator: str, width: int) -> pl.DataFrame | None:
    """The cells, fast; None if empty lines or rows of another width want patience."""
    import polars as pl

    schema = {str(position): pl.String for position in range(width)}
    try:
        cells = pl.read_csv(body, separator=separator, has_header=False, quote_char=None, schema=schema)
    except pl.exceptions.PolarsError:
        return None
    # Polars fills up empty lines and rows that are too short (their last cell is missing), and overlooks a separator
    # at the end of the text.
    whole = body.count(separator.encode()) == cells.height * (width - 1)
    return cells if whole and not cells[str(width - 1)].null_count() else None


def _patient(text: str, separator: str, where: str) -> tuple[list[str], pl.DataFrame, list[int]]:
    """The header, the cells and the line of each row, as Python's reader of CSV finds them."""
    import polars as pl

    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        rows = [(reader.line_num, row) for row in reader if row]
    except csv.Error as problem:
        place = f"{where}:{reader.line_num}"
        raise MetameterError(f"the table cannot be read: {problem}", where=place, fix="Correct the line.") from None
    header = rows[0][1] if rows else []
    for line, row in rows:
        if len(row) != len(header):
            what, allowed = f"the row has {counted(len(row), 'cell')}", f"{len(header)}, as the header"
            raise MetameterError(what, where=f"{where}:{line}", allowed=allowed, fix="Correct the row.")
    schema = {str(position): pl.String for position in range(len(header))}
    return header, pl.DataFrame([row for _, row in rows[1:]], schema, orient="row"), [line for line, _ in rows[1:]]
