"""Simulate a test collection, sessions, or result pages with their users, of which the truth is known."""

from __future__ import annotations

from typing import Any

from metameter.cli.progress import progress_bar
from metameter.cli.streams import say
from metameter.errors import refuse
from metameter.parallel import stage

#: Option -> the kinds of simulation that have it, where not all have.
_KINDS = {
    **dict.fromkeys(("topics", "systems"), ("lists", "sessions")),
    **dict.fromkeys(("depth", "grades"), ("lists", "pages")),
    **dict.fromkeys(("pool_depth", "families", "contributing", "pool_sample", "compress"), ("lists",)),
    **dict.fromkeys(("iterations", "page"), ("sessions",)),
    **dict.fromkeys(("pairs", "user_metric", "users", "levels", "steepness", "noise"), ("pages",)),
    **dict.fromkeys(("user_spread", "noticeable", "reaction"), ("pages",)),
}


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
        With --pages: what moves answers beside the page, against the spread of the metric; by default 0.05.
    user_spread : float
        With --pages: how differently users use the scale, in the same units; by default 0.05.
    noticeable : float
        With --pages: the least difference that makes a preference, in the same units; by default 0.5.
    reaction : str
        With --pages: expected (users react to the score of the page, the default) or walk (to one walk down it).
    seed : int
        The same seed gives the same collection.
    compress : bool
        Write runs as .gz.
    """
    # Not `in (None, False)`: no pairs, or no noise, is 0.
    given = {name: value for name, value in locals().items() if value is not None and value is not False}
    given.pop("out")
    kind = _kind(sessions, pages)
    _refuse_others(kind, given)
    own = {name: value for name, value in given.items() if name not in ("sessions", "compress")}
    if kind == "sessions":
        return _sessions(out, own)
    return _pages(out, own) if kind == "pages" else _collection(out, own, compress)


def _kind(sessions: bool, pages: int | None) -> str:
    if sessions and pages is not None:
        refuse("sessions and pages are two kinds of simulation", given=pages, fix="Leave out sessions, or pages.")
    return "sessions" if sessions else "lists" if pages is None else "pages"


def _refuse_others(kind: str, given: dict[str, Any]) -> None:
    """Refuse options of another kind of simulation; what was not given is left to the defaults of this one."""
    for name, value in given.items():
        kinds = _KINDS.get(name, (kind,))
        if kind not in kinds:
            but, fix = ("", f"give {kinds[0]}, too") if kind == "lists" else (f", not for {kind}", kind)
            refuse(f"{name} is for {kinds[0]}{but}", given=value, fix=f"Leave out {name}, or {fix}.")


def _collection(out: str, options: dict[str, Any], compress: bool) -> None:
    from metameter.simulation.collection import simulate
    from metameter.simulation.folder import write

    with progress_bar("simulate") as progress:
        with stage(progress, "collection"):
            made = simulate(**options)
        with stage(progress, "files"):
            folder = write(made, out, compress=compress)
    judged = made.qrels.table.height
    say(f"{folder}: {made.topics.height} topics, {len(made.runs)} systems, {judged:,} judgments")


def _sessions(out: str, options: dict[str, Any]) -> None:
    from metameter.simulation.folder import write_sessions
    from metameter.simulation.sessions import simulate_sessions

    with progress_bar("simulate") as progress:
        with stage(progress, "sessions"):
            made = simulate_sessions(**options)
        with stage(progress, "files"):
            folder = write_sessions(made, out)
    sizes = f"{len(made.truth.topics)} topics, {len(made.runs)} systems, {made.truth.table.height:,} judgments"
    say(f"{folder}: {sizes}")


def _pages(out: str, options: dict[str, Any]) -> None:
    from metameter.simulation.folder import write_pages
    from metameter.simulation.pages import simulate_pages

    if "user_metric" in options:
        options["metric"] = options.pop("user_metric")
    with progress_bar("simulate") as progress:
        with stage(progress, "pages"):
            made = simulate_pages(**options)
        with stage(progress, "files"):
            folder = write_pages(made, out)
    sizes = f"{made.rows.height:,} pages, {made.pair_rows.height:,} pairs, {made.users.height:,} users"
    say(f"{folder}: {sizes}")
