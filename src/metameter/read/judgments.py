"""Judgments in several files: a folder or a glob stands for all of them."""

from __future__ import annotations

import glob
import os
from itertools import accumulate
from pathlib import Path

import polars as pl

from metameter.errors import MetameterError
from metameter.read.archives import read_bytes
from metameter.read.columns import PARQUET
from metameter.read.duplicates import without_duplicates
from metameter.read.lines import line_of_row
from metameter.read.sources import find_files
from metameter.read.trec import read_qrels
from metameter.types import Qrels

__all__ = ["qrels_files", "read_judgments"]


def qrels_files(source: str | Path) -> list[str]:
    """The files that QRELS stands for: one, or all of a folder or a glob."""
    name = str(source)
    if not name.strip():
        raise MetameterError("the name of the qrels is empty", given=name, fix="Name a file, a folder or a glob.")
    several = os.path.isdir(name) or (glob.has_magic(name) and not os.path.exists(name))
    return find_files([name]) if several else [name]


def read_judgments(source: str | Path, *, on_duplicate: str = "error") -> Qrels:
    r"""Read judgments from one file, or from several one after the other; a document is judged once in all of them.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for topic in ("401", "402"):
    ...     _ = (folder / topic).write_text(f"{topic} 0 d1 1\n")
    >>> read_judgments(folder).table.rows()
    [('401', 'd1', 1.0), ('402', 'd1', 1.0)]
    """
    files = qrels_files(source)
    tables = [read_qrels(file, on_duplicate=on_duplicate).table for file in files]  # type: ignore[arg-type]
    if len(files) == 1:
        return Qrels(tables[0], files[0])
    ends = list(accumulate(table.height for table in tables))

    def place(row: int) -> str:
        # Nothing was left out of a file before: with any other policy nobody asks where.
        at = next(i for i, end in enumerate(ends) if row < end)
        return _place(files[at], row - (ends[at] - tables[at].height))

    whole = pl.concat([table.select("topic", "doc", "grade") for table in tables])
    return Qrels(without_duplicates(whole, "grade", on_duplicate, place), str(source))


def _place(file: str, row: int) -> str:
    data = read_bytes(file)
    return f"{file}: row {row + 1}" if data.startswith(PARQUET) else f"{file}:{line_of_row(data, row)}"
