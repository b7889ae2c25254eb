"""Scores for a procedure: read from tables, or made from judgments and runs on the spot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from metameter.errors import MetameterError
from metameter.scoring.policy import Policy
from metameter.scoring.takes_policy import takes_policy
from metameter.types import Scores

__all__ = ["scores_from"]


@takes_policy
def scores_from(
    inputs: list[str],
    *,
    metrics: list[str] = (),  # type: ignore[assignment]
    preset: list[str] = (),  # type: ignore[assignment]
    missing: Literal["zero", "drop-topic"] | None = None,
    iteration: int | None = None,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    policy: Policy,
) -> Scores:
    """Read tables of scores; with metrics, score runs against judgments first.

    Parameters
    ----------
    inputs : list of str
        Tables of scores, as metameter score writes them, or topic x system matrices; with -m or --preset: QRELS RUN...
    metrics : list of str
        Score these metrics first; may be repeated. Then the inputs are QRELS RUN...
    preset : list of str
        Score the metrics of a paper first; may be repeated. Then the inputs are QRELS RUN...
    missing : str
        What to do where a score is missing: count it as zero, or leave its topic out.
    iteration : int
        For scores of sessions: which iteration; by default the last.
    """
    if not metrics and not preset:
        return _from_tables(inputs, missing, iteration, policy)
    if len(inputs) < 2:
        fix = "Give QRELS RUN..., or leave -m and --preset out."
        raise MetameterError("with -m or --preset the inputs are QRELS RUN...", given=inputs, fix=fix)
    if missing is not None or iteration is not None:
        fix = "Leave --missing and --iteration out, or give tables of scores."
        raise MetameterError("scores of runs have neither missing cells nor iterations", fix=fix)
    from metameter.scoring.scores import score

    return score(inputs[0], inputs[1:], metrics, preset=preset, jobs=jobs, progress=progress, **vars(policy))


def _from_tables(
    inputs: list[str], missing: Literal["zero", "drop-topic"] | None, iteration: int | None, policy: Policy
) -> Scores:
    from metameter.read.scores import read_scores

    for name in policy.changed():
        given = f"--{name.replace('_', '-')}"
        fix = "Leave it out, or give QRELS RUN... with -m METRIC or --preset NAME."
        raise MetameterError("an option for runs does not apply to tables of scores", given=given, fix=fix)
    try:
        return read_scores(inputs, missing=missing, iteration=iteration)
    except MetameterError as error:
        if len(inputs) < 2:
            raise
        # Perhaps these are judgments and runs, and what is missing is the metric.
        fix = f"{error.fix} To score runs first, add -m METRIC or --preset NAME."
        raise MetameterError(error.what, where=error.where, given=error.given, allowed=error.allowed, fix=fix) from None
