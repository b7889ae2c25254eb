"""Columns of text separated by white space, the layout of every TREC file.

A regular file (one space, or one tab, between all columns) goes straight to Polars. Any other is made regular first.
What Polars refuses is read line by line, which defines the format and knows the line of every error.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError

if TYPE_CHECKING:
    import polars as pl

#: A line feed ends a line. In nearly all files everything up to a space is a blank.
SPACE, END = 32, 10
#: The byte-order mark of UTF-8.
MARK = b"\xef\xbb\xbf"
#: How a number is written; float() alone would also take 1_000 and white space.
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
# Other control characters are part of names; a null byte is refused.
_CONTROL = re.compile(rb"[\x01-\x08\x0e-\x1f]")
# Tab, line feed, vertical tab, form feed, carriage return.
_FIRST, _LAST = 9, 13
_BLOCK = 1 << 18
_BLANKS_AS_TABS = bytes.maketrans(b" \r\v\f", b"\t\t\t\t")


@dataclass(frozen=True)
class Layout:
    """The columns of a format: all of them, and the ones wanted as text and as numbers."""

    columns: tuple[str, ...]
    texts: tuple[str, ...]
    numbers: tuple[str, ...]

    @property
    def schema(self) -> dict[str, type[pl.DataType]]:
        """The type of each column."""
        import polars as pl

        return {name: pl.Float64 if name in self.numbers else pl.String for name in self.columns}

    @property
    def selection(self) -> tuple[str, ...]:
        """The columns of the table."""
        return self.texts + self.numbers


QRELS = Layout(("topic", "iter", "doc", "grade"), texts=("topic", "doc"), numbers=("grade",))
RUN = Layout(("topic", "Q0", "doc", "rank", "score", "tag"), texts=("topic", "doc"), numbers=("score",))


def parse(data: bytes, layout: Layout, where: str) -> pl.DataFrame:
    r"""Return the wanted columns of whitespace-separated lines, in file order.

    Examples
    --------
    >>> parse(b"# judged by us\n401 0  d1 \t 1\r\n\n402 0 d2 -1", QRELS, "qrels").rows()
    [('401', 'd1', 1.0), ('402', 'd2', -1.0)]
    """
    table = _parse_regular(regular_text(data), layout)
    if table is None:
        table = _parse_regular(_made_regular(without_marks(data)), layout)
    return read_line_by_line(data, layout, where) if table is None else table


def regular_text(data: bytes) -> bytes:
    """The text with plain ends of lines and without byte-order marks."""
    text = without_marks(data)
    return text.replace(b"\r\n", b"\n") if b"\r" in text else text


def without_marks(data: bytes) -> bytes:
    """The text without the byte-order marks at the start of lines: each part of a concatenated file may have one."""
    # Searching for a single byte is ten times faster than for three.
    if MARK[:1] not in data:
        return data
    return data.removeprefix(MARK).replace(b"\n" + MARK, b"\n")


def is_plain(data: bytes) -> bool:
    """Whether text is UTF-8 and begins with a name."""
    # Polars would drop a mark that is part of a name.
    if not data or data[:1].isspace() or data.startswith(MARK):
        return False
    try:
        return data.isascii() or bool(data.decode())
    except UnicodeDecodeError:
        return False


def _parse_regular(data: bytes, layout: Layout) -> pl.DataFrame | None:
    """The table, if one and the same blank stands between all columns of all lines; else None."""
    import polars as pl

    width = len(layout.columns)
    separator = separator_of(data) if is_plain(data) else None
    if separator is None:
        return None
    lines = _count_lines(data, separator, width, exact=False)
    if lines is None and has_control(data):
        lines = _count_lines(data, separator, width, exact=True)
    if lines is None:
        return None
    # Looking for comments costs Polars time; finding that no line can be one does not.
    comment = "#" if b"#" in data else None
    lazy = pl.scan_csv(
        data, separator=separator, has_header=False, quote_char=None, comment_prefix=comment, schema=layout.schema
    )
    # There are as many blanks as there should be: if no line lacks its last column, then none has more than that.
    read = tuple(dict.fromkeys((*layout.selection, layout.columns[-1])))
    try:
        table = lazy.select(read).collect()
    except pl.exceptions.PolarsError:
        return None
    whole = table.height == lines and not any(table[name].null_count() for name in read)
    finite = whole and all(np.isfinite(table[name].to_numpy()).all() for name in layout.numbers)
    return table[list(layout.selection)] if finite else None


def separator_of(data: bytes) -> str | None:
    """The first blank of the data, if it can separate columns."""
    first = re.search(rb"[\0\t-\r ]", data)
    return first[0].decode() if first is not None and first[0] in (b" ", b"\t") else None


def has_control(data: bytes, start: int = 0, stop: int = sys.maxsize) -> bool:
    """Whether there are control characters that are part of names, and no null byte, which is refused elsewhere."""
    return _CONTROL.search(data, start, stop) is not None and data.find(b"\0", start, stop) < 0


def blanks_in(codes: NDArray[np.uint8], *, exact: bool) -> NDArray[np.bool_]:
    """Which bytes are blanks: everything up to a space or, if ``exact``, the white space of ASCII."""
    return (codes == SPACE) | ((codes >= _FIRST) & (codes <= _LAST)) if exact else codes <= SPACE


def _count_lines(data: bytes, separator: str, width: int, *, exact: bool) -> int | None:
    """The number of lines; None if two blanks are adjacent, or blanks are missing or superfluous."""
    codes, blanks, separators, ends = np.frombuffer(data, dtype=np.uint8), 0, 0, 0
    for start in range(0, len(data), _BLOCK):  # in blocks that stay in the cache
        block = codes[start : start + _BLOCK + 1]
        blank = blanks_in(block, exact=exact)
        if (blank[1:] & blank[:-1]).any():
            return None
        blanks += int(np.count_nonzero(blank[:_BLOCK]))
        separators += int(np.count_nonzero(block[:_BLOCK] == ord(separator)))
        ends += int(np.count_nonzero(block[:_BLOCK] == END))
    ended = data.endswith(b"\n")
    lines = ends if ended else ends + 1
    regular = blanks == separators + ends and separators == lines * (width - 1)
    # A blank at the very end looks like the separator before a last column that is not there.
    return lines if regular and (ended or not data[-1:].isspace()) else None


def _made_regular(data: bytes) -> bytes:
    text = data.translate(_BLANKS_AS_TABS)
    for many, one in ((b"\t\t", b"\t"), (b"\t\n", b"\n"), (b"\n\t", b"\n"), (b"\n\n", b"\n")):
        while many in text:
            text = text.replace(many, one)
    text = text.strip(b"\t\n")
    return re.sub(rb"(?m)^#.*(?:\n|\Z)", b"", text) if b"#" in text else text


def content_lines(data: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """Line number and columns of every line that is neither blank nor a comment."""
    for number, line in enumerate(without_marks(data).split(b"\n"), start=1):
        columns = line.split()
        if columns and not columns[0].startswith(b"#"):
            yield number, columns


def line_of_row(data: bytes, row: int) -> int:
    """The line on which the table's row (from 0) stands."""
    return next(islice(content_lines(data), row, None))[0]


def _refuse(problem: MetameterError) -> None:
    raise problem


def read_line_by_line(
    data: bytes, layout: Layout, where: str, report: Callable[[MetameterError], None] = _refuse
) -> pl.DataFrame:
    r"""Return the wanted columns; ``report`` is called with the error of each line that does not fit, and raises it.

    Examples
    --------
    >>> read_line_by_line(b"401 1\n402 a\n", Layout(("topic", "x"), ("topic",), ("x",)), "q")
    Traceback (most recent call last):
    metameter.errors.MetameterError: q:2: the x is not a number (given 'a', allowed: a finite number). Correct the x.
    """
    import polars as pl

    rows, number = [], 0
    for number, fields in content_lines(data):
        try:
            rows.append(_row(fields, layout, f"{where}:{number}"))
        except MetameterError as problem:
            report(problem)
    if not number:
        fix = f"Give lines of the form: {' '.join(layout.columns)}."
        report(MetameterError("the file is empty", where=where, fix=fix))
    return pl.DataFrame(rows, schema={name: layout.schema[name] for name in layout.selection}, orient="row")


def _row(fields: list[bytes], layout: Layout, location: str) -> tuple[str | float, ...]:
    if len(fields) != len(layout.columns):
        raise MetameterError(
            f"the line has {len(fields)} column{'s' if len(fields) != 1 else ''}",
            where=location,
            given=b" ".join(fields).decode(errors="replace"),
            allowed=f"{len(layout.columns)} columns: {' '.join(layout.columns)}",
            fix="Correct the line.",
        )
    cells = {name: _text(field, location) for name, field in zip(layout.columns, fields, strict=True)}
    return (*map(cells.__getitem__, layout.texts), *(_number(cells[name], name, location) for name in layout.numbers))


def _text(field: bytes, location: str) -> str:
    what = "the text holds a null byte"
    try:
        if b"\x00" not in field:
            return field.decode()
    except UnicodeDecodeError:
        what = "the text is not UTF-8"
    raise MetameterError(what, where=location, given=field, fix="Convert the file to UTF-8.")


def _number(text: str, name: str, location: str) -> float:
    value = float(text) if NUMBER.fullmatch(text) else math.nan
    if math.isfinite(value):
        return value
    what, fix = f"the {name} is not a number", f"Correct the {name}."
    raise MetameterError(what, where=location, given=text, allowed="a finite number", fix=fix)
