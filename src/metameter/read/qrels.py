"""Judgments, from a file, several files, a dictionary or a data frame."""

from __future__ import annotations

import glob
import os
from itertools import accumulate
from pathlib import Path
from typing import Any

from metameter.arguments import checks_arguments
from metameter.errors import MetameterError
from metameter.read.duplicates import distinct
from metameter.read.files.content import Content
from metameter.read.frames import place_in_frame, table_of
from metameter.read.sources import find_files
from metameter.read.trec import QRELS, place_of_row, qrels_of
from metameter.types import Qrels

__all__ = ["qrels_files", "read_qrels"]

_FIX = "Give a path, a Qrels, a data frame or rows with topic, doc, grade, or a dict {topic: {doc: grade}}."


@checks_arguments
def read_qrels(source: Any, *, on_duplicate: str = "error") -> Qrels:
    r"""Read relevance judgments.

    A grade below 0 means that the document is in the pool but not judged.

    Parameters
    ----------
    source : path, folder, glob, dict, data frame, rows or Qrels
        Lines of ``topic iter doc grade``, plain, .gz, .bz2, .xz, .zst, or Parquet, CSV or TSV with the columns topic,
        doc, grade; ``-`` is standard input; a folder or a glob stands for all files in it. A dictionary
        {topic: {doc: grade}} as of pytrec_eval, any data frame with these columns, dictionaries or named tuples with
        these names, or a Qrels of ranx. Columns may have the names of ir_measures (query_id, doc_id, relevance),
        PyTerrier (qid, docno, label) or BEIR (query-id, corpus-id, score), and some more.
    on_duplicate : {"error", "first", "last", "max"}
        What to do when a document is judged twice for a topic: refuse it, or keep one of the grades.

    Examples
    --------
    >>> read_qrels({"401": {"d1": 1, "d2": 0}}).table.rows()
    [('401', 'd1', 1.0), ('401', 'd2', 0.0)]
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for topic in ("401", "402"):
    ...     _ = (folder / topic).write_text(f"{topic} 0 d1 1\n")
    >>> read_qrels(folder).table.rows()
    [('401', 'd1', 1.0), ('402', 'd1', 1.0)]
    """
    if isinstance(source, Qrels):
        return source
    if isinstance(source, str | Path):
        return _of_files(qrels_files(source), str(source), on_duplicate)
    from metameter.read.typed_columns import typed_columns  # which no regular file needs

    table = typed_columns(table_of(source, "grade", _FIX), QRELS.texts, QRELS.numbers, "qrels")
    return distinct(Qrels(table), "grade", on_duplicate, place_in_frame("qrels"))


def qrels_files(source: str | Path) -> list[str]:
    """The files that a name stands for: one, or all of a folder or a glob."""
    name = str(source)
    if not name.strip():
        raise MetameterError("the name of the qrels is empty", given=name, fix="Name a file, a folder or a glob.")
    several = os.path.isdir(name) or (glob.has_magic(name) and not os.path.exists(name))
    return find_files([name]) if several else [name]


def _of_files(files: list[str], source: str, on_duplicate: str) -> Qrels:
    """The judgments of all the files, one after another; a document is judged once in all of them."""
    parts = [qrels_of(Content.of(file), on_duplicate=on_duplicate) for file in files]
    if len(parts) == 1:
        return parts[0]
    import polars as pl  # which one regular file does not need

    ends = list(accumulate(part.table.height for part in parts))

    def place(row: int) -> str:
        # Asked only when duplicates are refused; then nothing was left out of a file before.
        at = next(i for i, end in enumerate(ends) if row < end)
        return place_of_row(Content.of(files[at]).unpacked(), files[at])(row - (ends[at] - parts[at].table.height))

    table = pl.concat([part.table.select("topic", "doc", "grade") for part in parts])
    prints = tuple(each for part in parts for each in part.fingerprints)
    return distinct(Qrels(table, source, prints), "grade", on_duplicate, place)
