"""Simulate a collection the size of a paper's and judge 49 metrics on it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from metameter.cli.commands.study import StudyForPeople
from metameter.parallel import stage

_PRESETS = ["everyday", "chen-sakai-2023"]


def command(*, out: str = "demo", seed: int = 0, progress: Callable[..., None] | None = None) -> StudyForPeople:
    """Simulate a collection (80 topics, 39 systems, 4 grades), then run the whole study on it.

    Parameters
    ----------
    out : str
        The folder to write: the collection, and the study with its report.
    seed : int
        The same seed gives the same collection and the same study.
    """
    from metameter.simulation.collection import simulate
    from metameter.simulation.folder import write
    from metameter.studies.study import study

    collection = Path(out) / f"collection-{seed}"
    if not collection.exists():
        with stage(progress, "simulation"):
            write(simulate(seed=seed), collection)
    qrels, runs, folder = collection / "qrels.txt", collection / "runs", Path(out) / f"study-{seed}"
    result = study(qrels, runs, preset=_PRESETS, name="simulated", max_grade=3, out=folder, progress=progress)
    return StudyForPeople(**vars(result))
