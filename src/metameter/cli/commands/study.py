"""Judge metrics on your own collection: which one, why, how sure; with a report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from metameter.errors import MetameterError
from metameter.studies.folder import Study
from metameter.studies.study import study

__all__ = ["command"]


def command(
    inputs: list[str],
    *,
    metrics: list[str] = (),  # type: ignore[assignment]
    preset: str | None = None,
    out: str = "study",
    name: str | None = None,
    max_grade: float | None = None,
    ties: Literal["docid-desc", "docid-asc", "rank", "input"] = "docid-desc",
    precision: Literal["double", "single"] = "double",
    unjudged: Literal["zero", "condense"] = "zero",
    splits: int = 1000,
    trials: int = 2000,
    resamples: int = 400,
    alpha: float = 0.05,
    similar: float = 0.9,
    seed: int = 0,
    figures: bool = False,
    jobs: int | None = None,
    progress: Callable[..., None] | None = None,
) -> Study:
    """Judge metrics on a collection, or on several: which one to use, why, and how sure that is.

    Scores the runs, then asks how alike the metrics rank the systems, how consistently over topics, how many pairs of
    systems each tells apart, and what follows for the choice of a metric. Everything finished is kept in the folder:
    an interrupted study resumes where it was, and a change redoes only what depends on it.

    Parameters
    ----------
    inputs : list of str
        QRELS RUN..., or one TOML file with [[collection]] tables.
    metrics : list of str
        A metric to judge; may be repeated.
    preset : str
        The metrics of a paper; chen-sakai-2023 if no metric is named.
    out : str
        The folder to write.
    name : str
        The collection's name; by default that of the qrels.
    max_grade : float
        The top of the grade scale; by default the highest grade of the qrels.
    ties : str
        The order of documents with equal scores.
    precision : str
        How scores are compared; single as trec_eval 9 does.
    unjudged : str
        Documents without judgment count as not relevant, or are removed first.
    splits : int
        How many times the topics are split for consistency.
    trials : int
        How many permutations a randomised test draws.
    resamples : int
        How many times the topics are resampled for intervals.
    alpha : float
        The level of significance.
    similar : float
        From this tau on a metric counts as ranking systems like the canonical one.
    seed : int
        The same seed gives the same results.
    figures : bool
        Write charts as HTML, SVG and PDF files too.
    jobs : int
        How many threads; by default all cores. Results do not depend on it.
    """
    planned = len(inputs) == 1 and inputs[0].endswith(".toml")
    if not planned and len(inputs) < 2:
        raise MetameterError("a study needs judgments and runs", fix="Give QRELS RUN..., or a TOML file.")
    return study(
        inputs[0],
        None if planned else inputs[1:],
        metrics=metrics,
        preset=preset,
        out=out,
        name=name,
        max_grade=max_grade,
        ties=ties,
        precision=precision,
        unjudged=unjudged,
        splits=splits,
        trials=trials,
        resamples=resamples,
        alpha=alpha,
        similar=similar,
        seed=seed,
        figures=figures,
        jobs=jobs,
        progress=progress,
    )
