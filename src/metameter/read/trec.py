"""Qrels and runs in the formats of TREC, or as tables with named columns: Parquet, CSV, TSV."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metameter.errors import MetameterError
from metameter.read.duplicates import distinct
from metameter.read.files.content import PACKED, Content
from metameter.read.layout import Layout, parse
from metameter.read.lines import content_lines, line_of_row
from metameter.read.parquet_notes import is_parquet
from metameter.read.separated import has_header, separated_cells
from metameter.read.split import split_rows
from metameter.types import Qrels, Run
from metameter.types.names import PADDING
from metameter.types.rows import Rows
from metameter.utf8 import in_utf8

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    *("QRELS", "RUN", "headed_rows", "is_headed", "place_of_row", "qrels_of", "run_of", "run_of_text", "system_name"),
    *("tag_of",),
]

QRELS = Layout(("topic", "iter", "doc", "grade"), texts=("topic", "doc"), numbers=("grade",))
RUN = Layout(("topic", "Q0", "doc", "rank", "score", "tag"), texts=("topic", "doc"), numbers=("score",))


def system_name(source: str | Path) -> str:
    """A system is called as its file, without folder and compression suffix.

    Examples
    --------
    >>> system_name("runs/input.BM25.gz")
    'input.BM25'
    """
    name = in_utf8(Path(source).name)
    if str(source) == "-":
        return "stdin"
    return next((name.removesuffix(suffix) for suffix in PACKED if name.endswith(suffix) and name != suffix), name)


def qrels_of(content: Content, *, on_duplicate: str = "error") -> Qrels:
    """The judgments in a file: ``topic iter doc grade``, or a table with topic, doc, grade.

    Examples
    --------
    >>> qrels_of(Content("qrels", b"401 0 d1 1")).table.rows()
    [('401', 'd1', 1.0)]
    """
    data, where = content.unpacked(), content.source
    headed = is_headed(data)
    split = None if headed else _split(data, QRELS, where)
    if split is None:
        table = headed_rows(data, QRELS, where) if headed else parse(data, QRELS, where)
        qrels = Qrels(table, where, (content.fingerprint,))
    else:
        qrels = Qrels.of_rows(*split, source=where, fingerprints=(content.fingerprint,))
    return distinct(qrels, "grade", on_duplicate, place_of_row(data, where))


def run_of(
    content: Content,
    *,
    name: str | None = None,
    name_by: str = "file",
    on_duplicate: str = "error",
    need_rank: bool = False,
) -> Run:
    """The run in a file: ``topic Q0 doc rank score tag``, or a table with topic, doc, score; `read_run` says more.

    Its fingerprint is left out: a run that is read for the pool only need not be hashed.

    Examples
    --------
    >>> run_of(Content("bm25", b"401 Q0 d1 1 9.5 tag"), name_by="tag").name
    'tag'
    """
    options: dict[str, Any] = {"name_by": name_by, "on_duplicate": on_duplicate, "need_rank": need_rank}
    data = content.unpacked()
    return run_of_text(data, content.source, headed=is_headed(data), name=name, **options)


def run_of_text(
    data: bytes,
    where: str,
    *,
    headed: bool = False,
    name: str | None = None,
    name_by: str = "file",
    on_duplicate: str = "error",
    need_rank: bool = False,
) -> Run:
    """The same from what a file holds, with a header or not, or from the lines of some of its topics.

    Examples
    --------
    >>> run_of_text(b"401 Q0 d1 1 9.5 tag", "bm25.gz")
    <Run bm25: 1 document, 1 topic>
    """
    if name is None and name_by == "file":
        name = system_name(where)
    layout = replace(RUN, numbers=("score", "rank") if need_rank else RUN.numbers)
    # The tag, and two columns of numbers, only tables have.
    split = None if headed or name is None or need_rank else _split(data, layout, where)
    if split is not None:
        run = Run.of_rows(*split, name=name, source=where, fingerprint=None)
    else:
        layout = layout if name is not None else replace(layout, texts=(*RUN.texts, "tag"))
        table = headed_rows(data, layout, where) if headed else parse(data, layout, where)
        name = name or _tag(name_by, where, table.get_column("tag", default=None))
        run = Run(name, table.drop("tag", strict=False), where)
    return distinct(run, "score", on_duplicate, place_of_row(data, where))


def _split(data: bytes, layout: Layout, where: str) -> tuple[Rows, Callable[[], pl.DataFrame]] | None:
    """The rows of a file, and what makes the table of them; None if it is not a regular one."""
    rows = split_rows(data, layout)
    return None if rows is None else (rows, partial(_table_again, rows, layout, where))


def _table_again(rows: Rows, layout: Layout, where: str) -> pl.DataFrame:
    """The table of lines, from the text in which the names of the rows stand."""
    return parse(rows.doc.codes.tobytes().removesuffix(PADDING), layout, where)


def headed_rows(data: bytes, layout: Layout, where: str) -> pl.DataFrame:
    r"""The wanted columns of Parquet, CSV or TSV with a header.

    Of a run, the column that names its system is there as ``tag``.

    Examples
    --------
    >>> headed_rows(b"qid,docno,label\n401,d1,1\n", QRELS, "qrels.csv").rows()
    [('401', 'd1', 1.0)]
    """
    from metameter.read.typed_columns import read_headed, read_parquet  # which no regular file needs

    texts = tuple(name for name in layout.texts if name != "tag")
    if is_parquet(data):
        return read_parquet(data, texts, layout.numbers, where)
    return read_headed(data, texts, layout.numbers, where)[0]


def is_headed(data: bytes) -> bool:
    """Whether columns have names, as in Parquet, or CSV or TSV with a header; else the lines are those of TREC."""
    return is_parquet(data) or has_header(data, QRELS.texts, (*QRELS.numbers, *RUN.numbers))


def tag_of(content: Content) -> str:
    r"""The tag of a run, from its first line.

    Examples
    --------
    >>> tag_of(Content("bm25", b"# mine\n401 Q0 d1 1 9.5 okapi"))
    'okapi'
    """
    data = content.unpacked()
    first = None if is_headed(data) else next((columns for _, columns in content_lines(data)), None)
    if first is None or len(first) != len(RUN.columns):
        return run_of(content, name_by="tag").name  # which says what is wrong, and where
    return first[-1].decode(errors="replace")


def place_of_row(data: bytes, where: str) -> Callable[[int], str]:
    """From a row's number, from 0, to where it stands: its line or, in Parquet, its row."""
    if is_parquet(data):
        return lambda row: f"{where}: row {row + 1}"
    if is_headed(data):
        lines = cache(lambda: separated_cells(data, where)[2])
        return lambda row: f"{where}:{lines()[row]}"
    return lambda row: f"{where}:{line_of_row(data, row)}"


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
