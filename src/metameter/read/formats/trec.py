"""Lines of TREC: columns without names, separated by white space."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from metameter.read.formats.base import Format, Listing
from metameter.read.trec.parse import Layout, line_of_row, parse
from metameter.read.trec.split import split_rows


class Trec(Format):
    """Lines of ``topic iter doc grade`` or ``topic Q0 doc rank score tag``; tried last, it accepts everything."""

    order = 9

    def recognises(self, head: bytes, known_names: Collection[str] | None = None) -> bool:
        """Always: what is wrong with other files is reported line by line."""
        return True

    def read(self, data: bytes, layout: Layout, where: str) -> Listing:
        """Regular files are read without a table, unless more than one number or the tag is wanted."""
        simple = len(layout.numbers) == 1 and "tag" not in layout.texts
        rows = split_rows(data, layout) if simple else None
        table = partial(parse, data, layout, where) if rows is None else partial(rows.table, layout.numbers[0])
        return Listing(table, lambda row: f"{where}:{line_of_row(data, row)}", rows)


FORMAT = Trec()
