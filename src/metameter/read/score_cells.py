"""The three shapes of a table of scores, recognised by their header, as one: one row per score."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from metameter.errors import MetameterError
from metameter.notices import notice
from metameter.read.columns import column_key, find_column
from metameter.read.headed_tables import HeadedTable

__all__ = ["cells_of", "in_our_words", "is_matrix"]

_ENDS = ("low", "high")
_ALL = "all"  # the pseudo-topic of rows that hold means
_VALUE = ("score", "value")


def in_our_words(table: HeadedTable) -> HeadedTable:
    """A table by topic of other tools with our names of its columns: PyTerrier's has name, qid, measure, value.

    Examples
    --------
    >>> theirs = pl.DataFrame({"name": ["BM25"], "qid": ["1"], "measure": ["map"], "Value": [0.5]})
    >>> in_our_words(HeadedTable("frame", theirs, [1])).header
    ['system', 'topic', 'metric', 'score']
    """
    found = {name: find_column(name, table.header, table.source) for name in ("system", "topic", "metric", "iteration")}
    if found["system"] is None or found["topic"] is None:
        return table  # with one column per system, which may have any name
    if found["metric"] is not None:
        values = (column for name in _VALUE for column in table.header if column_key(column) == name)
        found["score"] = next(values, None)
    ours = {column: name for name, column in found.items() if column not in (None, "run")}
    header = [ours.get(name, name) for name in table.header]
    return replace(table, cells=table.cells.rename(ours)) if len(set(header)) == len(header) else table


def is_matrix(table: HeadedTable) -> bool:
    """Whether the header holds system names only: neither long nor wide."""
    words = set(map(column_key, table.header))
    return not words & {"system", "run", "metric", "topic", "score", "iteration"}


def cells_of(table: HeadedTable) -> pl.DataFrame:
    """Columns metric, system, topic, iteration (null if there is none), score (NaN if missing), source, line.

    Examples
    --------
    >>> wide = HeadedTable("s.csv", pl.DataFrame({"run": ["a"], "topic": ["1"], "AP": ["0.5"]}), [2])
    >>> cells_of(wide).rows()
    [('AP', 'a', '1', None, 0.5, 's.csv', 2)]
    """
    if is_matrix(table):
        return _matrix(table)
    system = _system(table)
    if system is None or "topic" not in table.header:
        raise MetameterError(
            "the table has no column for the " + ("system" if system is None else "topic"),
            where=table.source,
            given=", ".join(table.header),
            allowed="metric (or measure), system (or run, tag, name), topic (or qid, query_id), score (or value); "
            "system, topic and one column per metric; or one column per system",
            fix="Give scores by topic, not means.",
        )
    return _without_means(_long(table, system) if {"metric", "score"} <= set(table.header) else _wide(table, system))


def _system(table: HeadedTable) -> str | None:
    return next((name for name in ("system", "run") if name in table.header), None)


def _long(table: HeadedTable, system: str) -> pl.DataFrame:
    labels = {"metric": table.texts("metric"), "system": table.texts(system), "topic": table.texts("topic")}
    return _in_order(_rows(table).with_columns(score=table.scores("score"), **labels))


def _wide(table: HeadedTable, system: str) -> pl.DataFrame:
    columns = [name for name in table.header if name not in (system, "topic", "iteration")]
    # What unjudged documents leave open stands beside a metric's scores, as in the long table, and is no metric.
    bounds = {f"{name} {end}" for name in columns if {f"{name} low", f"{name} high"} <= set(columns) for end in _ENDS}
    metrics = [name for name in columns if name not in bounds]
    if not metrics:
        fix = "Give a column with the scores of a metric."
        raise MetameterError("the table has no column with scores", where=table.source, fix=fix)
    labels = {"system": table.texts(system), "topic": table.texts("topic")}
    rows = _rows(table).with_columns(**labels)
    parts = [rows.with_columns(metric=pl.lit(name), score=table.scores(name)) for name in metrics]
    return pl.concat([_in_order(part) for part in parts])


def _matrix(table: HeadedTable) -> pl.DataFrame:
    topics = pl.int_range(1, pl.len() + 1).cast(pl.String)
    rows = _rows(table).with_columns(metric=pl.lit(table.stem), topic=topics)
    parts = [rows.with_columns(system=pl.lit(name), score=table.scores(name)) for name in table.header]
    return pl.concat([_in_order(part) for part in parts])


def _rows(table: HeadedTable) -> pl.DataFrame:
    """Where each row stands, and its iteration."""
    nothing = pl.lit(None, dtype=pl.Float64)
    with_iteration = "iteration" in table.header
    rows = pl.DataFrame({"line": table.lines}).with_columns(source=pl.lit(table.source))
    return rows.with_columns(iteration=table.numbers("iteration") if with_iteration else nothing)


def _in_order(cells: pl.DataFrame) -> pl.DataFrame:
    return cells.select("metric", "system", "topic", "iteration", "score", "source", "line")


def _without_means(cells: pl.DataFrame) -> pl.DataFrame:
    kept = cells.filter(pl.col("topic") != _ALL)
    if kept.height < cells.height:
        notice(f"{cells['source'][0]}: rows of the pseudo-topic 'all' (means) were left out")
    return kept
