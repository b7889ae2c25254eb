"""Judgments, from a file, several files, a dictionary or a data frame."""

from __future__ import annotations

import glob
import os
from functools import partial
from itertools import accumulate, chain
from pathlib import Path
from typing import Any

from metameter.arguments import checks_arguments
from metameter.errors import MetameterError
from metameter.read.duplicates import distinct
from metameter.read.files.content import Content
from metameter.read.formats import format_of, table_of
from metameter.read.formats.base import Listing, TableFormat
from metameter.read.sources import find_files
from metameter.read.trec.parse import QRELS, line_of_row
from metameter.read.trec.split import split_blocks
from metameter.read.trec.topic_blocks import topic_blocks
from metameter.types import Qrels

_FIX = "Give a path, a Qrels, a data frame or rows with topic, doc, grade, or a dict {topic: {doc: grade}}."


@checks_arguments
def read_qrels(source: Any, *, on_duplicate: str = "error") -> Qrels:
    r"""Read relevance judgments.

    A grade below 0 means that the document is in the pool but not judged.

    Parameters
    ----------
    source : path, folder, glob, dict, data frame, rows or Qrels
        Lines of ``topic iter doc grade``; CSV, TSV, JSON lines or Parquet with the columns topic, doc, grade; JSON,
        {topic: {doc: grade}}; plain, .gz, .bz2, .xz, .zst. ``-`` is standard input; a folder or a glob stands for all
        files in it. A dictionary {topic: {doc: grade}} as of pytrec_eval, any data frame with these columns,
        dictionaries or named tuples with these names, or a Qrels of ranx. Columns may have the names of ir_measures
        (query_id, doc_id, relevance), PyTerrier (qid, docno, label) or BEIR (query-id, corpus-id, score), and others.
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
    from metameter.read.header_table import HeaderTable  # which no regular file needs

    table = HeaderTable.by_row("qrels", table_of(source, "grade", _FIX))
    return distinct(Qrels(table.select(QRELS)), "grade", on_duplicate, table.location)


def qrels_files(source: str | Path) -> list[str]:
    """The files that a name stands for: one, or all of a folder or a glob."""
    name = str(source)
    if not name.strip():
        raise MetameterError("the name of the qrels is empty", given=name, fix="Name a file, a folder or a glob.")
    several = os.path.isdir(name) or (glob.has_magic(name) and not os.path.exists(name))
    return find_files([name]) if several else [name]


def qrels_of(content: Content, *, on_duplicate: str = "error") -> Qrels:
    """The judgments in a file."""
    where = content.source
    listing = _in_blocks(content) if content.is_large else None
    if listing is None:
        content = Content(where, content.stored)
        data = content.unpacked()
        listing = format_of(data).read(data, QRELS, where)
    if listing.rows is None:
        qrels = Qrels(listing.table(), where, (content.fingerprint,))
    else:
        qrels = Qrels.of_rows(listing.rows, listing.table, source=where, fingerprints=(content.fingerprint,))
    return distinct(qrels, "grade", on_duplicate, listing.location)


def _in_blocks(content: Content) -> Listing | None:
    """The rows of a large TREC file, read in blocks so that the whole text is never in memory.

    None if a line is irregular, or the format another: then the file is read as a whole.
    """
    try:
        pieces = content.pieces()
        first = next(pieces)
        named = isinstance(format_of(first), TableFormat)
        rows = None if named else split_blocks(topic_blocks(chain([first], pieces)), QRELS)
    except (MetameterError, OSError):  # reading the whole file raises the error with its line
        return None

    def location(row: int) -> str:
        return f"{content.source}:{line_of_row(content.unpacked(), row)}"

    return None if rows is None else Listing(partial(rows.table, "grade"), location, rows)


def _of_files(files: list[str], source: str, on_duplicate: str) -> Qrels:
    """The judgments of all files; a document that is judged in two of them is a duplicate (``on_duplicate``)."""
    parts = [qrels_of(Content.of(file), on_duplicate=on_duplicate) for file in files]
    if len(parts) == 1:
        return parts[0]
    import polars as pl  # which one regular file does not need

    ends = list(accumulate(part.table.height for part in parts))

    def location(row: int) -> str:
        # Called only when duplicates are refused; then no row was left out of a file before.
        at = next(i for i, end in enumerate(ends) if row < end)
        data = Content.of(files[at]).unpacked()
        return format_of(data).read(data, QRELS, files[at]).location(row - (ends[at] - parts[at].table.height))

    table = pl.concat([part.table.select("topic", "doc", "grade") for part in parts])
    prints = tuple(each for part in parts for each in part.fingerprints)
    return distinct(Qrels(table, source, prints), "grade", on_duplicate, location)


def location_of_judgment(qrels: Qrels, topic: str, doc: str) -> str:
    """``file:line`` of a document's judgment, for a message; the name of judgments that are in no file."""
    try:
        files = qrels_files(qrels.source) if qrels.fingerprints else []
        # A pipe has been consumed.
        locations = (_location(file, topic, doc) for file in files if os.path.isfile(file))
        return next((location for location in locations if location), qrels.source)
    except MetameterError:  # the file has changed or gone in between
        return qrels.source


def _location(file: str, topic: str, doc: str) -> str | None:
    data = Content.of(file).unpacked()
    listing = format_of(data).read(data, QRELS, file)
    rows = enumerate(listing.table().select("topic", "doc").iter_rows())
    return next((listing.location(row) for row, names in rows if names == (topic, doc)), None)
