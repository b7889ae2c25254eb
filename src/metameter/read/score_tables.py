"""From tables of scores to the cells of each collection, and from cells to `Scores`."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from metameter.errors import MetameterError
from metameter.read.files.limits import size_in_words, too_large, unpack_limit
from metameter.read.frames import is_frame
from metameter.read.headed_tables import HeadedTable, headed_table_of, read_headed_table
from metameter.read.iterations import refuse_unclear
from metameter.read.rows import is_row
from metameter.read.score_cells import cells_of, in_our_words, is_matrix
from metameter.read.sources import distinct, find_files
from metameter.types import Scores, counted, topic_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["cells_by_collection", "collection_name", "scores_of_cells"]

_CELL = ("metric", "system", "topic")
_LARGEST_MANIFEST = 1 << 26  # bytes
# Of so many possible cells each has a number of 64 bits.
_MOST_CELLS = 2**62


def cells_by_collection(source: Any, collection_from: str | None) -> dict[str, tuple[pl.DataFrame, list[str]]]:
    """Collection -> its cells, as `cells_of` gives them, and the files they stand in."""
    if collection_from not in (None, "file"):
        fix = "Leave collection_from out, or set it to file (--collection-from file)."
        raise MetameterError("there is no such source of collections", given=collection_from, fix=fix)
    groups: dict[object, list[HeadedTable]] = {}
    for position, table in enumerate(_tables(source)):
        key = (tuple(table.header), len(table.lines)) if is_matrix(table) else "table"
        groups.setdefault(position if collection_from else key, []).append(table)
    named = [(collection_name([table.stem for table in group]), group) for group in groups.values()]
    distinct([(name, group[0].source) for name, group in named], "collection")
    return {name: (_cells(group), [table.source for table in group]) for name, group in named}


def _tables(source: Any) -> list[HeadedTable]:
    return [in_our_words(table) for table in _tables_as_they_are(source)]


def _tables_as_they_are(source: Any) -> list[HeadedTable]:
    if isinstance(source, Iterator):
        source = list(source)
    if is_frame(source) or (isinstance(source, list | tuple) and source and is_row(source[0])):
        return [headed_table_of(source)]
    if not isinstance(source, str | Path | Iterable):
        raise MetameterError(
            "this cannot be read as scores",
            given=type(source).__name__,
            fix="Give a path, several paths, a data frame or rows with metric, system, topic, score, or Scores.",
        )
    return [read_headed_table(file) for file in find_files([source] if isinstance(source, str | Path) else source)]


def collection_name(stems: list[str]) -> str:
    """What the stems of a collection's files have in common at their beginning; or else the first one.

    Examples
    --------
    >>> collection_name(["adhoc5_ap", "adhoc5_rr"]), collection_name(["web", "news"])
    ('adhoc5', 'web')
    """
    shared = takewhile(lambda letters: len(set(letters)) == 1, zip(*stems, strict=False))
    return "".join(letters[0] for letters in shared).rstrip("_-. ") or stems[0]


def _cells(group: list[HeadedTable]) -> pl.DataFrame:
    cells = pl.concat([cells_of(table) for table in group])
    refuse_unclear(cells)
    if _may_repeat(cells):
        repeated = cells.filter(~pl.struct([*_CELL, "iteration"]).is_first_distinct())
    else:
        repeated = cells.clear()
    if repeated.height:
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


def _may_repeat(cells: pl.DataFrame) -> bool:
    """Whether some cell may have a second score: found from the positions of labels, without a copy of their texts."""
    axes = {name: cells[name].unique(maintain_order=True) for name in (*_CELL, "iteration")}
    if math.prod(len(labels) for labels in axes.values()) >= _MOST_CELLS:
        return True
    key = np.zeros(cells.height, dtype=np.int64)
    for name, labels in axes.items():
        if len(labels) > 1:
            key *= len(labels)
            key += _at(cells[name], tuple(labels.to_list()))
    key.sort()
    return bool((key[1:] == key[:-1]).any())


def scores_of_cells(cells: pl.DataFrame, iterations: tuple[int, ...], sources: list[str]) -> Scores:
    """The scores that these cells are; with an axis of iterations where there are any."""
    metrics, systems = (tuple(cells[name].unique(maintain_order=True).to_list()) for name in ("metric", "system"))
    topics = topic_order(cells["topic"].unique().to_list())
    axes: dict[str, tuple[Any, ...]] = {"metric": metrics, "system": systems, "topic": topics}
    axes |= {"iteration": iterations} if iterations else {}
    size = 8 * math.prod(len(labels) for labels in axes.values())
    if size > unpack_limit():  # a few rows with a system and a topic of their own each
        *most, last = (counted(len(labels), name) for name, labels in axes.items())
        raise too_large(sources[0], unpack_limit(), f"{', '.join(most)} and {last} take {size_in_words(size)}")
    values = np.full([len(labels) for labels in axes.values()], np.nan)
    values[tuple(_at(cells[name], labels) for name, labels in axes.items())] = cells["score"]
    scores = Scores(metrics, systems, topics, values, {"sources": sources}, iterations=iterations)
    return scores if iterations else _with_missing_topics(scores, sources)


def _with_missing_topics(scores: Scores, sources: list[str]) -> Scores:
    """The scores with the topics that runs lack, as the manifests say that `score` writes beside its files.

    Only cells that are 0 by every metric count: the table may have been changed since.
    """
    noted = {system: topics for source in sources for system, topics in _noted(source).items()}
    if noted:
        zero = (scores.values == 0).all(axis=0)
        at = {topic: column for column, topic in enumerate(scores.topics)}
        lacks = {
            system: [topic for topic in noted[system] if topic in at and zero[row, at[topic]]]
            for row, system in enumerate(scores.systems)
            if system in noted
        }
        scores.manifest["missing_topics"] = {system: topics for system, topics in lacks.items() if topics}
    return scores


def _noted(source: str) -> dict[str, list[str]]:
    file, beside = Path(source), Path(f"{source}.manifest.json")
    try:
        if not (file.is_file() and beside.is_file() and beside.stat().st_size <= _LARGEST_MANIFEST):
            return {}
        noted = json.loads(beside.read_bytes())["missing_topics"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}
    listed = noted.items() if isinstance(noted, dict) else ()
    return {
        system: [each for each in topics if isinstance(each, str)]
        for system, topics in listed
        if isinstance(topics, list)
    }


def _at(column: pl.Series, labels: tuple[Any, ...]) -> NDArray[np.int64]:
    if column.dtype == pl.String:
        return column.cast(pl.Enum(labels)).to_physical().cast(pl.Int64).to_numpy()
    position = {label: row for row, label in enumerate(labels)}
    return column.replace_strict(position, return_dtype=pl.Int64).to_numpy()
