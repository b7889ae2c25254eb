"""Qrels and runs in the formats of TREC, or as Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import polars as pl

from metameter.errors import MetameterError
from metameter.read.archives import PACKED, read_bytes
from metameter.read.columns import PARQUET, read_parquet
from metameter.read.duplicates import without_duplicates
from metameter.read.layout import Layout, parse
from metameter.read.lines import line_of_row
from metameter.types import Qrels, Run

__all__ = ["QRELS", "RUN", "read_qrels", "read_run", "system_name"]

QRELS = Layout(("topic", "iter", "doc", "grade"), texts=("topic", "doc"), numbers=("grade",))
RUN = Layout(("topic", "Q0", "doc", "rank", "score", "tag"), texts=("topic", "doc"), numbers=("score",))


def system_name(source: str | Path) -> str:
    """A system is called as its file, without folder and compression suffix.

    Examples
    --------
    >>> system_name("runs/input.BM25.gz")
    'input.BM25'
    """
    name = Path(source).name
    if str(source) == "-":
        return "stdin"
    return next((name.removesuffix(suffix) for suffix in PACKED if name.endswith(suffix) and name != suffix), name)


def read_qrels(source: str | Path, *, on_duplicate: Literal["error", "first", "last", "max"] = "error") -> Qrels:
    r"""Read relevance judgments: ``topic iter doc grade``, or Parquet with topic, doc, grade.

    A grade below 0 means that the document is in the pool but not judged.

    Parameters
    ----------
    source : path
        Plain, .gz, .bz2, .xz, .zst or Parquet; ``-`` is standard input.
    on_duplicate : {"error", "first", "last", "max"}
        What to do when a document is judged twice for a topic.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "qrels"
    >>> _ = path.write_text("401 0 d1 1\n401 0 d2 0\n")
    >>> read_qrels(path).table.rows()
    [('401', 'd1', 1.0), ('401', 'd2', 0.0)]
    """
    data, where = read_bytes(source), str(source)
    if data.startswith(PARQUET):
        table = read_parquet(data, ("topic", "doc"), ("grade",), where)
        return Qrels(without_duplicates(table, "grade", on_duplicate, lambda row: f"{where}: row {row + 1}"), where)
    table = parse(data, QRELS, where)
    table = without_duplicates(table, "grade", on_duplicate, lambda row: f"{where}:{line_of_row(data, row)}")
    return Qrels(table, where)


def read_run(
    source: str | Path,
    *,
    name: str | None = None,
    name_by: Literal["file", "tag"] = "file",
    on_duplicate: Literal["error", "first"] = "error",
    need_rank: bool = False,
) -> Run:
    r"""Read a system's ranked lists: ``topic Q0 doc rank score tag``, or Parquet with topic, doc, score.

    Parameters
    ----------
    source : path
        Plain, .gz, .bz2, .xz, .zst or Parquet; ``-`` is standard input.
    name : str, optional
        The system's name; by default as ``name_by`` says.
    name_by : {"file", "tag"}
        The file's name without folder and compression suffix, or the sixth column.
    on_duplicate : {"error", "first"}
        What to do when a document is retrieved twice for a topic; ``first`` keeps the best-ranked.
    need_rank : bool
        Read the rank column too (for ``ties="rank"``); otherwise it is ignored.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "BM25.run"
    >>> _ = path.write_text("401 Q0 d1 1 9.5 tag\n401 Q0 d2 2 9.1 tag\n")
    >>> run = read_run(path)
    >>> run.name, run.table.rows()
    ('BM25.run', [('401', 'd1', 9.5), ('401', 'd2', 9.1)])
    """
    data, where = read_bytes(source), str(source)
    if data.startswith(PARQUET):
        return _parquet_run(data, where, name or _name(name_by, source, None), on_duplicate, need_rank)
    texts = ("topic", "doc", "tag") if name_by == "tag" else ("topic", "doc")
    table = parse(data, Layout(RUN.columns, texts, ("score", "rank") if need_rank else ("score",)), where)
    name = name or _name(name_by, source, table.get_column("tag", default=None))
    table = table.drop("tag", strict=False)
    table = without_duplicates(table, "score", on_duplicate, lambda row: f"{where}:{line_of_row(data, row)}")
    return Run(name, table, where)


def _parquet_run(data: bytes, where: str, name: str, on_duplicate: str, need_rank: bool) -> Run:
    numbers = ("score", "rank") if need_rank else ("score",)
    table = read_parquet(data, ("topic", "doc"), numbers, where)
    return Run(name, without_duplicates(table, "score", on_duplicate, lambda row: f"{where}: row {row + 1}"), where)


def _name(name_by: str, source: str | Path, tag: pl.Series | None) -> str:
    if name_by == "file":
        return system_name(source)
    if name_by != "tag":
        raise MetameterError("there is no such way to name systems", given=name_by, allowed="file, tag")
    if tag is None:
        raise MetameterError("Parquet runs have no tag", where=str(source), fix="Name systems by file.")
    tags = tag.unique(maintain_order=True).to_list()
    if len(tags) > 1:
        raise MetameterError(
            "the run has several tags", where=str(source), given=", ".join(tags[:3]), fix="Name systems by file."
        )
    return str(tags[0])
