"""The scores for the command of a procedure: read from tables, or computed from judgments and runs first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, TypeVar

from metameter.arguments import unchecked
from metameter.errors import MetameterError
from metameter.parallel import Workers
from metameter.scoring.policy import FOR_SCORES, Policy
from metameter.types import Scores

R = TypeVar("R")


def scores_from(
    inputs: list[str],
    *,
    metrics: Sequence[str] = (),
    preset: Sequence[str] = (),
    missing: Literal["zero", "drop-topic"] | None = None,
    iteration: int | None = None,
    default_metric: bool = False,
    jobs: int | Workers | None = None,
    progress: Callable[[int, int], None] | None = None,
    policy: Policy,
) -> Scores:
    """Read tables of scores; with metrics, score runs against judgments first.

    With ``default_metric``, inputs that are no tables of scores are judgments and runs, scored by the default of
    `metameter.score` if no metric is named.

    Parameters
    ----------
    inputs : list of str
        Tables of scores, as metameter score writes them, or topic x system matrices; with -m or --preset: QRELS RUN...
    metrics : list of str
        Score these metrics first; may be repeated. Then the inputs are QRELS RUN...
    preset : list of str
        Score metrics of everyday use (everyday) or of a paper first: chen-sakai-2023, moffat-2022,
        moffat-2022-preference, lu-2016; may be repeated. Then the inputs are QRELS RUN...
    missing : str
        What to do where a score is missing: count it as zero, or leave its topic out.
    iteration : int
        For scores of sessions: which iteration; by default the last.
    """
    from metameter.read.scores import read_scores

    if not metrics and not preset and not (default_metric and _are_runs(inputs)):
        read: Callable[..., Scores] = partial(unchecked(read_scores), missing=missing, iteration=iteration)
        return _from_tables(inputs, policy, read)
    _refuse_for_runs(missing=missing, iteration=iteration)
    return _from_runs(inputs, metrics, preset, jobs, progress, policy)


def collections_from(
    inputs: list[str],
    *,
    metrics: Sequence[str] = (),
    preset: Sequence[str] = (),
    collection_from: Literal["file"] | None = None,
    missing: Literal["zero", "drop-topic"] | None = None,
    jobs: int | Workers | None = None,
    progress: Callable[[int, int], None] | None = None,
    policy: Policy,
) -> dict[str, Scores]:
    """Read tables of scores as collections by name, with all their iterations; with metrics, score runs first.

    Parameters
    ----------
    inputs : list of str
        Tables of scores by iteration (metameter session writes them) or without; with -m or --preset: QRELS RUN...
    metrics : list of str
        Score these metrics first; may be repeated. Then the inputs are QRELS RUN..., and there is one iteration.
    preset : list of str
        Score metrics of everyday use (everyday) or of a paper first: chen-sakai-2023, moffat-2022,
        moffat-2022-preference, lu-2016; may be repeated. Then the inputs are QRELS RUN...
    collection_from : str
        With file, every table is a collection of its own, named after its file.
    missing : str
        What to do where a score is missing, in any iteration: count it as zero, or leave its topic out; by default
        cells without a score are skipped.
    """
    from metameter.meta.collections import collections_of
    from metameter.read.scores import read_collections

    if not metrics and not preset:
        read = partial(unchecked(read_collections), missing=missing, collection_from=collection_from, iteration="all")
        return _from_tables(inputs, policy, read)
    from metameter.studies.plan import name_of

    _refuse_for_runs(missing=missing, collection_from=collection_from)
    return collections_of({name_of(inputs[0]): _from_runs(inputs, metrics, preset, jobs, progress, policy)})


def _are_runs(inputs: list[str]) -> bool:
    from metameter.studies.score_tables import are_score_tables

    return len(inputs) > 1 and not are_score_tables(inputs)


def _from_runs(
    inputs: list[str],
    metrics: Sequence[str],
    preset: Sequence[str],
    jobs: int | Workers | None,
    progress: Callable[[int, int], None] | None,
    policy: Policy,
) -> Scores:
    if len(inputs) < 2:
        fix = "Give QRELS RUN..., or leave -m and --preset out."
        raise MetameterError("with -m or --preset the inputs are QRELS RUN...", given=inputs, fix=fix)
    from metameter.scoring.scores import score

    scores: Scores = unchecked(score)(
        inputs[0], inputs[1:], metrics, preset=preset, jobs=jobs, progress=progress, policy=policy
    )
    return scores


def _refuse_for_runs(**options: Any) -> None:
    """Refuse options for tables of scores: scored runs have no missing scores, one iteration, and one collection."""
    for name, value in options.items():
        if value is not None:
            fix = "Leave it out, or give tables of scores."
            raise MetameterError("an option for tables of scores does not apply to runs", given=_flag(name), fix=fix)


def _from_tables(inputs: list[str], policy: Policy, read: Callable[..., R]) -> R:
    for name in (each for each in policy.changed() if each not in FOR_SCORES):
        fix = "Leave it out, or give QRELS RUN... with -m METRIC or --preset NAME."
        raise MetameterError("an option for runs does not apply to tables of scores", given=_flag(name), fix=fix)
    try:
        return read(inputs, strip_names=policy.strip_names)
    except MetameterError as error:
        if len(inputs) < 2:
            raise
        # The inputs may be judgments and runs, with only the metric missing.
        fix = f"{error.fix} To score runs first, add -m METRIC or --preset NAME."
        raise MetameterError(error.what, where=error.where, given=error.given, allowed=error.allowed, fix=fix) from None


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"
