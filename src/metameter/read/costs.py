"""What it costs a user to look at a document: seconds, words, characters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from metameter.errors import MetameterError
from metameter.read.archives import read_bytes
from metameter.read.columns import PARQUET, checked, read_parquet
from metameter.read.duplicates import without_duplicates
from metameter.read.frames import as_table
from metameter.read.layout import Layout, parse
from metameter.read.lines import content_lines, line_of_row

__all__ = ["EVERYWHERE", "as_costs", "read_costs"]

#: Stands for the topic of a cost that holds for all topics.
EVERYWHERE = ""
_BY_TOPIC = Layout(("topic", "doc", "cost"), ("topic", "doc"), ("cost",))
_BY_DOC = Layout(("doc", "cost"), ("doc",), ("cost",))
_FIX = "Give lines of topic, doc, cost or of doc, cost; a table with these columns; or {topic: {doc: cost}}."


def read_costs(source: str | Path) -> pl.DataFrame:
    r"""Read costs: lines of ``topic doc cost`` or of ``doc cost``, or Parquet with those columns.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "costs"
    >>> _ = path.write_text("d1 12.5\nd2 3\n")
    >>> read_costs(path).rows()
    [('', 'd1', 12.5), ('', 'd2', 3.0)]
    """
    data, where = read_bytes(source), str(source)
    if data.startswith(PARQUET):
        return _settled(read_parquet(data, ("topic", "doc"), ("cost",), where), lambda row: f"{where}: row {row + 1}")
    _, first = next(content_lines(data), (0, []))
    table = parse(data, _BY_DOC if len(first) == 2 else _BY_TOPIC, where)
    return _settled(table, lambda row: f"{where}:{line_of_row(data, row)}")


def as_costs(obj: Any) -> pl.DataFrame:
    """Costs from a path, a dictionary {topic: {doc: cost}} or {doc: cost}, or any data frame.

    Examples
    --------
    >>> as_costs({"d1": 12.5}).rows()
    [('', 'd1', 12.5)]
    """
    if isinstance(obj, str | Path):
        return read_costs(obj)
    if isinstance(obj, Mapping) and not any(isinstance(value, Mapping) for value in obj.values()):
        obj = {EVERYWHERE: obj}
    table = as_table(obj, "cost", _FIX)
    table = table if "topic" in table.columns else table.with_columns(topic=pl.lit(EVERYWHERE))
    return _settled(checked(table, ("topic", "doc"), ("cost",), "costs"), lambda row: f"costs: row {row + 1}")


def _settled(table: pl.DataFrame, place: Callable[[int], str]) -> pl.DataFrame:
    if "topic" not in table.columns:
        table = table.select(pl.lit(EVERYWHERE).alias("topic"), "doc", "cost")
    free = (table["cost"] <= 0).arg_true()
    if free.len():
        row = int(free[0])
        fix = "Give a cost above 0: nothing can be looked at for nothing."
        raise MetameterError("a cost is not above 0", where=place(row), given=table["cost"][row], fix=fix)
    return without_duplicates(table.select("topic", "doc", "cost"), "cost", "error", place)
