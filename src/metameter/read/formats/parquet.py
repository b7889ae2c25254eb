"""Parquet files with named columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from metameter.read.columns import find_column
from metameter.read.formats.base import TableFormat

if TYPE_CHECKING:
    from metameter.read.header_table import HeaderTable
    from metameter.read.trec.parse import Layout


class Parquet(TableFormat):
    """A Parquet file: the first four bytes say so."""

    def recognises(self, head: bytes, name: str, known_names: Collection[str] | None = None) -> bool:
        """Whether this is Parquet."""
        return head.startswith(b"PAR1")

    def table(self, data: bytes, where: str, layout: Layout | None = None) -> HeaderTable:
        """The wanted columns, if they have our names; else all, whose names a message may list."""
        from metameter.read.header_table import HeaderTable
        from metameter.read.parquet import chosen_columns

        def choose(names: Sequence[str]) -> list[str] | None:
            if layout is None:
                return None
            system = find_column("system", names, where) if "score" in layout.numbers else None
            columns = [*(name for name in layout.selection if name != "tag"), *([system] if system else [])]
            return columns if set(columns) <= set(names) else None

        return HeaderTable.by_row(where, chosen_columns(data, where, choose))


FORMAT = Parquet()
