"""The three shapes of a table of scores, told apart by their header, made into one: a row a cell."""

from __future__ import annotations

import polars as pl

from metameter.errors import MetameterError
from metameter.notices import notice
from metameter.read.sheets import Sheet

__all__ = ["cells_of", "is_matrix"]

_ALL = "all"  # the pseudo-topic of means


def is_matrix(sheet: Sheet) -> bool:
    """Whether the header holds system names only: neither long nor wide."""
    return _system(sheet) is None and not {"metric", "topic", "score"} & set(sheet.header)


def cells_of(sheet: Sheet) -> pl.DataFrame:
    """Columns metric, system, topic, iteration (null if there is none), score (NaN if missing), source, line.

    Examples
    --------
    >>> wide = Sheet("s.csv", ["run", "topic", "AP"], {"run": ["a"], "topic": ["1"], "AP": ["0.5"]}, [2])
    >>> cells_of(wide).rows()
    [('AP', 'a', '1', None, 0.5, 's.csv', 2)]
    """
    if is_matrix(sheet):
        return _matrix(sheet)
    system = _system(sheet)
    if system is None or "topic" not in sheet.header:
        raise MetameterError(
            "the table has no column for the " + ("system" if system is None else "topic"),
            where=sheet.source,
            given=", ".join(sheet.header),
            allowed="metric, system, topic, score; or system, topic and a column a metric; or a column a system",
            fix="Give scores by topic, not means.",
        )
    return _without_means(_long(sheet, system) if {"metric", "score"} <= set(sheet.header) else _wide(sheet, system))


def _system(sheet: Sheet) -> str | None:
    return next((name for name in ("system", "run") if name in sheet.header), None)


def _long(sheet: Sheet, system: str) -> pl.DataFrame:
    labels = {"metric": sheet.texts("metric"), "system": sheet.texts(system), "topic": sheet.texts("topic")}
    return _in_order(_rows(sheet).with_columns(score=sheet.numbers("score"), **_series(labels)))


def _wide(sheet: Sheet, system: str) -> pl.DataFrame:
    metrics = [name for name in sheet.header if name not in (system, "topic", "iteration")]
    if not metrics:
        raise MetameterError("the table has no column with scores", where=sheet.source)
    labels = {"system": sheet.texts(system), "topic": sheet.texts("topic")}
    rows = _rows(sheet).with_columns(**_series(labels))
    parts = [rows.with_columns(metric=pl.lit(name), score=sheet.numbers(name)) for name in metrics]
    return pl.concat([_in_order(part) for part in parts])


def _matrix(sheet: Sheet) -> pl.DataFrame:
    topics = {"topic": [str(row + 1) for row in range(len(sheet.lines))]}
    rows = _rows(sheet).with_columns(metric=pl.lit(sheet.stem), **_series(topics))
    parts = [rows.with_columns(system=pl.lit(name), score=sheet.numbers(name)) for name in sheet.header]
    return pl.concat([_in_order(part) for part in parts])


def _rows(sheet: Sheet) -> pl.DataFrame:
    """Where each row stands, and its iteration."""
    nothing = pl.lit(None, dtype=pl.Float64)
    with_iteration = "iteration" in sheet.header and not is_matrix(sheet)
    rows = pl.DataFrame({"line": sheet.lines}).with_columns(source=pl.lit(sheet.source))
    return rows.with_columns(iteration=sheet.numbers("iteration") if with_iteration else nothing)


def _series(labels: dict[str, list[str]]) -> dict[str, pl.Series]:
    return {name: pl.Series(column, dtype=pl.String) for name, column in labels.items()}


def _in_order(cells: pl.DataFrame) -> pl.DataFrame:
    return cells.select("metric", "system", "topic", "iteration", "score", "source", "line")


def _without_means(cells: pl.DataFrame) -> pl.DataFrame:
    kept = cells.filter(pl.col("topic") != _ALL)
    if kept.height < cells.height:
        notice(f"{cells['source'][0]}: rows of the pseudo-topic 'all' (means) were left out")
    return kept
