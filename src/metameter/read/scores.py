"""Tables of scores, long, wide or as matrices, made into `Scores`."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import polars as pl

from metameter.errors import MetameterError
from metameter.read.frames import is_frame
from metameter.read.headed_tables import HeadedTable, headed_table_of, read_headed_table
from metameter.read.missing import Missing, without_missing
from metameter.read.score_cells import cells_of, is_matrix
from metameter.read.sources import distinct, find_files
from metameter.types import Scores, topic_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["read_collections", "read_scores"]

#: Which iteration of sessions: a number, the last (None), or all of them as a fourth axis.
Iteration: TypeAlias = int | Literal["all"] | None

_CELL = ("metric", "system", "topic")


def read_scores(
    source: Any,
    *,
    missing: Missing = None,
    collection_from: Literal["file"] | None = None,
    iteration: Iteration = None,
) -> Scores:
    r"""Read the scores of one collection.

    Parameters
    ----------
    source : path, paths, data frame or Scores
        Tables in CSV, TSV or Parquet; long (metric, system, topic, score), wide (system, topic, one column
        per metric) or matrices (one column per system, one row per topic; the metric is the file's stem). A data
        frame, long or wide.
    missing : {"zero", "drop-topic"}, optional
        What to do with missing cells; by default they stay, as NaN.
    collection_from : {"file"}, optional
        Every file is a collection; then there must be only one.
    iteration : int or "all", optional
        Which iteration of dynamic search, where there are several; by default the last. With ``all`` the scores have
        an axis of iterations.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "AP.csv"
    >>> _ = path.write_text("bm25,ql\n0.5,0.4\n0.2,0.3\n")
    >>> scores = read_scores(path)
    >>> scores.metrics, scores.systems, scores.topics, scores["AP"].tolist()
    (('AP',), ('bm25', 'ql'), ('1', '2'), [[0.5, 0.2], [0.4, 0.3]])
    """
    if isinstance(source, Scores):
        return without_missing(source if iteration == "all" else source.at(iteration), missing)
    collections = read_collections(source, missing=missing, collection_from=collection_from, iteration=iteration)
    if len(collections) > 1:
        raise MetameterError(
            f"the files hold {len(collections)} collections: {', '.join(collections)}",
            fix="Give the files of one collection, or judge them together with study.",
        )
    return next(iter(collections.values()))


def read_collections(
    source: Any,
    *,
    missing: Missing = None,
    collection_from: Literal["file"] | None = None,
    iteration: Iteration = None,
) -> dict[str, Scores]:
    """Read the scores of one or several collections, by name; the parameters are those of `read_scores`.

    With ``collection_from="file"`` every file is a collection, named as the file's stem. Otherwise matrices
    with the same header and row count are metrics of one collection, and so are all long and wide tables.
    """
    return {
        name: without_missing(_scores(*_of_iteration(cells, iteration), sources), missing)
        for name, (cells, sources) in _collections(source, collection_from).items()
    }


def _collections(source: Any, collection_from: str | None) -> dict[str, tuple[pl.DataFrame, list[str]]]:
    if collection_from not in (None, "file"):
        fix = "Leave collection_from out, or set it to file."
        raise MetameterError("there is no such source of collections", given=collection_from, fix=fix)
    groups: dict[object, list[HeadedTable]] = {}
    for position, table in enumerate(_tables(source)):
        key = (tuple(table.header), len(table.lines)) if is_matrix(table) else "table"
        groups.setdefault(position if collection_from else key, []).append(table)
    named = [(_name(group), group) for group in groups.values()]
    distinct([(name, group[0].source) for name, group in named])
    return {name: (_cells(group), [table.source for table in group]) for name, group in named}


def _tables(source: Any) -> list[HeadedTable]:
    if is_frame(source):
        return [headed_table_of(source)]
    if not isinstance(source, str | Path | Iterable):
        raise MetameterError(
            "this cannot be read as scores",
            given=type(source).__name__,
            fix="Give a path, several paths, a data frame with metric, system, topic, score, or Scores.",
        )
    return [read_headed_table(file) for file in find_files([source] if isinstance(source, str | Path) else source)]


def _name(group: list[HeadedTable]) -> str:
    # adhoc5_ap and adhoc5_rr are metrics of adhoc5
    shared = takewhile(lambda letters: len(set(letters)) == 1, zip(*(table.stem for table in group), strict=False))
    return "".join(letters[0] for letters in shared).rstrip("_-. ") or group[0].stem


def _cells(group: list[HeadedTable]) -> pl.DataFrame:
    cells = pl.concat([cells_of(table) for table in group])
    repeated = cells.filter(~pl.struct([*_CELL, "iteration"]).is_first_distinct())
    if repeated.height:
        metric, system, topic, source, line = repeated.select(*_CELL, "source", "line").row(0)
        raise MetameterError(
            f"metric {metric!r}, system {system!r}, topic {topic!r} has a second score",
            where=f"{source}:{line}",
            fix="Remove one.",
        )
    if not cells.height:
        raise MetameterError("there are no scores by topic", where=group[0].source, fix="Give scores, not means.")
    return cells


def _of_iteration(cells: pl.DataFrame, iteration: Iteration) -> tuple[pl.DataFrame, tuple[int, ...]]:
    """The cells of the iteration that is wanted; and, where all are, their numbers."""
    numbers = [int(number) for number in cells["iteration"].drop_nulls().unique().sort().to_list()]
    if iteration == "all":
        first = numbers[0] if numbers else 1
        return cells.with_columns(pl.col("iteration").fill_null(first)), tuple(numbers) or (1,)
    if not numbers:
        if iteration is not None:
            raise MetameterError("the scores have no iterations", given=iteration, fix="Leave iteration out.")
        return cells, ()
    wanted = numbers[-1] if iteration is None else iteration
    if wanted not in numbers:
        allowed = ", ".join(map(str, numbers))
        raise MetameterError("there is no such iteration", given=iteration, allowed=allowed, fix="Choose one of these.")
    return cells.filter(pl.col("iteration") == wanted), ()


def _scores(cells: pl.DataFrame, iterations: tuple[int, ...], sources: list[str]) -> Scores:
    metrics, systems = (tuple(cells[name].unique(maintain_order=True).to_list()) for name in ("metric", "system"))
    topics = topic_order(cells["topic"].unique().to_list())
    axes: dict[str, tuple[Any, ...]] = {"metric": metrics, "system": systems, "topic": topics}
    axes |= {"iteration": iterations} if iterations else {}
    values = np.full([len(labels) for labels in axes.values()], np.nan)
    values[tuple(_at(cells[name], labels) for name, labels in axes.items())] = cells["score"]
    return Scores(metrics, systems, topics, values, {"sources": sources}, iterations=iterations)


def _at(column: pl.Series, labels: tuple[Any, ...]) -> NDArray[np.int64]:
    position = {label: row for row, label in enumerate(labels)}
    return column.replace_strict(position, return_dtype=pl.Int64).to_numpy()
