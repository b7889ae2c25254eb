"""What it costs a user to look at a document: seconds, words, characters."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from metameter.read.columns import spellings
from metameter.read.duplicates import without_duplicates
from metameter.read.files.content import Content
from metameter.read.formats import format_of
from metameter.read.formats.base import TableFormat
from metameter.read.frames import table_of
from metameter.read.header_table import HeaderTable
from metameter.read.trec.layout import Layout
from metameter.read.trec.lines import content_lines
from metameter.types import Fingerprint
from metameter.types.document_tables import EVERYWHERE, CostTable

_BY_TOPIC = Layout(("topic", "doc", "cost"), ("topic", "doc"), ("cost",))
_BY_DOC = Layout(("doc", "cost"), ("doc",), ("cost",))
_COLUMNS = (*spellings("topic"), *spellings("doc"), "cost")
_FIX = "Give lines of topic, doc, cost or of doc, cost; a table with these columns; or {topic: {doc: cost}}."


def read_costs(source: Any) -> CostTable:
    r"""Read costs from a path, a dictionary {topic: {doc: cost}} or {doc: cost}, or any data frame.

    A file has lines of ``topic doc cost`` or of ``doc cost``, or is a table (CSV, TSV, JSON lines, Parquet) with the
    columns topic (if costs differ by topic), doc, cost.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "costs"
    >>> _ = path.write_text("d1 12.5\nd2 3\n")
    >>> read_costs(path).table.rows()
    [('', 'd1', 12.5), ('', 'd2', 3.0)]
    >>> read_costs({"d1": 12.5}).table.rows()
    [('', 'd1', 12.5)]
    """
    if isinstance(source, str | Path):
        content = Content.of(source)
        return CostTable(_of_content(content), content.fingerprint)
    if isinstance(source, Mapping) and not any(isinstance(value, Mapping) for value in source.values()):
        source = {EVERYWHERE: source}
    table = HeaderTable.by_row("costs", table_of(source, "cost", _FIX))
    return CostTable(_valid(table, _BY_TOPIC if "topic" in table.header else _BY_DOC), Fingerprint("costs"))


def _of_content(content: Content) -> pl.DataFrame:
    data, where = content.unpacked(), content.source
    form = format_of(data, where, _COLUMNS)
    if isinstance(form, TableFormat):
        table = form.table(data, where, _BY_TOPIC)
        return _valid(table, _BY_TOPIC if table.find("topic") else _BY_DOC)
    _, first = next(content_lines(data), (0, []))
    layout = _BY_DOC if len(first) == 2 else _BY_TOPIC
    return _valid(HeaderTable.of_lines(data, layout, where), layout)


def _valid(given: HeaderTable, layout: Layout) -> pl.DataFrame:
    """The table with a topic in every row; a cost that is not above 0, or a second cost, is refused."""
    table = given.wanted(layout)
    if "topic" not in table.columns:
        table = table.select(pl.lit(EVERYWHERE).alias("topic"), "doc", "cost")
    free = table["cost"] <= 0
    if free.any():
        row = free.arg_max() or 0
        raise given.refusal(row, "a cost is not above 0", given=table["cost"][row], fix="Give a cost above 0.")
    return without_duplicates(table.select("topic", "doc", "cost"), "cost", "error", given.place)
