"""Simulate a test collection, sessions, or result pages with their users, of which the truth is known."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metameter.cli.progress import progress_bar
from metameter.cli.streams import say
from metameter.errors import refuse
from metameter.parallel import stage
from metameter.simulation import (
    Collection,
    SimulatedPages,
    SimulatedSessions,
    simulate,
    simulate_pages,
    simulate_sessions,
    write,
    write_pages,
    write_sessions,
)


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
    pages: int | None = None,
    pairs: int | None = None,
    user_metric: str | None = None,
    users: int | None = None,
    levels: int | None = None,
    steepness: float | None = None,
    noise: float | None = None,
    user_spread: float | None = None,
    noticeable: float | None = None,
    reaction: str | None = None,
    seed: int = 0,
    compress: bool = False,
) -> None:
    """Simulate a test collection, sessions, or result pages at random, and write down the truth about them.

    Parameters
    ----------
    out : str
        The folder to write: qrels.txt, runs/, truth.csv; with --sessions truth.csv, log.csv, lengths.csv,
        qualities.csv; with --pages serps.csv, pairs.csv, truth.csv, users.csv. It must not hold anything yet.
    topics : int
        How many topics; by default 80, or 50 with --sessions.
    systems : int
        How many systems; by default 39, or 20 with --sessions.
    depth : int
        How many documents each system retrieves for a topic, by default 100; with --pages: how many results a page has,
        by default 10.
    grades : int
        How many grades, 0 included; by default 4.
    pool_depth : int
        How deep the runs are pooled and judged.
    null : bool
        Make all systems equally good, or with --pages labels that have nothing to do with the page: to check how often
        a test finds differences where there are none.
    families : int
        How many families of similar systems there are; by default systems are independent.
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
    pages : int
        Simulate so many result pages and what users say of them, for the commands satisfaction and preference.
    pairs : int
        With --pages: how many pairs of pages users compare; by default 1000.
    user_metric : str
        With --pages: how users browse and react, a product of both; by default RBP(p=0.8)*max.
    users : int
        With --pages: how many users there are; by default 100.
    levels : int
        With --pages: how many levels of satisfaction there are; by default 7.
    steepness : float
        With --pages: how quickly relevance falls down the page; by default 1.
    noise : float
        With --pages: the standard deviation of random noise in an answer, in units of that of the metric over pages; by
        default 0.05.
    user_spread : float
        With --pages: the standard deviation of the leniency of users, in the same units; by default 0.05.
    noticeable : float
        With --pages: the largest difference that gives no preference, in the same units; by default 0.5.
    reaction : str
        With --pages: expected (users react to the score of the page, the default) or walk (to one walk down it).
    seed : int
        The same seed gives the same collection.
    compress : bool
        Write runs as .gz.
    """
    # Not `in (None, False)`: 0 equals False, and means no pairs or no noise.
    options = {name: value for name, value in locals().items() if value is not None and value is not False}
    del options["out"]
    options.pop("sessions", None)  # it chooses the kind of simulation
    kind = _kind(sessions, pages)
    _refuse_others(kind, options)
    _run(_KINDS[kind], out, options)


@dataclass(frozen=True)
class _Kind:
    """One kind of simulation: the functions that simulate and write it, whose parameters are its options."""

    stage: str
    simulate: Callable[..., Any]
    write: Callable[..., Path]
    sizes: Callable[[Any], str]


def _collection_sizes(collection: Collection) -> str:
    judgments = collection.qrels.table.height
    return f"{collection.topics.height} topics, {len(collection.runs)} systems, {judgments:,} judgments"


def _session_sizes(sessions: SimulatedSessions) -> str:
    truth = sessions.truth
    return f"{len(truth.topics)} topics, {len(sessions.runs)} systems, {truth.table.height:,} judgments"


def _page_sizes(pages: SimulatedPages) -> str:
    return f"{pages.rows.height:,} pages, {pages.pair_rows.height:,} pairs, {pages.users.height:,} users"


_KINDS = {
    "lists": _Kind("collection", simulate, write, _collection_sizes),
    "sessions": _Kind("sessions", simulate_sessions, write_sessions, _session_sizes),
    "pages": _Kind("pages", simulate_pages, write_pages, _page_sizes),
}
#: Option -> the parameter of a function, where that has another name.
_PARAMETERS = {"user_metric": "metric"}


def _kind(sessions: bool, pages: int | None) -> str:
    if sessions and pages is not None:
        refuse("sessions and pages are two kinds of simulation", given=pages, fix="Leave out sessions, or pages.")
    return "sessions" if sessions else "lists" if pages is None else "pages"


def _arguments(function: Callable[..., Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that a function has a parameter for, by the names of the parameters."""
    parameters = inspect.signature(function).parameters
    named = {_PARAMETERS.get(name, name): value for name, value in options.items()}
    return {name: value for name, value in named.items() if name in parameters}


def _refuse_others(kind: str, options: Mapping[str, Any]) -> None:
    """Refuse options that only other kinds of simulation have."""
    for name, value in options.items():
        takers = [
            other
            for other, each in _KINDS.items()
            if _arguments(each.simulate, {name: value}) or _arguments(each.write, {name: value})
        ]
        if takers and kind not in takers:
            but, fix = ("", f"give {takers[0]}, too") if kind == "lists" else (f", not for {kind}", kind)
            refuse(f"{name} is for {takers[0]}{but}", given=value, fix=f"Leave out {name}, or {fix}.")


def _run(kind: _Kind, out: str, options: Mapping[str, Any]) -> None:
    with progress_bar("simulate") as progress:
        with stage(progress, kind.stage):
            simulated = kind.simulate(**_arguments(kind.simulate, options))
        with stage(progress, "files"):
            folder = kind.write(simulated, out, **_arguments(kind.write, options))
    say(f"{folder}: {kind.sizes(simulated)}")
