"""Qrels and runs from the content of files, in any of the formats in `metameter.read.formats`."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metameter.errors import MetameterError
from metameter.read.archives import PACKED, Content
from metameter.read.duplicates import distinct
from metameter.read.formats import format_of
from metameter.read.formats.base import Format, TableFormat
from metameter.read.formats.trec import FORMAT as LINES
from metameter.read.layout import Layout
from metameter.read.lines import content_lines
from metameter.types import Qrels, Run
from metameter.utf8 import in_utf8

if TYPE_CHECKING:
    import polars as pl

__all__ = ["QRELS", "RUN", "is_predicted", "qrels_of", "run_of", "run_of_text", "system_name", "tag_of"]

QRELS = Layout(("topic", "iter", "doc", "grade"), texts=("topic", "doc"), numbers=("grade",))
RUN = Layout(("topic", "Q0", "doc", "rank", "score", "tag"), texts=("topic", "doc"), numbers=("score",))
# How names of files end that say in which format they are: no part of a system's name.
_SUFFIXES = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet")
_PREDICTIONS = "_predictions.json"


def system_name(source: str | Path) -> str:
    """A system is called as its file, without folder and without the suffixes of compression and format.

    Predictions of MTEB (``TASK_predictions.json``) are called after the model that they name.

    Examples
    --------
    >>> system_name("runs/input.BM25.gz"), system_name("runs/dense.jsonl.zst")
    ('input.BM25', 'dense')
    """
    if str(source) == "-":
        return "stdin"
    name = Path(source).name
    for suffixes in (PACKED, _SUFFIXES):
        name = next((name.removesuffix(each) for each in suffixes if name.endswith(each) and name != each), name)
    name = in_utf8(name)
    return _model(source) or name if _PREDICTIONS in Path(source).name else name


def is_predicted(source: str | Path, name: str) -> bool:
    """Whether a file of this system holds predictions of MTEB that name a model."""
    return _PREDICTIONS in Path(source).name and not Path(source).name.startswith(name)


def _model(source: str | Path) -> str | None:
    try:
        head = next(Content.of(source).pieces()) if os.path.isfile(source) else b""
    except MetameterError:  # which is said when it is read
        return None
    return format_of(head).system(head)


def qrels_of(content: Content, *, on_duplicate: str = "error") -> Qrels:
    """The judgments in a file."""
    data, where = content.unpacked(), content.source
    listing = format_of(data, where).read(data, QRELS, where)
    if listing.rows is None:
        qrels = Qrels(listing.table(), where, (content.fingerprint,))
    else:
        qrels = Qrels.of_rows(listing.rows, listing.table, source=where, fingerprints=(content.fingerprint,))
    return distinct(qrels, "grade", on_duplicate, listing.place)


def run_of(content: Content, **options: Any) -> Run:
    """The run in a file; `read_run` says what the options are.

    Its fingerprint is left out: a run that is read for the pool only need not be hashed.
    """
    data = content.unpacked()
    return run_of_text(data, content.source, format_of(data, content.source), **options)


def run_of_text(
    data: bytes,
    where: str,
    form: Format = LINES,
    *,
    name: str | None = None,
    name_by: str = "file",
    on_duplicate: str = "error",
    need_rank: bool = False,
) -> Run:
    """The same from what a file of this format holds, or from the lines of some of its topics."""
    if name is None and name_by == "file":
        name = system_name(where)
    texts = RUN.texts if name is not None else (*RUN.texts, "tag")
    listing = form.read(data, replace(RUN, texts=texts, numbers=("score", "rank") if need_rank else RUN.numbers), where)
    if listing.rows is not None and name is not None:
        run = Run.of_rows(listing.rows, listing.table, name=name, source=where, fingerprint=None)
    else:
        table = listing.table()
        name = name or _tag(name_by, where, table.get_column("tag", default=None))
        run = Run(name, table.drop("tag", strict=False), where)
    return distinct(run, "score", on_duplicate, listing.place)


def tag_of(content: Content) -> str:
    """The tag of a run, from its first line."""
    data = content.unpacked()
    named = isinstance(format_of(data, content.source), TableFormat)
    first = None if named else next((columns for _, columns in content_lines(data)), None)
    if first is None or len(first) != len(RUN.columns):
        return run_of(content, name_by="tag").name  # which says what is wrong, and where
    return first[-1].decode(errors="replace")


def _tag(name_by: str, source: str, tags: pl.Series | None) -> str:
    if name_by != "tag":
        raise MetameterError(
            "there is no such way to name systems", given=name_by, allowed="file, tag", fix="Choose one of these."
        )
    if tags is None:
        raise MetameterError("the run has no column that names its system", where=source, fix="Name systems by file.")
    distinct = tags.unique(maintain_order=True).to_list()
    if len(distinct) > 1:
        given = ", ".join(distinct[:3])
        raise MetameterError("the run has several tags", where=source, given=given, fix="Name systems by file.")
    return str(distinct[0])
