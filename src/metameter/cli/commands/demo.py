"""Simulate a collection the size of a paper's and judge 49 metrics on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from metameter.parallel import stage
from metameter.studies.result import Study
from metameter.view.result import CommandOutput

_PRESETS = ["everyday", "chen-sakai-2023"]


@dataclass(frozen=True, eq=False, repr=False)
class Demonstration(Study):
    """A study whose table is always printed for people: `make demo | tee log` prints what a terminal shows."""

    @property
    def command_output(self) -> CommandOutput:
        """A table for people, even when piped."""
        return CommandOutput(piped_format="table")


def command(*, out: str = "demo", seed: int = 0, progress: Callable[..., None] | None = None) -> Demonstration:
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
    return Demonstration(**vars(result))
