"""Columns of text, separated by white space: the layout of every TREC file.

A regular file (one space, or one tab, between all columns) goes straight to Polars. Any other is made
regular first. What Polars refuses is read line by line, which is the definition of the format and finds the
line at fault. All three give the same table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import polars as pl

from metameter.read.lines import MARK, read_line_by_line, without_marks

__all__ = ["Layout", "parse"]

_SPACE = 32
_BLOCK = 1 << 16
_BLANKS_AS_TABS = bytes.maketrans(b" \r\v\f", b"\t\t\t\t")
_VISIBLE = bytes(range(_SPACE + 1, 256))


@dataclass(frozen=True)
class Layout:
    """The columns of a format: all of them, and the ones wanted as text and as numbers."""

    columns: tuple[str, ...]
    texts: tuple[str, ...]
    numbers: tuple[str, ...]

    @property
    def schema(self) -> dict[str, type[pl.DataType]]:
        """The type of each column."""
        return {name: pl.Float64 if name in self.numbers else pl.String for name in self.columns}

    @property
    def wanted(self) -> tuple[str, ...]:
        """The columns of the table."""
        return self.texts + self.numbers


def parse(data: bytes, layout: Layout, where: str) -> pl.DataFrame:
    r"""The wanted columns of whitespace-separated lines, in file order.

    Examples
    --------
    >>> qrels = Layout(("topic", "iter", "doc", "grade"), ("topic", "doc"), ("grade",))
    >>> parse(b"# judged by us\n401 0  d1 \t 1\r\n\n402 0 d2 -1", qrels, "qrels").rows()
    [('401', 'd1', 1.0), ('402', 'd2', -1.0)]
    """
    text = without_marks(data)
    regular = text.replace(b"\r\n", b"\n") if b"\r" in text else text
    separator = _separator(regular, len(layout.columns))
    if separator is None:
        regular = _made_regular(text)
        separator = _separator(regular, len(layout.columns))
    table = None if separator is None else _parse_regular(regular, layout, separator)
    return read_line_by_line(data, layout.columns, layout.texts, layout.numbers, where) if table is None else table


def _separator(data: bytes, width: int) -> str | None:
    """The one character that stands between all columns; None if the lines are not regular."""
    # Polars would drop a mark that is part of a name.
    if not data or data[0] <= _SPACE or data.startswith(MARK) or (not data.isascii() and not _is_utf8(data)):
        return None
    skeleton = _skeleton(data)
    separator = skeleton[:1]
    lines = (separator * (width - 1) + b"\n") * -(-len(skeleton) // width)
    # A blank at the very end looks like the separator before a last column that is not there.
    whole = skeleton in (lines, lines[:-1]) and not data.endswith((b" ", b"\t"))
    return separator.decode() if separator in (b" ", b"\t") and whole else None


def _skeleton(data: bytes) -> bytes:
    """All white space of the data; nothing if two blanks stand side by side (an empty line, an empty column)."""
    codes, parts = np.frombuffer(data, dtype=np.uint8), []
    for start in range(0, len(data), _BLOCK):  # in blocks that stay in the cache
        blank = codes[start : start + _BLOCK + 1] <= _SPACE
        if (blank[1:] & blank[:-1]).any():
            return b""
        parts.append(data[start : start + _BLOCK].translate(None, delete=_VISIBLE))
    return b"".join(parts)


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


def _parse_regular(data: bytes, layout: Layout, separator: str) -> pl.DataFrame | None:
    # Looking for comments costs Polars time; finding that no line can be one does not.
    comment = "#" if b"#" in data else None
    lazy = pl.scan_csv(
        data, separator=separator, has_header=False, quote_char=None, comment_prefix=comment, schema=layout.schema
    )
    try:
        table = lazy.select(layout.wanted).collect()
    except pl.exceptions.PolarsError:
        return None
    numbers = (table[name].to_numpy() for name in layout.numbers)
    whole = table.height and not any(table[name].null_count() for name in layout.wanted)
    return table if whole and all(np.isfinite(column).all() for column in numbers) else None
