"""What it costs a user to look at a document: seconds, words, characters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from metameter.errors import MetameterError
from metameter.read.duplicates import without_duplicates
from metameter.read.files.content import Content
from metameter.read.frames import place_in_frame, table_of
from metameter.read.layout import Layout, parse
from metameter.read.lines import content_lines
from metameter.read.parquet_notes import is_parquet
from metameter.read.trec import place_of_row
from metameter.read.typed_columns import read_parquet, typed_columns
from metameter.types import Fingerprint

__all__ = ["EVERYWHERE", "CostTable", "read_costs"]

#: The topic of a cost that holds for all topics.
EVERYWHERE = ""
_BY_TOPIC = Layout(("topic", "doc", "cost"), ("topic", "doc"), ("cost",))
_BY_DOC = Layout(("doc", "cost"), ("doc",), ("cost",))
_FIX = "Give lines of topic, doc, cost or of doc, cost; a table with these columns; or {topic: {doc: cost}}."


@dataclass(frozen=True, eq=False)
class CostTable:
    """Costs of documents: columns ``topic``, ``doc`` and ``cost``, and what they were read from."""

    table: pl.DataFrame
    fingerprint: Fingerprint


def read_costs(source: Any) -> CostTable:
    r"""Read costs from a path, a dictionary {topic: {doc: cost}} or {doc: cost}, or any data frame.

    A file has lines of ``topic doc cost`` or of ``doc cost``, or is Parquet with the columns topic, doc, cost.

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
    table = table_of(source, "cost", _FIX)
    table = table if "topic" in table.columns else table.with_columns(topic=pl.lit(EVERYWHERE))
    table = typed_columns(table, _BY_TOPIC.texts, _BY_TOPIC.numbers, "costs")
    return CostTable(_valid(table, place_in_frame("costs")), Fingerprint("costs"))


def _of_content(content: Content) -> pl.DataFrame:
    data, where = content.unpacked(), content.source
    if is_parquet(data):
        table = read_parquet(data, _BY_TOPIC.texts, _BY_TOPIC.numbers, where)
    else:
        _, first = next(content_lines(data), (0, []))
        table = parse(data, _BY_DOC if len(first) == 2 else _BY_TOPIC, where)
    return _valid(table, place_of_row(data, where))


def _valid(table: pl.DataFrame, place: Callable[[int], str]) -> pl.DataFrame:
    """The table with a topic in every row; a cost that is not above 0, or a second cost, is refused."""
    if "topic" not in table.columns:
        table = table.select(pl.lit(EVERYWHERE).alias("topic"), "doc", "cost")
    free = (table["cost"] <= 0).arg_true()
    if free.len():
        row = int(free[0])
        given = table["cost"][row]
        raise MetameterError("a cost is not above 0", where=place(row), given=given, fix="Give a cost above 0.")
    return without_duplicates(table.select("topic", "doc", "cost"), "cost", "error", place)
