"""Sessions of systems, from files, dictionaries or data frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from metameter.arguments import checks_arguments
from metameter.errors import MetameterError
from metameter.read.files.content import Content
from metameter.read.frames import is_frame, place_in_frame
from metameter.read.session_files import shown_in, shown_in_sheet
from metameter.read.sessions import Shown, sessions_of
from metameter.read.sheets import sheet_of_frame
from metameter.read.sources import distinct, find_files
from metameter.types import SessionRun
from metameter.utf8 import in_utf8

__all__ = ["as_session_runs", "read_session_run"]

_FIX = "Give a path, a SessionRun, a data frame with topic, iteration, doc, or {topic: [[doc, ...] an iteration]}."


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
        return sessions_of(shown_in(content), content.fingerprint)
    if isinstance(source, Mapping):
        return sessions_of(_of_lists(source))
    return sessions_of(shown_in_sheet(sheet_of_frame(source, "run", _FIX), "run"))


def _of_lists(topics: Mapping[Any, Any]) -> Shown:
    rows: list[tuple[str, str | None, float, float | None]] = []
    for topic, lists in topics.items():
        for number, documents in enumerate(_checked(lists, topic), start=1):
            shown = [_doc(doc, topic) for doc in _checked(documents, topic)]
            rows += [(str(topic), doc, number, 0.0) for doc in shown] or [(str(topic), None, number, None)]
    if not rows:
        raise MetameterError("the run is empty", fix=_FIX)
    schema = {"topic": pl.String, "doc": pl.String, "iteration": pl.Float64, "order": pl.Float64}
    table = pl.DataFrame(rows, schema=schema, orient="row")
    return Shown("run", table.with_columns(system=pl.lit("run")), place_in_frame("run"))


def _checked(value: Any, topic: Any) -> Sequence[Any]:
    if not _is_list(value):
        raise MetameterError(f"topic {topic!r} has no lists of documents", where="run", given=value, fix=_FIX)
    return list(value)


def _doc(doc: Any, topic: Any) -> str:
    text = str(doc).strip()
    if doc is None or not text:
        raise MetameterError(f"a document of topic {topic!r} has no name", where="run", given=doc, fix="Name it.")
    return text


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)
