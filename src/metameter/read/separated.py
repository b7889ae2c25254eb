"""Text with a header, its cells separated by commas or tabs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from metameter.errors import MetameterError
from metameter.read.columns import column_key, spellings
from metameter.types import counted

if TYPE_CHECKING:
    import polars as pl

__all__ = ["has_header", "is_headed", "separated_cells"]

_QUOTE, _END = ord('"'), ord("\n")
_BLOCK = 1 << 20


def is_headed(data: bytes, names: tuple[str, ...]) -> bool:
    r"""Whether the first line is a header: words, at least two of which are among these names.

    Examples
    --------
    >>> is_headed(b"Topic,Turn,Doc\n1,1,d1\n", ("topic", "doc")), is_headed(b"topic\t0\tdoc\t9.5\n", ("topic", "doc"))
    (True, False)
    """
    line = data.removeprefix(b"\xef\xbb\xbf").lstrip()[:10_000].partition(b"\n")[0]
    cells = [column_key(cell) for cell in re.split("[,\t]", line.decode(errors="replace"))]
    words = not any(re.fullmatch(r"[+-]?[\d.]+(e[+-]?\d+)?", cell) for cell in cells)
    return words and sum(cell in names for cell in cells) >= 2


def has_header(data: bytes, texts: tuple[str, ...], numbers: tuple[str, ...]) -> bool:
    r"""Whether text begins with a line that names at least two of the wanted columns.

    Examples
    --------
    >>> has_header(b"qid,docno,label\n", ("topic", "doc"), ("grade",)), has_header(b"401 0 d1 1", ("topic",), ())
    (True, False)
    """
    return is_headed(data, tuple(word for name in texts + numbers for word in spellings(name)))


def separated_cells(data: bytes, where: str) -> tuple[list[str], pl.DataFrame, Sequence[int]]:
    r"""The names of the columns, the cells as text and the line of each row.

    A tab in the first line makes it TSV, else it is CSV. An empty cell may be null.

    Examples
    --------
    >>> names, cells, lines = separated_cells(b'topic,doc\n\n1,"a,b"\n', "log.csv")
    >>> names, cells.rows(), lines
    (['topic', 'doc'], [('1', 'a,b')], [3])
    """
    text = _utf8(data, where).replace(b"\r\n", b"\n")
    lines = text.lstrip(b"\n")
    separator = "\t" if b"\t" in lines[: lines.find(b"\n") + 1 or None] else ","
    text = text.rstrip(b"\n") if text.endswith(b"\n\n") else text
    regular = None if b"\r" in text else _regular(text, separator)
    if regular is not None:
        return *regular, range(2, regular[1].height + 2)
    return _patient(text.decode(), separator, where)


def _utf8(data: bytes, where: str) -> bytes:
    what, start = "the text holds a null byte", data.find(b"\0")
    try:
        if not data.isascii():
            data.decode()
    except UnicodeDecodeError as problem:
        what, start = "the text is not UTF-8", problem.start
    if start >= 0:
        line = data.count(b"\n", 0, start) + 1
        raise MetameterError(what, where=f"{where}:{line}", fix="Convert the file to UTF-8.")
    return data.removeprefix(b"\xef\xbb\xbf")


def _regular(text: bytes, separator: str) -> tuple[list[str], pl.DataFrame] | None:
    """The names of the columns and the cells, read by Polars; None where Python's reader is needed.

    It is needed for empty lines, rows of another width, quotes within a cell and cells of several lines.
    """
    import polars as pl

    header = text[: text.find(b"\n") + 1].strip(b"\n")
    try:
        names = next(csv.reader([header.decode()], delimiter=separator)) if header.strip() else []
    except csv.Error:  # a name is too long for it
        return None
    # Polars ignores a separator at the end of the text; a line break within quotes would hide the line of a row.
    separators = None if text.endswith(separator.encode()) else _separators(text, separator)
    if separators is None or not names or _separators(header, separator) != len(names) - 1:
        return None
    schema = {str(position): pl.String for position in range(len(names))}
    quote = '"' if b'"' in text else None
    try:
        cells = pl.read_csv(text, separator=separator, has_header=False, skip_rows=1, quote_char=quote, schema=schema)
    except pl.exceptions.PolarsError:  # a row is too long, or there is none
        return None
    # None is too long: if there are as many separators as there should be, none is too short either.
    whole = separators == (cells.height + 1) * (len(names) - 1)
    return (names, cells) if whole and (len(names) > 1 or not cells["0"].null_count()) else None


def _separators(text: bytes, separator: str) -> int | None:
    r"""How many separators there are outside quotes; None where quotes are not around whole cells of one line.

    A quote within quotes is doubled: one pair ends and the next one begins there.

    Examples
    --------
    >>> _separators(b'1,"a,b"', ","), _separators(b'1,"a ""b"" c"', ","), _separators(b'1,a"b', ",")
    (1, 1, None)
    """
    if b'"' not in text:
        return text.count(separator.encode())
    import numpy as np

    codes = np.frombuffer(b"\n" + text + b"\n", dtype=np.uint8)
    count, inside = 0, 0
    for start in range(1, codes.size - 1, _BLOCK):
        block = codes[start : min(start + _BLOCK, codes.size - 1)]
        quotes = np.flatnonzero(block == _QUOTE)
        opens = (np.arange(quotes.size) + inside) % 2 == 0
        beside = codes[np.where(opens, quotes - 1, quotes + 1) + start]
        if not np.isin(beside, (_QUOTE, _END, ord(separator))).all():
            return None
        marks, ends = np.flatnonzero(block == ord(separator)), np.flatnonzero(block == _END)
        if ((np.searchsorted(quotes, ends) + inside) % 2).any():
            return None
        count += int(np.count_nonzero((np.searchsorted(quotes, marks) + inside) % 2 == 0))
        inside = (inside + quotes.size) % 2
    return None if inside else count


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
