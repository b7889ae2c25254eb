"""Where a judgment stands: its file and line, looked up only when a message has to say so."""

from __future__ import annotations

import os

from metameter.errors import MetameterError
from metameter.read.files.content import Content
from metameter.read.lines import content_lines
from metameter.read.parquet_notes import is_parquet
from metameter.read.qrels import qrels_files
from metameter.types import Qrels

__all__ = ["place_of_judgment"]


def place_of_judgment(qrels: Qrels, topic: str, doc: str) -> str:
    """``file:line`` of a document's judgment; of judgments that are in no file, what they are called.

    Examples
    --------
    >>> from metameter.read.qrels import read_qrels
    >>> place_of_judgment(read_qrels({"1": {"d": 1}}), "1", "d")
    'qrels'
    """
    try:
        files = qrels_files(qrels.source) if qrels.fingerprints else []
        # A pipe was read, and is empty now.
        found = (_place(file, topic, doc) for file in files if os.path.isfile(file))
        return next((place for place in found if place), qrels.source)
    except MetameterError:  # the file has changed or gone in between: the message is about something else
        return qrels.source


def _place(file: str, topic: str, doc: str) -> str | None:
    data = Content.of(file).unpacked()
    if is_parquet(data):
        from metameter.read.parquet import parquet_table  # with which all of Polars comes

        table = parquet_table(data, file)
        rows = zip(map(str, table["topic"]), map(str, table["doc"]), strict=True)
        return next((f"{file}: row {row}" for row, each in enumerate(rows, start=1) if each == (topic, doc)), None)
    wanted = (topic.encode(), doc.encode())
    lines = ((number, (columns[0], columns[2])) for number, columns in content_lines(data) if len(columns) > 2)
    return next((f"{file}:{number}" for number, each in lines if each == wanted), None)
