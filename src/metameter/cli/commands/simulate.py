"""Make a test collection by chance, with the truth about it."""

from __future__ import annotations

import sys

__all__ = ["command"]


def command(
    out: str,
    *,
    topics: int = 80,
    systems: int = 39,
    depth: int = 100,
    grades: int = 4,
    pool_depth: int | None = None,
    null: bool = False,
    families: int | None = None,
    contributing: int | None = None,
    pool_sample: float | None = None,
    seed: int = 0,
    compress: bool = False,
) -> None:
    """Make a test collection by chance, with the truth about it.

    Parameters
    ----------
    out : str
        The folder to write: qrels.txt, runs/, truth.csv. It must not hold anything yet.
    topics : int
        How many topics.
    systems : int
        How many systems.
    depth : int
        How many documents each retrieves.
    grades : int
        How many grades, 0 included.
    pool_depth : int
        How deep the runs are pooled and judged.
    null : bool
        All systems are equally good: for checking what a test says when there is nothing to find.
    families : int
        Systems come in so many families of variants.
    contributing : int
        How many of the systems contribute to the pool; by default all.
    pool_sample : float
        The share of the pool that is judged below its top.
    seed : int
        The same seed gives the same collection.
    compress : bool
        Write runs as .gz.
    """
    from metameter.simulation.collection import simulate
    from metameter.simulation.folder import write

    collection = simulate(
        topics=topics,
        systems=systems,
        depth=depth,
        grades=grades,
        pool_depth=pool_depth,
        null=null,
        families=families,
        contributing=contributing,
        pool_sample=pool_sample,
        seed=seed,
    )
    folder = write(collection, out, compress=compress)
    judged = collection.qrels.table.height
    print(f"{folder}: {topics} topics, {systems} systems, {judged:,} judgments", file=sys.stderr)
