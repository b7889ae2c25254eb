"""Simulate a test collection whose true effectiveness values are known."""

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
    """Simulate a test collection at random, and write down the true effectiveness of its systems.

    Parameters
    ----------
    out : str
        The folder to write: qrels.txt, runs/, truth.csv. It must not hold anything yet.
    topics : int
        How many topics.
    systems : int
        How many systems.
    depth : int
        How many documents each system retrieves for a topic.
    grades : int
        How many grades, 0 included.
    pool_depth : int
        How deep the runs are pooled and judged.
    null : bool
        Make all systems equally good: to check how often a test finds differences where there are none.
    families : int
        How many families of similar systems there are; by default every system is on its own.
    contributing : int
        How many of the systems contribute to the pool; by default all.
    pool_sample : float
        The share of the pool below its top that is judged.
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
