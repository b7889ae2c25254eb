"""Runs, from files, dictionaries or data frames: one, or several that are read only when they are scored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from numbers import Number
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from metameter.arguments import checks_arguments
from metameter.errors import MetameterError, in_utf8
from metameter.read.columns import find_column
from metameter.read.duplicates import distinct as each_document_once
from metameter.read.files.content import Content, UnreadFile
from metameter.read.files.limits import unpack_limit, unpacking
from metameter.read.formats import format_of, table_of
from metameter.read.formats.base import Format, TableFormat
from metameter.read.formats.dictionaries import is_of_ranx, is_ranking
from metameter.read.formats.frames import is_frame
from metameter.read.formats.json_text import MTEB
from metameter.read.formats.rows import is_row
from metameter.read.formats.trec import FORMAT as TREC
from metameter.read.sources import distinct, find_files, is_predicted, system_name
from metameter.read.trec.parse import RUN, Layout, content_lines
from metameter.types import Run

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class ReadOptions:
    """The options of `read_run` that all runs of a collection share."""

    name_by: str = "file"
    on_duplicate: str = "error"
    need_rank: bool = False


_DEFAULTS = ReadOptions()
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
        The name of the system. By default, for a file as ``name_by`` says; for an object its own name, the value of its
        column ``system``, or else ``run``.
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
    return _read(source, name, ReadOptions(name_by, on_duplicate, need_rank))


def _read(source: Any, name: str | None, options: ReadOptions) -> Run:
    if isinstance(source, Run):
        return source if name in (None, source.name) else source.renamed(str(name))
    if isinstance(source, str | Path):
        content = Content.of(source)
        return run_of(content, options, name=name).with_fingerprint(content.fingerprint)
    if name is None and is_of_ranx(source):
        name = in_utf8(str(source.name or "run"))
    from metameter.read.header_table import HeaderTable  # which no regular file needs

    named = HeaderTable.by_row(name or "run", table_of(source, "score", RUN_FIX))
    table = named.select(Layout((), RUN.texts, _numbers(options)))
    name = name or in_utf8(str(table.get_column("tag", default=["run"])[0]))
    run = Run(name, table.drop("tag", strict=False), name)
    return each_document_once(run, "score", options.on_duplicate, named.location)


def _numbers(options: ReadOptions) -> tuple[str, ...]:
    return ("score", "rank") if options.need_rank else RUN.numbers


def run_of(content: Content, options: ReadOptions = _DEFAULTS, *, name: str | None = None) -> Run:
    """The run in a file, without a fingerprint."""
    data = content.unpacked()
    return run_of_text(data, content.source, options, name=name, form=format_of(data))


def run_of_text(
    data: bytes, where: str, options: ReadOptions = _DEFAULTS, *, name: str | None = None, form: Format = TREC
) -> Run:
    """The run in the content of a file of this format, or in the lines of some of its topics."""
    if name is None and options.name_by == "file":
        name = system_name(where)
    texts = RUN.texts if name is not None else (*RUN.texts, "tag")
    listing = form.read(data, replace(RUN, texts=texts, numbers=_numbers(options)), where)
    if listing.rows is not None and name is not None:
        run = Run.of_rows(listing.rows, listing.table, name=name, source=where, fingerprint=None)
    else:
        table = listing.table()
        name = name or _tag(options.name_by, where, table.get_column("tag", default=None))
        run = Run(name, table.drop("tag", strict=False), where)
    return each_document_once(run, "score", options.on_duplicate, listing.location)


def tag_of(content: Content) -> str:
    """The tag of a run, from its first line."""
    data = content.unpacked()
    named = isinstance(format_of(data), TableFormat)
    first = None if named else next((columns for _, columns in content_lines(data)), None)
    if first is None or len(first) != len(RUN.columns):
        return run_of(content, ReadOptions(name_by="tag")).name  # raises the error for a bad line
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


@dataclass(frozen=True)
class RunFile(UnreadFile):
    """A run in a file that has not been read yet."""

    name: str
    options: ReadOptions = _DEFAULTS

    @property
    def by_tag(self) -> bool:
        """Whether the system's name is the run's tag (`named`)."""
        return self.options.name_by == "tag"

    def named(self, content: Content | None) -> str:
        """The system's name, from the file's content where it is the run's tag."""
        with unpacking(self.limit):
            return tag_of(content or self.load()) if self.by_tag else self.name

    def read(self, content: Content | None = None) -> Run:
        """Read the run, from content if it is already loaded."""
        with unpacking(self.limit):
            return run_of(content or self.load(), self.options, name=None if self.by_tag else self.name)


@dataclass(frozen=True, eq=False)
class RunInMemory:
    """A run that is a Python object; it becomes a `Run` when it is read."""

    name: str
    origin: Any
    options: ReadOptions = _DEFAULTS
    limit: int = field(default_factory=unpack_limit)

    @property
    def source(self) -> str:
        """Its name, for messages."""
        return self.name

    def load(self) -> None:
        """Do nothing: there is no file to load."""

    opened = load

    def named(self, content: Content | None) -> str:
        """The system's name."""
        return self.name

    def read(self, content: Content | None = None) -> Run:
        """Make it a `Run`."""
        with unpacking(self.limit):
            return _read(self.origin, self.name, self.options)


class PredictedRun(RunInMemory):
    """A run in several files of MTEB's predictions, of one task or subset each."""

    def read(self, content: Content | None = None) -> Run:
        """All their topics; one that is in two files is refused."""
        import polars as pl

        with unpacking(self.limit):
            parts = [_read(file, self.name, self.options) for file in self.origin]
        seen: dict[str, str] = {}
        for file, part in zip(self.origin, parts, strict=True):
            for topic in dict.fromkeys(part.rows.topics):
                if seen.setdefault(topic, file) != file:
                    what, fix = f"topic {topic!r} is in {seen[topic]}, too", "Name the file of one task."
                    raise MetameterError(what, where=file, fix=fix)
        return Run(self.name, pl.concat([part.table for part in parts]), self.origin[0])


LazyRun: TypeAlias = RunFile | RunInMemory


def as_runs(obj: Any, *, name_by: str = "file", on_duplicate: str = "error", need_rank: bool = False) -> list[LazyRun]:
    """All the runs that an object stands for, each with a name of its own; nothing is read yet.

    Parameters
    ----------
    obj : object
        A path, folder or glob; a dict {system: run}; one run as a dict {topic: {doc: score}} or {topic: [doc, ...]}, or
        as MTEB writes it, of which a folder is one run for each model; a data frame or rows
        (dictionaries, named tuples), of several systems if there is a column ``system`` (or run, tag, name); a `Run`,
        also of ranx; or a list of any of these.
    name_by, on_duplicate, need_rank
        As for `read_run`.

    Examples
    --------
    >>> [run.name for run in as_runs({"BM25": {"401": {"d1": 9.5}}, "QL": {"401": {"d1": -3.2}}})]
    ['BM25', 'QL']
    """
    runs = listed_runs(obj, name_by=name_by, on_duplicate=on_duplicate, need_rank=need_rank)
    if name_by != "tag":
        distinct([(run.name, run.source) for run in runs])
    return runs


def listed_runs(
    obj: Any, *, name_by: str = "file", on_duplicate: str = "error", need_rank: bool = False
) -> list[LazyRun]:
    """All the runs, whether or not their names differ."""
    runs = _runs(obj, ReadOptions(name_by, on_duplicate, need_rank))
    if not runs:
        raise MetameterError("no run is given", fix=RUN_FIX)
    return runs


def _runs(obj: Any, options: ReadOptions) -> list[LazyRun]:
    if isinstance(obj, str | Path):
        return _of_files(find_files([obj]), options)
    if isinstance(obj, Run):
        return [RunInMemory(obj.name, obj, options)]
    if isinstance(obj, RunFile | RunInMemory):
        return [obj]
    if is_of_ranx(obj):
        return [RunInMemory(in_utf8(str(obj.name or "run")), obj.to_dict(), options)]
    if isinstance(obj, Mapping):
        if isinstance(obj.get(MTEB), Mapping):
            return [_of_predictions(obj, options)]
        if _is_one_run(obj):
            return [RunInMemory("run", obj, options)]
        return [_named(in_utf8(str(name)), run, options) for name, run in obj.items()]
    # A series of pandas is a frame without its index, and iterates over numbers.
    if isinstance(obj, Iterable) and not is_frame(obj) and not hasattr(obj, "reset_index"):
        parts = list(obj)
        if not parts or not is_row(parts[0]):
            _refuse_bare_tuples(parts)
            return [run for part in parts for run in _runs(part, options)]
        obj = parts
    return _runs_of_frame(table_of(obj, "score", RUN_FIX), options)


def _of_files(files: list[str], options: ReadOptions) -> list[LazyRun]:
    """A run for each file; files of MTEB's predictions of one model are one run."""
    files_of: dict[str, list[str]] = {}
    runs: list[LazyRun] = []
    for file in files:
        name = system_name(file)
        if is_predicted(file, name) and name in files_of:
            files_of[name].append(file)
            continue
        files_of[name] = [file]
        runs.append(RunFile(file, name, options))
    several = {name: paths for name, paths in files_of.items() if len(paths) > 1}
    return [PredictedRun(run.name, tuple(several[run.name]), options) if run.name in several else run for run in runs]


def _of_predictions(predictions: Mapping[Any, Any], options: ReadOptions) -> LazyRun:
    """The run in predictions of MTEB: {subset: {split: {topic: {doc: score}}}}, and the model's name."""
    topics: dict[Any, Any] = {}
    for subset, splits in predictions.items():
        for split, predicted in splits.items() if subset != MTEB else ():
            if not isinstance(predicted, Mapping) or topics.keys() & predicted.keys():
                fix = "Give {topic: {doc: score}} of one subset and split."
                what = "the predictions are no ranked lists, or a topic is in several subsets or splits"
                raise MetameterError(what, given=f"{subset}/{split}", fix=fix)
            topics |= predicted
    return RunInMemory(in_utf8(str(predictions[MTEB].get("model_name", "run"))), topics, options)


def _refuse_bare_tuples(parts: list[Any]) -> None:
    """Refuse bare tuples, whose strings would be read as paths.

    These are rows without column names, and the (name, frame) pairs of a group-by in pandas.
    """
    for part in parts:
        if not isinstance(part, tuple) or all(isinstance(each, str | Path) for each in part):
            continue
        if any(isinstance(each, Number) for each in part):
            fix = "Give dictionaries or named tuples with topic, doc, score."
            raise MetameterError("the row does not name its columns", given=part, fix=fix)
        if isinstance(part[0], str | tuple) and len(part) == 2:
            fix = "Give {name: run}, such as dict(list(groups)), or the frame itself."
            raise MetameterError("a pair of a name and a run is not a run", given=part[0], fix=fix)


def _named(name: str, run: Any, options: ReadOptions) -> LazyRun:
    if isinstance(run, str | Path):
        return RunFile(str(run), name, replace(options, name_by="file"))
    # The rows of a generator are kept, since a run may be read twice: for the pool and for its scores.
    return RunInMemory(name, table_of(run, "score", RUN_FIX) if isinstance(run, Iterator) else run, options)


def _runs_of_frame(table: pl.DataFrame, options: ReadOptions) -> list[LazyRun]:
    column = find_column("system", table.columns, "runs")
    if column is None:
        return [RunInMemory("run", table, options)]
    if table[column].null_count():
        row = table[column].is_null().arg_max() or 0
        fix = f"Correct the {column}, or leave the row out."
        raise MetameterError(f"the {column} is missing", where=f"runs: row {row + 1}", fix=fix)
    parts = table.partition_by(column, maintain_order=True)
    return [RunInMemory(in_utf8(str(part[column][0])), part, options) for part in parts]


def _is_one_run(obj: Mapping[Any, Any]) -> bool:
    """{topic: {doc: score}} or {topic: [doc, ...]} rather than {system: run}: two levels down there is a number."""
    if obj and all(map(is_ranking, obj.values())):
        return any(obj.values())
    lists = [value for value in obj.values() if isinstance(value, Mapping) and value]
    return bool(lists) and not isinstance(next(iter(lists[0].values())), Mapping | list | tuple)
