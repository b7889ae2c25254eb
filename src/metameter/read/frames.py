"""Judgments and runs that are in Python already: dictionaries, data frames, or paths to read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from metameter.errors import MetameterError
from metameter.read.columns import checked
from metameter.read.duplicates import without_duplicates
from metameter.read.judgments import read_judgments
from metameter.read.trec import read_run
from metameter.types import Qrels, Run

__all__ = ["as_qrels", "as_run", "as_table"]

_QRELS_FIX = "Give a path, a Qrels, a data frame with topic, doc, grade, or a dict {topic: {doc: grade}}."
RUN_FIX = "Give a path, a Run, a data frame with topic, doc, score, or a dict {topic: {doc: score}}."


def as_qrels(obj: Any, *, on_duplicate: str = "error") -> Qrels:
    """Judgments from a path, folder or glob, a data frame, a dictionary as of pytrec_eval, or `Qrels` themselves.

    Examples
    --------
    >>> as_qrels({"401": {"d1": 1, "d2": 0}}).table.rows()
    [('401', 'd1', 1.0), ('401', 'd2', 0.0)]
    """
    if isinstance(obj, Qrels):
        return obj
    if isinstance(obj, str | Path):
        return read_judgments(obj, on_duplicate=on_duplicate)
    table = checked(as_table(obj, "grade", _QRELS_FIX), ("topic", "doc"), ("grade",), "qrels")
    return Qrels(without_duplicates(table, "grade", on_duplicate, _row("qrels")))


def as_run(obj: Any, name: str | None = None, **options: Any) -> Run:
    """A run from a path, a data frame, a dictionary as of pytrec_eval, or a `Run` itself.

    Parameters
    ----------
    obj : path, data frame, dict or Run
    name : str, optional
        The system's name.
    **options
        As for `read_run`; ``name_by`` has a meaning for files only.

    Examples
    --------
    >>> as_run({"401": {"d1": 9.5}}, "BM25").table.rows()
    [('401', 'd1', 9.5)]
    """
    if isinstance(obj, Run):
        return obj if name in (None, obj.name) else Run(str(name), obj.table, obj.source)
    if isinstance(obj, str | Path):
        return read_run(obj, name=name, **options)
    name = "run" if name is None else name
    table = as_table(obj, "score", RUN_FIX)
    ranked = options.get("need_rank") or "rank" in table.columns
    table = checked(table, ("topic", "doc"), ("score", "rank") if ranked else ("score",), name)
    return Run(name, without_duplicates(table, "score", options.get("on_duplicate", "error"), _row(name)), name)


def as_table(obj: Any, value: str, fix: str) -> pl.DataFrame:
    """A Polars table of any data frame, or of {topic: {doc: value}}."""
    if isinstance(obj, Mapping):
        return _table_of_dict(obj, value, fix)
    frame = nw.from_native(obj, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, nw.DataFrame):
        raise MetameterError("this cannot be read", given=type(obj).__name__, fix=fix)
    return frame.to_polars()


def _table_of_dict(obj: Mapping[Any, Any], value: str, fix: str) -> pl.DataFrame:
    if not all(isinstance(documents, Mapping) for documents in obj.values()):
        raise MetameterError("a topic's documents must be a dictionary", fix=fix)
    rows = [(str(topic), str(doc), number) for topic, docs in obj.items() for doc, number in docs.items()]
    try:
        return pl.DataFrame(rows, schema={"topic": pl.String, "doc": pl.String, value: pl.Float64}, orient="row")
    except (TypeError, pl.exceptions.PolarsError):
        raise MetameterError(f"a {value} is not a number", fix=fix) from None


def _row(where: str) -> Callable[[int], str]:
    return lambda row: f"{where}: row {row + 1}"
