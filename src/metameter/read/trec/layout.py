"""Columns of text, separated by white space: the layout of every TREC file.

A regular file (one space, or one tab, between all columns) goes straight to Polars. Any other is made
regular first. What Polars refuses is read line by line, which is the definition of the format and finds the
line at fault. All three give the same table.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.read.trec.lines import MARK, read_line_by_line, without_marks

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    *("END", "QRELS", "RUN", "Layout", "blanks_in", "has_control", "is_plain", "parse", "regular_text", "separator_of"),
]

#: A line feed ends a line. In nearly all files everything up to a space is a blank.
SPACE, END = 32, 10
#: Other control characters are part of names; a null byte is refused.
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
    def wanted(self) -> tuple[str, ...]:
        """The columns of the table."""
        return self.texts + self.numbers


QRELS = Layout(("topic", "iter", "doc", "grade"), texts=("topic", "doc"), numbers=("grade",))
RUN = Layout(("topic", "Q0", "doc", "rank", "score", "tag"), texts=("topic", "doc"), numbers=("score",))


def parse(data: bytes, layout: Layout, where: str) -> pl.DataFrame:
    r"""The wanted columns of whitespace-separated lines, in file order.

    Examples
    --------
    >>> qrels = Layout(("topic", "iter", "doc", "grade"), ("topic", "doc"), ("grade",))
    >>> parse(b"# judged by us\n401 0  d1 \t 1\r\n\n402 0 d2 -1", qrels, "qrels").rows()
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


def is_plain(data: bytes) -> bool:
    """Whether text is UTF-8 and begins with a name."""
    # Polars would drop a mark that is part of a name.
    return bool(data) and not data[:1].isspace() and not data.startswith(MARK) and (data.isascii() or _is_utf8(data))


def _parse_regular(data: bytes, layout: Layout) -> pl.DataFrame | None:
    """The table, if one and the same blank stands between all columns of all lines; else None."""
    import polars as pl

    width = len(layout.columns)
    separator = separator_of(data) if is_plain(data) else None
    lines = None if separator is None else _lines(data, separator, width)
    if separator is None or lines is None:
        return None
    # Looking for comments costs Polars time; finding that no line can be one does not.
    comment = "#" if b"#" in data else None
    lazy = pl.scan_csv(
        data, separator=separator, has_header=False, quote_char=None, comment_prefix=comment, schema=layout.schema
    )
    # There are as many blanks as there should be: if no line lacks its last column, then none has more than that.
    read = tuple(dict.fromkeys((*layout.wanted, layout.columns[-1])))
    try:
        table = lazy.select(read).collect()
    except pl.exceptions.PolarsError:
        return None
    whole = table.height == lines and not any(table[name].null_count() for name in read)
    finite = whole and all(np.isfinite(table[name].to_numpy()).all() for name in layout.numbers)
    return table[list(layout.wanted)] if finite else None


def separator_of(data: bytes) -> str | None:
    """The first blank of the data, if it can separate columns."""
    first = re.search(rb"[\0\t-\r ]", data)
    return first[0].decode() if first is not None and first[0] in (b" ", b"\t") else None


def _lines(data: bytes, separator: str, width: int) -> int | None:
    """How many lines there are; None if blanks stand side by side, or are not those that there should be."""
    lines = _counted_lines(data, separator, width, exact=False)
    if lines is None and has_control(data):
        lines = _counted_lines(data, separator, width, exact=True)
    return lines


def has_control(data: bytes, start: int = 0, stop: int = sys.maxsize) -> bool:
    """Whether there are control characters that are part of names, and no null byte, which is refused elsewhere."""
    return _CONTROL.search(data, start, stop) is not None and data.find(b"\0", start, stop) < 0


def blanks_in(codes: NDArray[np.uint8], *, exact: bool) -> NDArray[np.bool_]:
    """Which bytes are blanks: everything up to a space or, exactly, the white space of ASCII."""
    return (codes == SPACE) | ((codes >= _FIRST) & (codes <= _LAST)) if exact else codes <= SPACE


def _counted_lines(data: bytes, separator: str, width: int, *, exact: bool) -> int | None:
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


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _made_regular(data: bytes) -> bytes:
    text = data.translate(_BLANKS_AS_TABS)
    for many, one in ((b"\t\t", b"\t"), (b"\t\n", b"\n"), (b"\n\t", b"\n"), (b"\n\n", b"\n")):
        while many in text:
            text = text.replace(many, one)
    text = text.strip(b"\t\n")
    return re.sub(rb"(?m)^#.*(?:\n|\Z)", b"", text) if b"#" in text else text
