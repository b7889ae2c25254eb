"""Text with a header, its cells separated by commas, tabs or semicolons."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from metameter.errors import MetameterError
from metameter.read.columns import column_key, spellings
from metameter.read.formats.base import TableFormat
from metameter.types import counted

if TYPE_CHECKING:
    import polars as pl

    from metameter.read.header_table import HeaderTable
    from metameter.read.trec.parse import Layout


_WORDS = frozenset(word for name in ("topic", "doc", "grade", "score", "rank") for word in spellings(name)) - {"rank"}
_BLOCK = 1 << 20
_NUMBER = re.compile(r"[+-]?[\d.]+(e[+-]?\d+)?")


class Delimited(TableFormat):
    """Rows of cells separated by commas, tabs or semicolons, below a line with the names of the columns."""

    order = 1

    def recognises(self, head: bytes, known_names: Collection[str] | None = None) -> bool:
        """Whether the first line is a header: words, at least two of which are known names."""
        line = head.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
        known = _WORDS if known_names is None else known_names
        return sum(word in known for word in header_words(line)) >= 2

    def table(self, data: bytes, where: str, layout: Layout | None = None) -> HeaderTable:
        """All columns, as text.

        A tab in the first line makes it TSV. Semicolons separate cells if they stand in the first two lines, and no
        comma in the first. Else it is CSV. An empty cell may be null.
        """
        from metameter.read.header_table import HeaderTable

        text = in_utf8_or_refused(data, where).replace(b"\r\n", b"\n")
        separator = _separator(text.lstrip(b"\n"))
        text = text.rstrip(b"\n") if text.endswith(b"\n\n") else text
        regular = None if b"\r" in text else _regular(text, separator)
        if regular is None:
            return HeaderTable.named(where, *_patient(text.decode(), separator, where))
        names, cells = regular
        return HeaderTable.named(where, names, cells, range(2, cells.height + 2))


def header_words(line: bytes) -> list[str]:
    """The keys of a line's cells if it may be a header; none if one of them is a number."""
    cells = [column_key(cell) for cell in re.split("[,;\t]", line.decode(errors="replace"))]
    return [] if any(map(_NUMBER.fullmatch, cells)) else cells


def _separator(text: bytes) -> str:
    header, below, *_ = [*re.split(rb"[\r\n]+", text[:_BLOCK], maxsplit=2), b""]
    if b"\t" in header:
        return "\t"
    return ";" if b";" in header and b"," not in header and (b";" in below or not below) else ","


def in_utf8_or_refused(data: bytes, where: str) -> bytes:
    """The text without a byte-order mark; text that is not UTF-8, or holds a null byte, is refused with its line."""
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
    """How many separators there are outside quotes; None where quotes do not enclose whole cells of one line."""
    if b'"' not in text:
        return text.count(separator.encode())
    quoted = re.compile(
        rb'(?<![^%b\n])"[^"\n]*+(?:""[^"\n]*+)*+"(?![^%b\n])' % (separator.encode(), separator.encode())
    )
    count = start = 0
    while start < len(text):
        stop = text.find(b"\n", start + _BLOCK) + 1 or len(text)
        unquoted = quoted.sub(b"", text[start:stop])
        if b'"' in unquoted:
            return None
        count, start = count + unquoted.count(separator.encode()), stop
    return count


def _patient(text: str, separator: str, where: str) -> tuple[list[str], pl.DataFrame, list[int]]:
    """The header, the cells and the line of each row, read by Python's csv module."""
    import polars as pl

    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        rows = [(reader.line_num, row) for row in reader if row]
    except csv.Error as problem:
        location = f"{where}:{reader.line_num}"
        raise MetameterError(f"the table cannot be read: {problem}", where=location, fix="Correct the line.") from None
    header = rows[0][1] if rows else []
    for line, row in rows:
        if len(row) != len(header):
            what, allowed = f"the row has {counted(len(row), 'cell')}", f"{len(header)}, as the header"
            raise MetameterError(what, where=f"{where}:{line}", allowed=allowed, fix="Correct the row.")
    schema = {str(position): pl.String for position in range(len(header))}
    return header, pl.DataFrame([row for _, row in rows[1:]], schema, orient="row"), [line for line, _ in rows[1:]]


FORMAT = Delimited()
