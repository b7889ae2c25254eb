"""Write simulated data to a folder of plain files, completely or not at all."""

from __future__ import annotations

import contextlib
import gzip
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from metameter.errors import MetameterError, refuse
from metameter.types import Qrels, Run
from metameter.view.atomic_files import Draft
from metameter.view.paths import output_path

if TYPE_CHECKING:
    import polars as pl

    from metameter.simulation.collection import Collection
    from metameter.simulation.pages import SimulatedPages
    from metameter.simulation.sessions import SimulatedSessions


def write(collection: Collection, folder: str | os.PathLike[str], *, compress: bool = False) -> Path:
    """Write a collection as TREC files: ``qrels.txt``, ``runs/NAME``, ``truth.csv``, ``topics.csv``.

    Parameters
    ----------
    collection : Collection
    folder : path
        Created if missing; refused if it is not empty.
    compress : bool
        Write ``runs/NAME.gz``; the bytes depend on the collection only.

    Returns
    -------
    pathlib.Path
        The folder.

    Examples
    --------
    >>> import tempfile
    >>> from metameter.simulation import simulate
    >>> small = simulate(topics=1, systems=2, depth=3, documents=20)
    >>> with tempfile.TemporaryDirectory() as temporary:
    ...     where = write(small, Path(temporary) / "demo")
    ...     sorted(path.relative_to(where).as_posix() for path in where.rglob("*") if path.is_file())
    ['qrels.txt', 'runs/S001', 'runs/S002', 'topics.csv', 'truth.csv']
    """
    target = output_path(folder)
    with whole_folder(target) as draft:
        _write_all(collection, draft, compress)
    return target


@contextlib.contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """Yield a draft folder beside the target, which replaces the target at the end and is removed on any error."""
    try:
        with _draft(target) as draft:
            yield draft
    except OSError as error:
        raise MetameterError(
            f"cannot write the collection: {error.strerror or error}", where=str(target), fix="Choose another folder."
        ) from error


@contextlib.contextmanager
def _draft(target: Path) -> Iterator[Path]:
    if target.is_dir() and any(target.iterdir()):
        refuse("the folder is not empty", where=str(target), fix="Choose a new folder, or empty this one.")
    draft = Draft.beside(target)
    try:
        draft.path.mkdir()
        yield draft.path
        if target.is_dir():
            target.rmdir()
        draft.put(target)
    finally:
        draft.discard()


def _write_all(collection: Collection, draft: Path, compress: bool) -> None:
    _save(_judgment_lines(collection.qrels), draft / "qrels.txt", False)
    (draft / "runs").mkdir()
    for run in collection.runs:
        _save(_run_lines(run), draft / "runs" / f"{run.name}{'.gz' if compress else ''}", compress)
    (draft / "truth.csv").write_bytes(collection.truth.write_csv().encode())
    (draft / "topics.csv").write_bytes(collection.topics.write_csv().encode())


def _judgment_lines(qrels: Qrels) -> pl.DataFrame:
    import polars as pl

    return qrels.table.select("topic", pl.lit("0").alias("iteration"), "doc", pl.col("grade").cast(pl.Int64))


def _run_lines(run: Run) -> pl.DataFrame:
    import polars as pl

    rank = pl.int_range(1, pl.len() + 1).over("topic").alias("rank")
    return run.table.select("topic", pl.lit("Q0").alias("q0"), "doc", rank, "score", pl.lit(run.name).alias("tag"))


def _save(lines: pl.DataFrame, path: Path, compress: bool) -> None:
    with open(path, "wb") as file:
        if not compress:
            return _write_lines(lines, file)
        # Without name and time in the header, the bytes depend on the content only.
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
            return _write_lines(lines, cast("IO[bytes]", packed))


def _write_lines(lines: pl.DataFrame, file: IO[bytes]) -> None:
    lines.write_csv(file, include_header=False, separator=" ", float_precision=6, quote_style="never")


def write_pages(simulated: SimulatedPages, folder: str | os.PathLike[str]) -> Path:
    """Write pages as plain tables: ``serps.csv``, ``pairs.csv``, ``truth.csv``, ``users.csv``.

    Parameters
    ----------
    simulated : SimulatedPages
    folder : path
        Created if missing; refused if it is not empty.

    Returns
    -------
    pathlib.Path
        The folder.

    Examples
    --------
    >>> import tempfile
    >>> from metameter.simulation import simulate_pages
    >>> small = simulate_pages(2, pairs=1, users=2, depth=3)
    >>> with tempfile.TemporaryDirectory() as temporary:
    ...     where = write_pages(small, Path(temporary) / "demo")
    ...     (where / "serps.csv").read_text().splitlines()[0], sorted(path.name for path in where.iterdir())
    ('id,user,grades,satisfaction', ['pairs.csv', 'serps.csv', 'truth.csv', 'users.csv'])
    """
    target = output_path(folder)
    with whole_folder(target) as draft:
        (draft / "serps.csv").write_bytes(_grades_as_text(simulated.rows).write_csv().encode())
        (draft / "pairs.csv").write_bytes(_grades_as_text(simulated.pair_rows).write_csv().encode())
        (draft / "truth.csv").write_bytes(simulated.truth.write_csv().encode())
        (draft / "users.csv").write_bytes(simulated.users.write_csv().encode())
    return target


def _grades_as_text(rows: pl.DataFrame) -> pl.DataFrame:
    """Lists of grades as text, ``1 0 2``: a cell of a CSV file holds no list."""
    import polars as pl

    return rows.with_columns(pl.col(pl.List(pl.Int64)).cast(pl.List(pl.String)).list.join(" "))


def write_sessions(sessions: SimulatedSessions, folder: str | os.PathLike[str]) -> Path:
    """Write sessions as plain tables: ``truth.csv``, ``log.csv``, ``lengths.csv``, ``qualities.csv``.

    Parameters
    ----------
    sessions : SimulatedSessions
    folder : path
        Created if missing; refused if it is not empty.

    Returns
    -------
    pathlib.Path
        The folder.

    Examples
    --------
    >>> import tempfile
    >>> from metameter.simulation import simulate_sessions
    >>> small = simulate_sessions(topics=1, systems=2, iterations=2, page=2, relevant=3, documents=10)
    >>> with tempfile.TemporaryDirectory() as temporary:
    ...     where = write_sessions(small, Path(temporary) / "demo")
    ...     (where / "log.csv").read_text().splitlines()[0], sorted(path.name for path in where.iterdir())
    ('system,topic,turn,rank,doc', ['lengths.csv', 'log.csv', 'qualities.csv', 'truth.csv'])
    """
    target = output_path(folder)
    with whole_folder(target) as draft:
        (draft / "truth.csv").write_bytes(_passage_rows(sessions).write_csv().encode())
        (draft / "log.csv").write_bytes(_session_log(sessions).write_csv().encode())
        (draft / "lengths.csv").write_bytes(sessions.lengths.write_csv().encode())
        (draft / "qualities.csv").write_bytes(sessions.qualities.write_csv().encode())
    return target


def _passage_rows(sessions: SimulatedSessions) -> pl.DataFrame:
    """One row per passage; the passages of a document are numbered."""
    import polars as pl

    passage = pl.int_range(1, pl.len() + 1).over("topic", "doc").alias("passage")
    # In a plain table a rating of 0 or less means that the passage is not relevant.
    rating = pl.col("rating").clip(lower_bound=1.0) if sessions.truth.every_rating_counts else pl.col("rating")
    return sessions.truth.table.select("topic", "subtopic", "doc", passage, "nugget", rating)


def _session_log(sessions: SimulatedSessions) -> pl.DataFrame:
    import polars as pl

    rank = pl.int_range(1, pl.len() + 1).over("topic", "iteration").alias("rank")
    parts = [
        run.table.select(pl.lit(run.name).alias("system"), "topic", pl.col("iteration").alias("turn"), rank, "doc")
        for run in sessions.runs
    ]
    return pl.concat(parts)
