"""Text with a header: CSV, TSV, and CSV with semicolons."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from metameter.read.columns import column_key, spellings
from metameter.read.formats.base import TableFormat

if TYPE_CHECKING:
    from metameter.read.header_table import HeaderTable
    from metameter.read.layout import Layout

__all__ = ["Delimited"]

_WORDS = frozenset(word for name in ("topic", "doc", "grade", "score", "rank") for word in spellings(name)) - {"rank"}
_NUMBER = re.compile(r"[+-]?[\d.]+(e[+-]?\d+)?")


class Delimited(TableFormat):
    """Rows of cells with commas, tabs or semicolons between them, below a line with the names of the columns."""

    order = 1

    def recognises(self, head: bytes, name: str, words: Collection[str] | None = None) -> bool:
        r"""Whether the first line is a header: words, at least two of which are known names.

        Examples
        --------
        >>> known = ("topic", "doc")
        >>> [FORMAT.recognises(head, "", known) for head in (b"Topic,Turn,Doc\n1,1,d1\n", b"topic\t0\tdoc\t9.5\n")]
        [True, False]
        """
        line = head.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
        cells = [column_key(cell) for cell in re.split("[,;\t]", line.decode(errors="replace"))]
        known = _WORDS if words is None else words
        return not any(map(_NUMBER.fullmatch, cells)) and sum(cell in known for cell in cells) >= 2

    def table(self, data: bytes, where: str, layout: Layout | None = None) -> HeaderTable:
        """All columns, as text."""
        from metameter.read.header_table import HeaderTable
        from metameter.read.separated import separated_cells

        return HeaderTable.named(where, *separated_cells(data, where))


FORMAT = Delimited()
