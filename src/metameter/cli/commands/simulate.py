"""Simulate a test collection, or sessions, of which the truth is known."""

from __future__ import annotations

import sys
from typing import Any

from metameter.errors import refuse

__all__ = ["command"]


def command(
    out: str,
    *,
    topics: int | None = None,
    systems: int | None = None,
    depth: int | None = None,
    grades: int | None = None,
    pool_depth: int | None = None,
    null: bool = False,
    families: int | None = None,
    contributing: int | None = None,
    pool_sample: float | None = None,
    sessions: bool = False,
    iterations: int | None = None,
    page: int | None = None,
    seed: int = 0,
    compress: bool = False,
) -> None:
    """Simulate a test collection, or sessions, at random, and write down how good the systems truly are.

    Parameters
    ----------
    out : str
        The folder to write: qrels.txt, runs/, truth.csv; with --sessions truth.csv, log.csv, lengths.csv,
        qualities.csv. It must not hold anything yet.
    topics : int
        How many topics; by default 80, or 50 with --sessions.
    systems : int
        How many systems; by default 39, or 20 with --sessions.
    depth : int
        How many documents each system retrieves for a topic; by default 100.
    grades : int
        How many grades, 0 included; by default 4.
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
    sessions : bool
        Simulate searches in iterations, with judgments by subtopic, for the command session.
    iterations : int
        With --sessions: how many iterations a session has at most; by default 10.
    page : int
        With --sessions: how many documents an iteration shows; by default 5.
    seed : int
        The same seed gives the same collection.
    compress : bool
        Write runs as .gz.
    """
    sizes = {"topics": topics, "systems": systems}
    lists: dict[str, Any] = {"depth": depth, "grades": grades, "pool_depth": pool_depth, "families": families}
    lists |= {"contributing": contributing, "pool_sample": pool_sample}
    turns = {"iterations": iterations, "page": page}
    _check(lists | {"compress": compress or None} if sessions else turns, sessions)
    if sessions:
        return _sessions(out, {**_given(sizes | turns), "null": null, "seed": seed})
    return _collection(out, {**_given(sizes | lists), "null": null, "seed": seed}, compress)


def _check(others: dict[str, Any], sessions: bool) -> None:
    for name, value in _given(others).items():
        what = f"{name} is for lists, not for sessions" if sessions else f"{name} is for sessions"
        fix = f"Leave out {name}, or {'sessions' if sessions else 'give sessions, too'}."
        refuse(what, given=value, fix=fix)


def _given(options: dict[str, Any]) -> dict[str, Any]:
    """What was given; what was not is left to the defaults of the function that simulates."""
    return {name: value for name, value in options.items() if value is not None}


def _collection(out: str, options: dict[str, Any], compress: bool) -> None:
    from metameter.simulation.collection import simulate
    from metameter.simulation.folder import write

    made = simulate(**options)
    folder = write(made, out, compress=compress)
    judged = made.qrels.table.height
    print(f"{folder}: {made.topics.height} topics, {len(made.runs)} systems, {judged:,} judgments", file=sys.stderr)


def _sessions(out: str, options: dict[str, Any]) -> None:
    from metameter.simulation.sessions import simulate_sessions
    from metameter.simulation.sessions_folder import write_sessions

    made = simulate_sessions(**options)
    folder = write_sessions(made, out)
    sizes = f"{len(made.truth.topics)} topics, {len(made.runs)} systems, {made.truth.table.height:,} judgments"
    print(f"{folder}: {sizes}", file=sys.stderr)
