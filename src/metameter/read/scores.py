"""Tables of scores, long, wide or as matrices, made into `Scores`."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import polars as pl

from metameter.errors import MetameterError
from metameter.read.missing import Missing, without_missing
from metameter.read.shapes import cells_of, is_matrix
from metameter.read.sheets import Sheet, read_sheet
from metameter.read.sources import distinct, find_files
from metameter.types import Scores, topic_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["read_collections", "read_iterations", "read_scores"]

Paths: TypeAlias = str | Path | Iterable[str | Path]

_CELL = ("metric", "system", "topic")


def read_scores(
    paths: Paths,
    *,
    missing: Missing = None,
    collection_from: Literal["file"] | None = None,
    iteration: int | None = None,
) -> Scores:
    r"""Read the scores of one collection.

    Parameters
    ----------
    paths : path or paths
        Tables in CSV, TSV or Parquet; long (metric, system, topic, score), wide (system, topic, a column a
        metric) or matrices (a column a system, a row a topic, the metric is the file's stem).
    missing : {"zero", "drop-topic"}, optional
        What to do with missing cells; by default they stay, as NaN.
    collection_from : {"file"}, optional
        Every file is a collection; then there must be only one.
    iteration : int, optional
        Which iteration of dynamic search, where there are several; by default the last.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "AP.csv"
    >>> _ = path.write_text("bm25,ql\n0.5,0.4\n0.2,0.3\n")
    >>> scores = read_scores(path)
    >>> scores.metrics, scores.systems, scores.topics, scores["AP"].tolist()
    (('AP',), ('bm25', 'ql'), ('1', '2'), [[0.5, 0.2], [0.4, 0.3]])
    """
    found = read_collections(paths, missing=missing, collection_from=collection_from, iteration=iteration)
    if len(found) > 1:
        raise MetameterError(
            f"the files hold {len(found)} collections: {', '.join(found)}",
            fix="Give the files of one collection, or use a procedure with collection_from='file'.",
        )
    return next(iter(found.values()))


def read_collections(
    paths: Paths,
    *,
    missing: Missing = None,
    collection_from: Literal["file"] | None = None,
    iteration: int | None = None,
) -> dict[str, Scores]:
    """Read the scores of one or several collections, by name.

    With ``collection_from="file"`` every file is a collection, named as the file's stem. Otherwise matrices
    with the same header and row count are metrics of one collection, and so are all long and wide tables.
    """
    return {
        name: without_missing(_scores(_of_iteration(cells, iteration), sources), missing)
        for name, (cells, sources) in _collections(paths, collection_from).items()
    }


def read_iterations(
    paths: Paths, *, missing: Missing = None, collection_from: Literal["file"] | None = None
) -> dict[str, dict[int, Scores]]:
    """Read the scores after every iteration of dynamic search, by collection and iteration (1 if there is none)."""
    found: dict[str, dict[int, Scores]] = {}
    for name, (cells, sources) in _collections(paths, collection_from).items():
        cells = cells.with_columns(pl.col("iteration").fill_null(1))
        numbers = sorted(int(number) for number in cells["iteration"].unique())
        found[name] = {
            number: without_missing(_scores(_of_iteration(cells, number), sources), missing) for number in numbers
        }
    return found


def _collections(paths: Paths, collection_from: str | None) -> dict[str, tuple[pl.DataFrame, list[str]]]:
    if collection_from not in (None, "file"):
        raise MetameterError("there is no such source of collections", given=collection_from, allowed="file")
    files = find_files([paths] if isinstance(paths, str | Path) else paths)
    sheets = [read_sheet(file) for file in files]
    groups: dict[object, list[Sheet]] = {}
    for position, sheet in enumerate(sheets):
        key = (tuple(sheet.header), len(sheet.lines)) if is_matrix(sheet) else "table"
        groups.setdefault(position if collection_from else key, []).append(sheet)
    named = [(_name(group), group) for group in groups.values()]
    distinct([(name, group[0].source) for name, group in named])
    return {name: (_cells(group), [sheet.source for sheet in group]) for name, group in named}


def _name(group: list[Sheet]) -> str:
    # adhoc5_ap and adhoc5_rr are metrics of adhoc5
    shared = takewhile(lambda letters: len(set(letters)) == 1, zip(*(sheet.stem for sheet in group), strict=False))
    return "".join(letters[0] for letters in shared).rstrip("_-. ") or group[0].stem


def _cells(group: list[Sheet]) -> pl.DataFrame:
    cells = pl.concat([cells_of(sheet) for sheet in group])
    key = [*_CELL, "iteration"]
    repeated = cells.filter(~pl.struct(key).is_first_distinct())
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


def _of_iteration(cells: pl.DataFrame, iteration: int | None) -> pl.DataFrame:
    numbers = cells["iteration"].drop_nulls().unique().sort().to_list()
    if not numbers:
        if iteration is not None:
            raise MetameterError("the scores have no iterations", given=iteration, fix="Leave --iteration out.")
        return cells
    wanted = numbers[-1] if iteration is None else iteration
    if wanted not in numbers:
        raise MetameterError(
            "there is no such iteration", given=iteration, allowed=", ".join(f"{number:g}" for number in numbers)
        )
    return cells.filter(pl.col("iteration") == wanted)


def _scores(cells: pl.DataFrame, sources: list[str]) -> Scores:
    metrics, systems = (tuple(cells[name].unique(maintain_order=True).to_list()) for name in ("metric", "system"))
    topics = topic_order(cells["topic"].unique().to_list())
    values = np.full((len(metrics), len(systems), len(topics)), np.nan)
    values[_at(cells, "metric", metrics), _at(cells, "system", systems), _at(cells, "topic", topics)] = cells["score"]
    return Scores(metrics, systems, topics, values, {"sources": sources})


def _at(cells: pl.DataFrame, name: str, labels: tuple[str, ...]) -> NDArray[np.int64]:
    position = {label: row for row, label in enumerate(labels)}
    return cells[name].replace_strict(position, return_dtype=pl.Int64).to_numpy()
