"""`simulate_sessions`: sessions of several iterations by systems of known qualities."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.arguments import checks_arguments
from metameter.errors import refuse
from metameter.parameters import Bounds
from metameter.simulation.folder import whole_folder
from metameter.simulation.session_model import (
    DIMENSIONS,
    Candidates,
    SessionModel,
    candidates_of,
    documents_of,
    draw_truth,
    lengths_of,
    qualities_of,
    show,
)
from metameter.types import SessionRun, Truth
from metameter.view.paths import output_path

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class SimulatedSessions:
    """Simulated sessions, with the truth about topics and systems.

    Attributes
    ----------
    truth : Truth
        Judgments by subtopic; some subtopics have no relevant document.
    runs : list of SessionRun
    lengths : polars.DataFrame
        ``doc``, ``length`` (in words), of all documents.
    qualities : polars.DataFrame
        ``system``, ``relevance``, ``diversity``, ``effort``: the qualities of each system; 0 is average, higher is
        better (for effort: shorter documents, fewer iterations).
    """

    truth: Truth
    runs: list[SessionRun]
    lengths: pl.DataFrame
    qualities: pl.DataFrame

    def _repr_html_(self) -> str:
        from metameter.view.tables.html import html_table, paragraphs

        sizes = f"{len(self.runs):,} systems, {len(self.truth.topics):,} topics, {self.truth.table.height:,} judgments"
        return paragraphs([f"Simulated sessions: {sizes}. What the systems are good at:"]) + html_table(self.qualities)


@checks_arguments
def simulate_sessions(
    *,
    topics: int = 50,
    systems: int = 20,
    iterations: int = 10,
    page: int = 5,
    null: bool = False,
    seed: int = 0,
    subtopics: int = 5,
    relevant: int = 40,
    documents: int = 300,
    truth: Truth | None = None,
    lengths: Mapping[str, float] | None = None,
    qualities: Mapping[str, Sequence[float]] | None = None,
) -> SimulatedSessions:
    """Simulate sessions with known qualities of every system in each dimension.

    The number and ranks of relevant documents that a system shows depend on its relevance, the ease of the topic, the
    appeal shared by all systems, and noise. Which relevant documents it shows depends on its diversity: documents on
    subtopics covered before count less. A system with high effort quality prefers short documents and ends its sessions
    earlier. So each quality affects its own dimension only. Equal arguments give equal bits. More systems or topics
    leave the earlier sessions unchanged.

    Parameters
    ----------
    topics, systems : int
        Number of topics and of systems.
    iterations, page : int
        Largest number of iterations of a session, and number of documents shown in each.
    null : bool
        All systems are equally good in every dimension: within a topic they are exchangeable.
    seed : int
    subtopics, relevant : int
        Mean number of subtopics of a topic, and median number of relevant documents.
    documents : int
        Number of candidate documents for each topic.
    truth : Truth, optional
        Given judgments instead of simulated ones. For each topic, unjudged documents are added up to ``documents``, and
        at least as many as are judged.
    lengths : dict, optional
        Known lengths of documents in words; the others are drawn.
    qualities : dict, optional
        Given qualities {name: (relevance, diversity, effort)} instead of drawn ones.

    Returns
    -------
    SimulatedSessions

    Examples
    --------
    >>> small = simulate_sessions(topics=2, systems=3, iterations=2, page=3, relevant=5, documents=20, seed=1)
    >>> [run.name for run in small.runs], small.truth.topics, small.lengths.height
    (['S001', 'S002', 'S003'], ('1', '2'), 40)
    >>> sorted({row for row in simulate_sessions(topics=1, systems=3, null=True).qualities.drop("system").rows()})
    [(0.0, 0.0, 0.0)]
    """
    _check_given(truth, lengths, qualities)
    count = systems if qualities is None else len(qualities)
    model = SessionModel(topics, count, iterations, page, null, seed, subtopics, relevant, documents)
    known = _qualities(model, qualities)
    truth, names = draw_truth(model) if truth is None else (truth, documents_of(model, truth))
    table = lengths_of(model, names, lengths or {})
    candidates = candidates_of(model, truth, names, table)
    runs = []
    for system, (name, quality) in enumerate(known.items()):
        runs.append(_run(name, truth, candidates, show(model, candidates, quality, system)))
    return SimulatedSessions(truth, runs, table, _quality_table(known))


def _check_given(truth: Any, lengths: Any, qualities: Any) -> None:
    if truth is not None and not isinstance(truth, Truth):
        refuse("truth is not a Truth", given=truth, fix="Read it with read_truth.")
    for name, given in (("lengths", lengths), ("qualities", qualities)):
        if given is not None and not isinstance(given, Mapping):
            refuse(f"{name} is not a dictionary", given=given, fix=f"Give {name} as a dictionary from names.")
    for doc, length in (lengths or {}).items():
        if not Bounds(0).contain(length):
            refuse(f"the length of {doc!r} is not a number of words", given=length, fix="Give 0 or more.")


def _qualities(model: SessionModel, given: Mapping[str, Sequence[float]] | None) -> dict[str, NDArray[np.float64]]:
    if given is None:
        return {f"S{system + 1:03}": qualities_of(model, system) for system in range(model.systems)}
    for name, quality in given.items():
        numbers = list(quality) if isinstance(quality, Sequence | np.ndarray) else []
        if len(numbers) != len(DIMENSIONS) or not all(Bounds().contain(each) for each in numbers):
            what, allowed = f"the qualities of {name!r} are invalid", f"three numbers: {', '.join(DIMENSIONS)}"
            refuse(what, given=quality, allowed=allowed, fix="Give three numbers.")
    known = {str(name): np.asarray(quality, dtype=np.float64) for name, quality in given.items()}
    if model.null and any(quality.any() for quality in known.values()):
        refuse("null systems must be equally good", fix="Leave out qualities, or null.")
    return known


def _quality_table(known: dict[str, NDArray[np.float64]]) -> pl.DataFrame:
    import polars as pl

    values = np.array(list(known.values())).T
    return pl.DataFrame({"system": list(known), **dict(zip(DIMENSIONS, values, strict=True))})


def _run(name: str, truth: Truth, candidates: list[Candidates], shown: list[list[NDArray[np.int64]]]) -> SessionRun:
    import polars as pl

    rows = [
        (topic, iteration, these.names[document])
        for topic, these, lists in zip(truth.topics, candidates, shown, strict=True)
        for iteration, documents in enumerate(lists, start=1)
        for document in documents.tolist()
    ]
    schema = {"topic": pl.String, "iteration": pl.Int64, "doc": pl.String}
    return SessionRun(name, pl.DataFrame(rows, schema=schema, orient="row"), "simulated")


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
        (draft / "truth.csv").write_bytes(_judgments(sessions).write_csv().encode())
        (draft / "log.csv").write_bytes(_log(sessions).write_csv().encode())
        (draft / "lengths.csv").write_bytes(sessions.lengths.write_csv().encode())
        (draft / "qualities.csv").write_bytes(sessions.qualities.write_csv().encode())
    return target


def _judgments(sessions: SimulatedSessions) -> pl.DataFrame:
    """One row per passage; the passages of a document are numbered."""
    import polars as pl

    passage = pl.int_range(1, pl.len() + 1).over("topic", "doc").alias("passage")
    # In a plain table a rating of 0 or less means that the passage is not relevant.
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
