"""Writing simulated sessions to a folder, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from metameter.simulation.folder import whole_folder
from metameter.simulation.sessions import SimulatedSessions
from metameter.view.places import place_for

if TYPE_CHECKING:
    import polars as pl

__all__ = ["write_sessions"]


def write_sessions(sessions: SimulatedSessions, folder: str | os.PathLike[str]) -> Path:
    """Write sessions as plain tables: ``truth.csv``, ``log.csv``, ``lengths.csv``, ``qualities.csv``.

    Parameters
    ----------
    sessions : SimulatedSessions
    folder : path
        Made if need be; refused if it holds anything.

    Returns
    -------
    pathlib.Path
        The folder.

    Examples
    --------
    >>> import tempfile
    >>> from metameter.simulation import simulate_sessions
    >>> small = simulate_sessions(topics=1, systems=2, iterations=2, page=2, relevant=3, documents=10)
    >>> with tempfile.TemporaryDirectory() as place:
    ...     where = write_sessions(small, Path(place) / "demo")
    ...     (where / "log.csv").read_text().splitlines()[0], sorted(path.name for path in where.iterdir())
    ('system,topic,turn,rank,doc', ['lengths.csv', 'log.csv', 'qualities.csv', 'truth.csv'])
    """
    target = place_for(folder)
    with whole_folder(target) as draft:
        (draft / "truth.csv").write_bytes(_judgments(sessions).write_csv().encode())
        (draft / "log.csv").write_bytes(_log(sessions).write_csv().encode())
        (draft / "lengths.csv").write_bytes(sessions.lengths.write_csv().encode())
        (draft / "qualities.csv").write_bytes(sessions.qualities.write_csv().encode())
    return target


def _judgments(sessions: SimulatedSessions) -> pl.DataFrame:
    """A row a passage; those of a document are numbered."""
    import polars as pl

    passage = pl.int_range(1, pl.len() + 1).over("topic", "doc").alias("passage")
    # In a plain table a rating of 0 or less would say that the passage is not relevant.
    rating = pl.col("rating").clip(lower_bound=1.0) if sessions.truth.every_rating_counts else pl.col("rating")
    return sessions.truth.table.select("topic", "subtopic", "doc", passage, "nugget", rating)


def _log(sessions: SimulatedSessions) -> pl.DataFrame:
    import polars as pl

    rank = pl.int_range(1, pl.len() + 1).over("topic", "iteration").alias("rank")
    parts = [
        run.table.select(pl.lit(run.name).alias("system"), "topic", pl.col("iteration").alias("turn"), rank, "doc")
        for run in sessions.runs
    ]
    return pl.concat(parts)
