"""Score searches in iterations against judgments by subtopic: sessions, conversations, agents."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from metameter.arguments import unchecked
from metameter.parallel import Workers
from metameter.scoring.sessions import Form, MissingTopic, SessionTable, session, session_table


def command(
    truth: str,
    runs: list[str],
    *,
    metrics: Sequence[str] = (),
    preset: Sequence[str] = (),
    lengths: str | None = None,
    iterations: str | None = None,
    form: Form = "official",
    page: int | None = None,
    missing: MissingTopic = "skip",
    strip_names: bool = False,
    mean: bool = False,
    jobs: int | Workers | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SessionTable:
    """Score searches in iterations (sessions, conversations, agents that search in steps) after every iteration.

    The table has a row for each system, iteration and topic and a column for each metric, as intuitiveness, unanimity,
    agreement and study read it.

    Parameters
    ----------
    truth : str
        Judgments by subtopic: TREC Dynamic Domain XML or text (topic, subtopic, document, passage, rating), TREC web
        diversity (topic, subtopic, document, grade), or a table with the header topic,subtopic,doc,rating.
    runs : list of str
        TREC Dynamic Domain runs (topic, iteration, document, score, ...), or tables with the header
        system,topic,turn,rank,doc; files, folders or quoted globs.
    metrics : list of str
        A metric, such as nCT, alpha-nDCG or prec; may be repeated. By default those of albahem-2019, r-it and neg-it.
        A depth @k counts iterations for metrics of sessions, documents for all others, as far as they can be shown.
    preset : list of str
        The metrics of a paper: albahem-2019; may be repeated.
    lengths : str
        How many words each document of the collection has: document, words. Needed for EU, nEU and tot-time.
    iterations : str
        Which iterations, such as 1-10 or 1,3,10; by default 1-10 for TREC runs, else all there are.
    form : str
        The arithmetic of the official scorer of TREC Dynamic Domain, with its quirks, or corrected.
    page : int
        How many documents an iteration can show; by default 5 for TREC runs, else the most that one shows.
    missing : str
        What to do with a topic that a run lacks: leave it out (skip), or score a session that showed nothing (empty).
    strip_names : bool
        Leave out of the systems' names what all of them begin and end with, such as input. and .txt.
    mean : bool
        Print means over topics.
    """
    scores = unchecked(session)(
        truth,
        runs,
        metrics,
        preset=preset,
        lengths=lengths,
        iterations=iterations,
        form=form,
        page=page,
        missing=missing,
        strip_names=strip_names,
        jobs=jobs,
        progress=progress,
    )
    return session_table(scores, mean=mean)
