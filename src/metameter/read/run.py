"""One run, from a file, a dictionary or a data frame."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metameter.arguments import checks_arguments
from metameter.errors import MetameterError
from metameter.read.duplicates import distinct
from metameter.read.files.content import Content
from metameter.read.formats import format_of
from metameter.read.formats.base import Format, TableFormat
from metameter.read.formats.trec import FORMAT as LINES
from metameter.read.frames import is_of_ranx, table_of
from metameter.read.sources import system_name
from metameter.read.trec.layout import RUN, Layout
from metameter.read.trec.lines import content_lines
from metameter.types import Run
from metameter.utf8 import in_utf8

if TYPE_CHECKING:
    import polars as pl


RUN_FIX = "Give a path, a Run, a data frame or rows with topic, doc, score, or a dict {topic: {doc: score}}."


@checks_arguments
def read_run(
    source: Any,
    *,
    name: str | None = None,
    name_by: str = "file",
    on_duplicate: str = "error",
    need_rank: bool = False,
) -> Run:
    r"""Read a system's ranked lists.

    Parameters
    ----------
    source : path, dict, data frame, rows or Run
        Lines of ``topic Q0 doc rank score tag``; CSV, TSV, JSON lines or Parquet with the columns topic, doc and score
        or rank; JSON, {topic: {doc: score}} or {topic: [doc, ...]}, as MTEB writes it too; plain, .gz, .bz2, .xz, .zst.
        ``-`` is standard input. Such a dictionary, any data frame with these columns, dictionaries or named tuples with
        these names, or a Run of ranx. Columns may have the names of ir_measures (query_id, doc_id) or PyTerrier (qid,
        docno), and some more. Without scores, documents are in the order of their ranks, or of the list.
    name : str, optional
        The system's name; by default as ``name_by`` says; for an object that is not a file its own name, that in its
        column ``system``, or ``run``.
    name_by : {"file", "tag"}
        Name the system after its file, without folder and suffixes, or after the sixth column (of
        a table with named columns: ``system``, or run, tag, name).
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
    >>> read_run({"401": {"d1": 9.5}}, name="BM25").name
    'BM25'
    """
    if isinstance(source, Run):
        return source if name is None else source.renamed(str(name))
    if isinstance(source, str | Path):
        content = Content.of(source)
        run = run_of(content, name=name, name_by=name_by, on_duplicate=on_duplicate, need_rank=need_rank)
        return run.with_fingerprint(content.fingerprint)
    if name is None and is_of_ranx(source):
        name = in_utf8(str(source.name or "run"))
    from metameter.read.header_table import HeaderTable  # which no regular file needs

    named = HeaderTable.by_row(name or "run", table_of(source, "score", RUN_FIX))
    table = named.wanted(Layout((), RUN.texts, ("score", "rank") if need_rank else RUN.numbers))
    name = name or in_utf8(str(table.get_column("tag", default=["run"])[0]))
    return distinct(Run(name, table.drop("tag", strict=False), name), "score", on_duplicate, named.place)


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
