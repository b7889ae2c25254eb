"""Scores for a procedure: read from tables, or made from judgments and runs on the spot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from metameter.errors import MetameterError
from metameter.types import Scores

__all__ = ["scores_from"]


def scores_from(
    inputs: list[str],
    *,
    metrics: list[str] = (),  # type: ignore[assignment]
    preset: str | None = None,
    max_grade: float | None = None,
    missing: Literal["zero", "drop-topic"] | None = None,
    iteration: int | None = None,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Scores:
    """Read tables of scores; with metrics, score runs against judgments first.

    Parameters
    ----------
    inputs : list of str
        Tables of scores, as metameter score writes them, or topic x system matrices; with -m or --preset: QRELS RUN...
    metrics : list of str
        Score these metrics first; may be repeated. Then the inputs are QRELS RUN...
    preset : str
        Score the metrics of a paper first. Then the inputs are QRELS RUN...
    max_grade : float
        With -m or --preset: the top of the grade scale.
    missing : str
        What to do where a score is missing: count it as zero, or leave its topic out.
    iteration : int
        For scores of sessions: which iteration; by default the last.
    """
    if not metrics and preset is None:
        from metameter.read.scores import read_scores

        try:
            return read_scores(inputs, missing=missing, iteration=iteration)
        except MetameterError as error:
            if len(inputs) < 2:
                raise
            # Perhaps these are judgments and runs, and what is missing is a word.
            fix = f"{error.fix or ''} To score runs first, add -m METRIC or --preset NAME.".strip()
            details = {"where": error.where, "given": error.given, "allowed": error.allowed, "fix": fix}
            raise MetameterError(error.what, **details) from None
    if len(inputs) < 2:
        raise MetameterError("with -m or --preset the inputs are QRELS RUN...", given=inputs)
    from metameter.scoring.scores import score

    options: dict[str, Any] = {"max_grade": max_grade, "jobs": jobs, "progress": progress}
    return score(inputs[0], inputs[1:], metrics, preset=preset, **options)
