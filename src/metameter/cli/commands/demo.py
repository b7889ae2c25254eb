"""Simulate a collection the size of a paper's and judge 39 metrics on it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from metameter.errors import MetameterError

if TYPE_CHECKING:
    import polars as pl

    from metameter.types import Scores

__all__ = ["command"]


def command(*, out: str = "demo", seed: int = 0) -> None:
    """Simulate a collection (80 topics, 39 systems, 4 grades), score 39 C/W/L/A metrics and sum up what they say.

    Parameters
    ----------
    out : str
        The folder to write.
    seed : int
        The same seed gives the same collection.
    """
    from metameter.scoring.scores import score
    from metameter.simulation.collection import simulate
    from metameter.simulation.folder import write
    from metameter.view.files import write_whole
    from metameter.view.tables import render

    folder = Path(out)
    if folder.exists() and any(folder.iterdir()) and not (folder / "demo.txt").exists():
        raise MetameterError("the folder holds something else", where=out, fix="Choose another with --out.")
    with tempfile.TemporaryDirectory() as place:
        collection = simulate(seed=seed)
        written = write(collection, Path(place) / "collection")
        scores = score(written / "qrels.txt", written / "runs", preset="chen-sakai-2023", max_grade=3)
    table = _summary(scores, dict(collection.truth.select("system", "quality").iter_rows()))
    text = render({"demo": table}, "demo", "table")
    write_whole(folder / "demo.txt", text + "\n")
    print(text)


def _summary(scores: Scores, quality: dict[str, float]) -> pl.DataFrame:
    """What each metric says of the systems, and how well it recovers their true order."""
    import polars as pl

    from metameter.stats.kendall import tau_b

    truth = [quality[system] for system in scores.systems]
    rows = []
    for name, means in scores.means.items():
        best = scores.systems[int(means.argmax())]
        rows.append((name, float(means.mean()), float(means.std()), best, float(tau_b(means, truth))))
    return pl.DataFrame(rows, schema=["metric", "mean", "spread", "best system", "tau to the truth"], orient="row")
