"""Sessions of systems: from files, dictionaries or data frames to lists in order, numbered from 1, without gaps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

import polars as pl

from metameter.arguments import checks_arguments
from metameter.errors import MetameterError, in_utf8
from metameter.notices import notice
from metameter.read.columns import column_key, spellings
from metameter.read.duplicates import refuse_repeats
from metameter.read.files.content import Content
from metameter.read.formats import location_in_frame, named_columns, table_of
from metameter.read.formats.frames import is_frame
from metameter.read.header_table import HeaderTable
from metameter.read.sources import distinct, find_files, system_name
from metameter.read.trec.parse import Layout, content_lines
from metameter.types import Fingerprint, SessionRun, counted

_FIX = "Give a path, a SessionRun, a data frame with topic, iteration, doc, or {topic: [[doc, ...] an iteration]}."
_TOPIC, _DOC, _SYSTEM, _NUMBER = spellings("topic"), spellings("doc"), ("system", "run"), ("iteration", "turn")
_COLUMNS = (*_SYSTEM, *_TOPIC, *_NUMBER, "rank", "score", *_DOC)
_FORM = "topic, iteration or turn, doc; if there are any: system, rank, score"
_DYNAMIC = ("topic", "iteration", "doc", "score", "on_topic", "subtopics")
_SESSION = ("system", "topic")
# The order in which users see documents; topics as they come in the file.
_ORDER = ("at", "iteration", "order", "row")
# So many iterations are filled at most: a number that is far off would otherwise fill the memory.
_GAPS = 1_000_000
# By the rules of TREC Dynamic Domain an iteration shows five documents.
_PAGE = 5


@dataclass(frozen=True, eq=False)
class _Listing:
    """The documents of sessions, as a file or an object lists them."""

    source: str
    #: Columns ``system``, ``topic``, ``doc`` (String), ``iteration`` and ``order`` (Float64): a list goes by rising
    #: ``order``, then as the rows do. An iteration without documents is a row without ``doc`` and ``order``.
    rows: pl.DataFrame
    location: Callable[[int], str]
    #: Whether this is a run of TREC Dynamic Domain: iterations are counted from 0, not only where one is 0, and of two
    #: rows with one document of a topic the later in the file is the repetition, not the one that is seen later.
    official: bool = False
    number: str = "iteration"  # what iterations are called


@checks_arguments
def read_session_run(source: Any, *, name: str | None = None) -> SessionRun:
    r"""Read one system's sessions.

    A run file of TREC Dynamic Domain has lines of ``topic iteration doc score`` (what follows is ignored); iterations
    are counted from 0, lists go by falling score. A table (comma- or tab-separated, or Parquet) has a header with
    topic, iteration or turn, and doc (or docno, doc_id, docid); iterations are counted from 1, or from 0 where one is
    0; lists go by rising ``rank``, else by falling ``score``, else as the rows do.

    A document that the session has shown before counts as not relevant. An iteration that is left out counts as a list
    of one document that is not relevant. A notice says how often that happened.

    Parameters
    ----------
    source : path, dict, data frame or SessionRun
        A file, plain, .gz, .bz2, .xz or .zst; ``-`` is standard input. A dictionary {topic: [[doc, ...], ...]} with a
        list of documents for each iteration. A data frame with the columns of a table.
    name : str, optional
        The system's name; by default that of its file or in the column ``system``, else ``run``.

    Examples
    --------
    >>> run = read_session_run({"mars": [["d1", "d2"], ["d3"]]}, name="agent")
    >>> run, run.table.rows()
    (<SessionRun agent: 1 topic, 2 iterations, 3 documents>,
     [('mars', 1, 'd1'), ('mars', 1, 'd2'), ('mars', 2, 'd3')])
    """
    runs = [source] if isinstance(source, SessionRun) else _read(source)
    if len(runs) != 1:
        given = ", ".join(run.name for run in runs)
        fix = "Keep the rows of one, or read them with as_session_runs."
        raise MetameterError(f"there are {len(runs)} systems", where=runs[0].source, given=given, fix=fix)
    return runs[0] if name is None else replace(runs[0], name=name)


def as_session_runs(obj: Any) -> list[SessionRun]:
    """All the sessions that an object stands for, by system.

    Parameters
    ----------
    obj : object
        Whatever `read_session_run` reads, of one or, if it has a column ``system``, of several systems; a folder or a
        glob; a dict {system: run}; or a list of any of these.

    Examples
    --------
    >>> [run.name for run in as_session_runs({"a": {"mars": [["d1"]]}, "b": {"mars": [["d2"]]}})]
    ['a', 'b']
    """
    runs = _runs(obj)
    if not runs:
        raise MetameterError("no run is given", fix=_FIX)
    distinct([(run.name, run.source) for run in runs])
    return runs


def _runs(obj: Any) -> list[SessionRun]:
    if isinstance(obj, SessionRun):
        return [obj]
    if isinstance(obj, str | Path):
        return [run for file in find_files([obj]) for run in _read(file)]
    if isinstance(obj, Mapping):
        if any(_is_list(value) for value in obj.values()):
            return _read(obj)
        return [read_session_run(run, name=in_utf8(str(name))) for name, run in obj.items()]
    if isinstance(obj, Iterable) and not is_frame(obj):
        return [run for part in obj for run in _runs(part)]
    return _read(obj)


def _read(source: Any) -> list[SessionRun]:
    if isinstance(source, str | Path):
        content = Content.of(source)
        return _sessions_of(_listing_in(content), content.fingerprint)
    if isinstance(source, Mapping):
        return _sessions_of(_of_lists(source))
    return _sessions_of(_listing_in_table(HeaderTable.by_row("run", table_of(source, "", _FIX)), "run"))


def _of_lists(topics: Mapping[Any, Any]) -> _Listing:
    rows: list[tuple[str, str | None, float, float | None]] = []
    for topic, lists in topics.items():
        for number, documents in enumerate(_checked(lists, topic), start=1):
            page = [(str(topic), _doc(doc, topic), number, 0.0) for doc in _checked(documents, topic)]
            rows += page or [(str(topic), None, number, None)]
    if not rows:
        raise MetameterError("the run is empty", fix=_FIX)
    schema = {"topic": pl.String, "doc": pl.String, "iteration": pl.Float64, "order": pl.Float64}
    table = pl.DataFrame(rows, schema=schema, orient="row").with_columns(system=pl.lit("run"))
    return _Listing("run", table, location_in_frame("run"))


def _checked(value: Any, topic: Any) -> Sequence[Any]:
    if not _is_list(value):
        raise MetameterError(f"topic {topic!r} has no lists of documents", where="run", given=value, fix=_FIX)
    return list(value)


def _doc(doc: Any, topic: Any) -> str:
    if doc is None or not str(doc).strip():
        raise MetameterError(f"a document of topic {topic!r} has no name", where="run", given=doc, fix="Name it.")
    return str(doc).strip()


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _listing_in(content: Content) -> _Listing:
    """The documents in a file: a table with a header, or lines of ``topic iteration doc score ...``."""
    data, where = content.unpacked(), content.source
    table = named_columns(data, where, _COLUMNS)
    if table is not None:
        return _listing_in_table(table, system_name(where))
    table = _dynamic(data, where)
    system = pl.lit(system_name(where)).alias("system")
    rows = table.cells.select(system, "topic", "doc", "iteration", order=-pl.col("score"))
    return _Listing(where, rows, table.location, official=True)


def _listing_in_table(table: HeaderTable, name: str) -> _Listing:
    """The documents in a table; without a column of systems all rows are of the one with this name.

    Lists go by rising rank, else by falling score, else as the rows do.
    """
    table = table.nonempty()
    topic, number, doc = (table.needs(*each, allowed=_FORM) for each in (_TOPIC, _NUMBER, _DOC))
    system, rank, score = table.find(_SYSTEM), table.find("rank"), table.find(("score",))
    rows = pl.DataFrame({"topic": table.texts(topic), "doc": table.texts(doc), "iteration": table.numbers(number)})
    order = table.numbers(rank) if rank else -table.numbers(score) if score else pl.lit(0.0)
    rows = rows.with_columns(system=table.texts(system) if system else pl.lit(name), order=order)
    called = column_key(number)
    if rank:
        ranked = rows.select("system", "topic", pl.col("iteration").alias(called), pl.col("order").alias("rank"))
        refuse_repeats(ranked, ranked.columns, table.location)
    return _Listing(table.source, rows, table.location, number=called)


def _dynamic(data: bytes, where: str) -> HeaderTable:
    """The first four columns; the last two may be absent, in some lines or in all."""
    _, first = next(content_lines(data), (0, []))
    layout = Layout(_DYNAMIC[:4], ("topic", "doc"), ("iteration", "score"))
    if len(first) in (5, 6):
        with suppress(MetameterError):  # perhaps because lines differ in width
            return HeaderTable.of_lines(data, replace(layout, columns=_DYNAMIC[: len(first)]), where)
    lines = ((line, line.split()) for line in data.split(b"\n"))
    cut = b"\n".join(b"\t".join(columns[:4]) if 4 <= len(columns) <= 6 else line for line, columns in lines)
    return HeaderTable.of_lines(cut, layout, where)


def _sessions_of(listing: _Listing, fingerprint: Fingerprint | None = None) -> list[SessionRun]:
    """The sessions of each system; one notice counts gaps that were filled and documents that were shown before."""
    first = _first(listing)
    rows = listing.rows.with_row_index("row").with_columns(at=pl.col("row").first().over(_SESSION))
    rows = rows.with_columns((pl.col("iteration") - (first - 1)).cast(pl.Int64))
    rows = _marked(rows).sort(_ORDER) if listing.official else _marked(rows.sort(_ORDER))
    rows = _filled(rows)
    _notify(listing, first, rows)
    page = _PAGE if listing.official else None
    return [
        SessionRun(part["system"][0], part.select("topic", "iteration", "doc"), listing.source, fingerprint, page)
        for part in rows.partition_by("system", maintain_order=True)
    ]


def _first(listing: _Listing) -> int:
    """The number of the first iteration, 0 or 1; impossible numbers are refused."""
    numbers, name = listing.rows["iteration"], listing.number

    def refuse(what: str, row: int, allowed: str | None = None) -> NoReturn:
        fix = f"Number the {name}s of a session one after another."
        raise MetameterError(what, where=listing.location(row), given=numbers[row], allowed=allowed, fix=fix)

    bad = ((numbers < 0) | (numbers != numbers.floor())).arg_true()
    if bad.len():
        refuse(f"the {name} is not a whole number from 0 on", int(bad[0]))
    spans = _spans(listing.rows, _SESSION)
    if (spans["last"] - spans["seen"]).sum() > _GAPS:
        refuse(f"the {name}s leave out too many numbers", numbers.arg_max() or 0, f"{_GAPS:,} gaps at most")
    return 0 if listing.official or (numbers == 0).any() else 1


def _spans(rows: pl.DataFrame, session: Sequence[str]) -> pl.DataFrame:
    """The last iteration of each session, and how many iterations it has."""
    return rows.group_by(session).agg(last=pl.col("iteration").max(), seen=pl.col("iteration").n_unique())


def _marked(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows without the names of documents that an earlier row of their session has."""
    return rows.with_columns(pl.when(pl.struct(*_SESSION, "doc").is_first_distinct()).then("doc"))


def _filled(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with one nameless document in every iteration that is missing before the last of its session."""
    spans = _spans(rows, (*_SESSION, "at")).filter(pl.col("last") > pl.col("seen"))
    if not spans.height:
        return rows
    complete = spans.select(*_SESSION, "at", iteration=pl.int_ranges(1, pl.col("last") + 1)).explode("iteration")
    missing = complete.join(rows, on=["at", "iteration"], how="anti")
    return pl.concat([rows, missing], how="diagonal_relaxed").sort(_ORDER)


def _notify(listing: _Listing, first: int, rows: pl.DataFrame) -> None:
    nameless = rows.filter(pl.col("doc").is_null())
    gaps = nameless.filter(pl.col("order").is_null())
    repeated, messages = nameless.height - gaps.height, []
    if not listing.official and not first:
        messages.append(f"a {listing.number} is 0, so they are counted from 0")
    if gaps.height:
        missing = f"{counted(gaps.height, listing.number)} of {counted(gaps['topic'].n_unique(), 'topic')}"
        messages.append(f"without documents: {missing}, filled with one that is not relevant")
    if listing.official and (listing.rows["iteration"] > 0).all():
        messages.append("TREC counts iterations from 0, but none is 0")
    if repeated:
        messages.append(f"shown before in the session: {counted(repeated, 'document')}, taken as not relevant")
    if messages:
        notice(f"{listing.source}: {'; '.join(messages)}")
