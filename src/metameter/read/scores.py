"""Tables of scores: long, wide, as matrices, or the output of ``trec_eval -q``; read into `Scores`."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import polars as pl

from metameter.arguments import checks_arguments
from metameter.errors import MetameterError, in_utf8
from metameter.notices import notice
from metameter.parameters import LARGEST
from metameter.read.columns import column_key
from metameter.read.files.content import read_bytes
from metameter.read.files.limits import size_in_words, too_large, unpack_limit
from metameter.read.formats import named_columns, table_of
from metameter.read.formats.delimited import FORMAT as DELIMITED
from metameter.read.formats.frames import is_frame
from metameter.read.formats.rows import is_row
from metameter.read.header_table import HeaderTable
from metameter.read.sources import distinct, find_files, system_name
from metameter.read.trec.parse import NUMBER, Layout, content_lines
from metameter.types import Scores, counted, topic_order
from metameter.types.scores import Missing, without_missing
from metameter.types.system_names import with_short_names

#: Which iteration of sessions: a number, the last (None), or all of them as a fourth axis.
Iteration: TypeAlias = int | Literal["all"] | None

_MOST = 2**31  # of an iteration
_ENDS = ("low", "high")
_ALL = "all"  # the pseudo-topic of rows that hold means
_VALUE = ("score", "value")
_CELL = ("metric", "system", "topic")
_LARGEST_MANIFEST = 1 << 26  # bytes
_LINE = ("metric", "topic", "value")
_TREC_EVAL = Layout(_LINE, _LINE, ())


@checks_arguments
def read_scores(
    source: Any,
    *,
    missing: Missing = None,
    collection_from: Literal["file"] | None = None,
    iteration: Iteration = None,
    strip_names: bool = False,
) -> Scores:
    r"""Read the scores of one collection.

    Parameters
    ----------
    source : path, paths, data frame or Scores
        Tables in CSV, TSV, JSON lines or Parquet; long (metric, system, topic, score), wide (system, topic, one column
        per metric) or matrices (one column per system, one row per topic; the metric is the file's stem). What
        ``trec_eval -q`` prints; the system is the file's stem. A data frame, long or wide.
    missing : {"zero", "drop-topic"}, optional
        What to do with missing cells; by default they stay, as NaN.
    collection_from : {"file"}, optional
        Every file is a collection; then there must be only one.
    iteration : int or "all", optional
        Which iteration of dynamic search, where there are several; by default the last. With ``all`` the scores have
        an axis of iterations.
    strip_names : bool
        Leave out of the systems' names what all of them begin and end with, such as ``input.`` and ``.txt``.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "AP.csv"
    >>> _ = path.write_text("bm25,ql\n0.5,0.4\n0.2,0.3\n")
    >>> scores = read_scores(path)
    >>> scores.metrics, scores.systems, scores.topics, scores["AP"].tolist()
    (('AP',), ('bm25', 'ql'), ('1', '2'), [[0.5, 0.2], [0.4, 0.3]])
    """
    if isinstance(source, Scores):
        whole = without_missing(source if iteration == "all" else source.at(iteration), missing)
        return with_short_names(whole) if strip_names else whole
    collections = read_collections(
        source, missing=missing, collection_from=collection_from, iteration=iteration, strip_names=strip_names
    )
    if len(collections) > 1:
        raise MetameterError(
            f"the files hold {len(collections)} collections: {', '.join(collections)}",
            fix="Give the files of one collection, or judge them together with study.",
        )
    return next(iter(collections.values()))


@checks_arguments
def read_collections(
    source: Any,
    *,
    missing: Missing = None,
    collection_from: Literal["file"] | None = None,
    iteration: Iteration = None,
    strip_names: bool = False,
) -> dict[str, Scores]:
    """Read the scores of one or several collections, by name; the parameters are those of `read_scores`.

    With ``collection_from="file"`` every file is a collection, named as the file's stem. Otherwise matrices
    with the same header and row count are metrics of one collection, and so are all long and wide tables.
    """
    collections = scores_of_collections(cells_by_collection(source, collection_from), iteration, missing)
    return {name: with_short_names(each) for name, each in collections.items()} if strip_names else collections


def scores_of_collections(
    collections: Mapping[str, tuple[pl.DataFrame, list[str]]], iteration: Iteration, missing: Missing
) -> dict[str, Scores]:
    """The scores of each collection from the cells of `cells_by_collection`."""
    return {
        name: without_missing(scores_of_cells(*of_iteration(cells, iteration), sources), missing)
        for name, (cells, sources) in collections.items()
    }


def stem_of(source: str) -> str:
    """A file's name without folder and suffixes."""
    name = system_name(source)
    return name if source == "-" else Path(name).stem


def read_table(source: str | Path) -> HeaderTable:
    """The table in a file, with our names of its columns."""
    return table_in(read_bytes(source), str(source))


def table_in(data: bytes, where: str) -> HeaderTable:
    """The table in the content of a file, or in its first lines."""
    table = trec_eval_table(data, where)
    if table is None:
        table = named_columns(data, where) or DELIMITED.table(data, where)
    return _with_our_names(replace(table.nonempty(), unit=""))


def trec_eval_table(data: bytes, where: str) -> HeaderTable | None:
    """The output of ``trec_eval -q``, lines of metric, topic and value; None if it is something else."""
    first = next((columns for _, columns in content_lines(data[:10_000])), [])
    if len(first) != 3 or not (first[:2] == [b"runid", b"all"] or NUMBER.fullmatch(first[2].decode(errors="replace"))):
        return None
    table = HeaderTable.of_lines(data, _TREC_EVAL, where)
    is_name = (pl.col("metric") == "runid") & (pl.col("topic") == "all")
    rows = table.cells.with_columns(line=pl.Series(table.numbered)).filter(~is_name)
    system = pl.lit(system_name(where)).alias("system")
    return HeaderTable(where, rows.select(system, "metric", "topic", score="value"), rows["line"].to_list())


def _with_our_names(table: HeaderTable) -> HeaderTable:
    """A table of another tool with our names of its columns: PyTerrier's has name, qid, measure, value."""
    columns = {name: table.find(name) for name in ("system", "topic", "metric", "iteration")}
    if columns["system"] is None or columns["topic"] is None:
        return table  # with one column per system, which may have any name
    if columns["metric"] is not None:
        columns["score"] = table.find(_VALUE)
    ours = {column: name for name, column in columns.items() if column not in (None, "run")}
    header = [ours.get(name, name) for name in table.header]
    return replace(table, cells=table.cells.rename(ours)) if len(set(header)) == len(header) else table


def is_matrix(table: HeaderTable) -> bool:
    """Whether the header holds system names only: neither long nor wide."""
    names = set(map(column_key, table.header))
    return not names & {"system", "run", "metric", "topic", "score", "iteration"}


def _cells_of(table: HeaderTable) -> pl.DataFrame:
    """Columns metric, system, topic, iteration (null if there is none), score (NaN if missing), source, line."""
    matrix = is_matrix(table)
    if matrix:
        topics = pl.int_range(1, pl.len() + 1).cast(pl.String)
        labels: list[pl.Series | pl.Expr] = [pl.lit(stem_of(table.source)).alias("metric"), topics.alias("topic")]
        scores, header = table.header, ["system"]
    else:
        system = _labelled_by(table)
        long = {"metric", "score"} <= set(table.header)
        labels = [_texts(table, "metric")] if long else []
        labels += [_texts(table, system).alias("system"), _texts(table, "topic")]
        scores, header = (["score"], []) if long else (_metrics(table, system), ["metric"])
    iteration: Any = pl.lit(None, dtype=pl.Float64)
    if "iteration" in table.header and not matrix:
        iteration = table.numbers("iteration", missing=True).fill_null(math.nan)
    rows = pl.DataFrame({"line": table.numbered})
    rows = rows.with_columns(*labels, source=pl.lit(table.source), iteration=iteration)
    parts = [rows.with_columns(_scores(table, name), *map(pl.lit(name).alias, header)) for name in scores]
    cells = pl.concat([part.select(*_CELL, "iteration", "score", "source", "line") for part in parts])
    by_topic = cells if matrix else cells.filter(pl.col("topic") != _ALL)
    if by_topic.height < cells.height:
        notice(f"{table.source}: rows of the pseudo-topic 'all' (means) were left out")
    return by_topic


def system_column(table: HeaderTable) -> str | None:
    """The column with the systems; messages call it as the table does."""
    return next((name for name in ("system", "run") if name in table.header), None)


def _labelled_by(table: HeaderTable) -> str:
    """The column with the systems; a table without one, or without topics, is refused."""
    system = system_column(table)
    if system is None or "topic" not in table.header:
        raise MetameterError(
            "the table has no column for the " + ("system" if system is None else "topic"),
            where=table.source,
            given=", ".join(table.header),
            allowed="metric (or measure), system (or run, tag, name), topic (or qid, query_id), score (or value); "
            "system, topic and one column per metric; or one column per system",
            fix="Give scores by topic, not means.",
        )
    return system


def _metrics(table: HeaderTable, system: str) -> list[str]:
    """The metrics of a wide table, which has a column of scores for each."""
    columns = [name for name in table.header if name not in (system, "topic", "iteration")]
    # The bounds of a metric, which unjudged documents leave open, are columns beside it and no metrics.
    bounds = {f"{name} {end}" for name in columns if {f"{name} low", f"{name} high"} <= set(columns) for end in _ENDS}
    metrics = [name for name in columns if name not in bounds]
    if not metrics:
        fix = "Give a column with the scores of a metric."
        raise MetameterError("the table has no column with scores", where=table.source, fix=fix)
    return metrics


def _texts(table: HeaderTable, name: str) -> pl.Series:
    column = table.cells[name]
    if isinstance(column.dtype, pl.Object):  # measures of ir_measures become what they print
        texts = [None if cell is None else in_utf8(str(cell)) for cell in column.to_list()]
        table = replace(table, cells=table.cells.with_columns(pl.Series(name, texts)))
    return table.texts(name)


def _scores(table: HeaderTable, name: str) -> pl.Series:
    """A column of scores whose sums of squares are finite; missing ones are NaN."""
    try:
        values = table.numbers(name, missing=True)
    except MetameterError:
        if len(table.header) > 1:
            raise
        # Judgments or a run have no commas.
        fix = "Give CSV, TSV or Parquet with the columns metric, system, topic, score, or one column per system."
        raise MetameterError("this is not a table of scores", where=table.source, given=name, fix=fix) from None
    large = values.abs() > LARGEST
    if large.any():
        row, allowed = large.arg_max() or 0, f"-{LARGEST:g} to {LARGEST:g}"
        what, fix = f"{name} is too large", f"Correct the {name}, or leave the cell empty."
        raise table.refusal(row, what, given=table.cells[name][row], allowed=allowed, fix=fix)
    return values.fill_null(math.nan).alias("score")


def cells_by_collection(source: Any, collection_from: str | None) -> dict[str, tuple[pl.DataFrame, list[str]]]:
    """Collection -> its cells (`_cells_of`) and the files they were read from."""
    if collection_from not in (None, "file"):
        fix = "Leave collection_from out, or set it to file (--collection-from file)."
        raise MetameterError("there is no such source of collections", given=collection_from, fix=fix)
    groups: dict[object, list[HeaderTable]] = {}
    for position, table in enumerate(_tables(source)):
        key = (tuple(table.header), table.cells.height) if is_matrix(table) else "table"
        groups.setdefault(position if collection_from else key, []).append(table)
    named = [(collection_name([stem_of(table.source) for table in group]), group) for group in groups.values()]
    distinct([(name, group[0].source) for name, group in named], "collection")
    return {name: (_cells(group), [table.source for table in group]) for name, group in named}


def _tables(source: Any) -> list[HeaderTable]:
    if isinstance(source, Iterator):
        source = list(source)
    if is_frame(source) or (isinstance(source, list | tuple) and source and is_row(source[0])):
        frame = HeaderTable.by_row("scores", table_of(source, "", "Give a data frame."))
        return [_with_our_names(replace(frame.nonempty(), unit=""))]
    if not isinstance(source, str | Path | Iterable):
        raise MetameterError(
            "this cannot be read as scores",
            given=type(source).__name__,
            fix="Give a path, several paths, a data frame or rows with metric, system, topic, score, or Scores.",
        )
    return [read_table(file) for file in find_files([source] if isinstance(source, str | Path) else source)]


def collection_name(stems: list[str]) -> str:
    """The common prefix of the stems of a collection's files; or else the first one.

    Examples
    --------
    >>> collection_name(["adhoc5_ap", "adhoc5_rr"]), collection_name(["web", "news"])
    ('adhoc5', 'web')
    """
    common = takewhile(lambda letters: len(set(letters)) == 1, zip(*stems, strict=False))
    return "".join(letters[0] for letters in common).rstrip("_-. ") or stems[0]


def _cells(group: list[HeaderTable]) -> pl.DataFrame:
    cells = pl.concat([_cells_of(table) for table in group])
    _refuse_unclear(cells)
    if cells.select(*_CELL, "iteration").is_duplicated().any():
        repeated = cells.filter(~pl.struct(*_CELL, "iteration").is_first_distinct())
        metric, system, topic, number, source, line = repeated.select(*_CELL, "iteration", "source", "line").row(0)
        iteration = "" if number is None else f", iteration {number:g}"
        raise MetameterError(
            f"metric {metric!r}, system {system!r}, topic {topic!r}{iteration} has a second score",
            where=f"{source}:{line}",
            fix="Remove one.",
        )
    if not cells.height:
        raise MetameterError("there are no scores by topic", where=group[0].source, fix="Give scores, not means.")
    return cells


def scores_of_cells(cells: pl.DataFrame, iterations: tuple[int, ...], sources: list[str]) -> Scores:
    """The scores in these cells, with an axis of iterations if there are any."""
    metrics, systems = (tuple(cells[name].unique(maintain_order=True).to_list()) for name in ("metric", "system"))
    topics = topic_order(cells["topic"].unique().to_list())
    axes: dict[str, tuple[Any, ...]] = {"metric": metrics, "system": systems, "topic": topics}
    axes |= {"iteration": iterations} if iterations else {}
    size = 8 * math.prod(len(labels) for labels in axes.values())
    if size > unpack_limit():  # a few rows with a system and a topic of their own each
        *most, last = (counted(len(labels), name) for name, labels in axes.items())
        raise too_large(sources[0], unpack_limit(), f"{', '.join(most)} and {last} take {size_in_words(size)}")
    values = np.full([len(labels) for labels in axes.values()], np.nan)
    at = [cells[name].cast(pl.Enum(axes[name])).to_physical().to_numpy() for name in _CELL]
    at += [np.searchsorted(iterations, cells["iteration"])] if iterations else []
    values[tuple(at)] = cells["score"]
    scores = Scores(metrics, systems, topics, values, {"sources": sources}, iterations=iterations)
    return scores if iterations else _with_missing_topics(scores, sources)


def _with_missing_topics(scores: Scores, sources: list[str]) -> Scores:
    """The scores with the topics that runs lack, from the manifests that `score` writes beside its files.

    Only cells that are 0 by every metric count, since the table may have been changed.
    """
    listed = {system: topics for source in sources for system, topics in _topics_without_documents(source).items()}
    if not listed:
        return scores
    lacking = {
        system: [topic for topic, lacks in zip(scores.topics, row, strict=True) if lacks and topic in listed[system]]
        for system, row in zip(scores.systems, (scores.values == 0).all(axis=0), strict=True)
        if system in listed
    }
    scores.manifest["missing_topics"] = {system: topics for system, topics in lacking.items() if topics}
    return scores


def _topics_without_documents(source: str) -> dict[str, set[str]]:
    """System -> the topics that its run lacks, from the manifest beside a file if it can be read."""
    file, beside = Path(source), Path(f"{source}.manifest.json")
    try:
        if not (file.is_file() and beside.is_file() and beside.stat().st_size <= _LARGEST_MANIFEST):
            return {}
        listed = json.loads(beside.read_bytes())["missing_topics"].items()
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
    return {name: {each for each in topics if isinstance(each, str)} for name, topics in listed if type(topics) is list}


def of_iteration(cells: pl.DataFrame, iteration: Iteration) -> tuple[pl.DataFrame, tuple[int, ...]]:
    """The cells of an iteration; or all cells and the numbers of all iterations."""
    numbers = [int(number) for number in cells["iteration"].drop_nulls().unique().sort().to_list()]
    if iteration == "all":
        return cells.with_columns(pl.col("iteration").fill_null(1)), tuple(numbers) or (1,)
    if not numbers:
        if iteration is not None:
            raise MetameterError("the scores have no iterations", given=iteration, fix="Leave iteration out.")
        return cells, ()
    chosen = numbers[-1] if iteration is None else iteration
    if chosen not in numbers:
        allowed = ", ".join(map(str, numbers))
        raise MetameterError("there is no such iteration", given=iteration, allowed=allowed, fix="Choose one of these.")
    return cells.filter(pl.col("iteration") == chosen), ()


def _refuse_unclear(cells: pl.DataFrame) -> None:
    """Refuse an iteration that is blank or no whole number, and tables with iterations beside tables without."""
    number = pl.col("iteration")
    whole = (number == number.floor()) & number.is_between(0, _MOST)
    unclear = cells.filter(number.is_not_null() & ~whole.fill_null(False))
    if unclear.height:
        given, source, line = unclear.select("iteration", "source", "line").row(0)
        raise MetameterError(
            "the iteration is empty" if math.isnan(given) else "the iteration is not a whole number",
            where=f"{source}:{line}",
            given=None if math.isnan(given) else given,
            allowed="whole numbers",
            fix="Write which iteration the scores are of.",
        )
    bare = cells.filter(number.is_null())
    if 0 < bare.height < cells.height:
        raise MetameterError(
            "the scores have no iterations, those of the other tables have",
            where=str(bare["source"][0]),
            fix="Give all tables of a collection a column iteration, or none.",
        )
