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
    ties: Literal["docid-desc", "docid-asc", "rank", "input"] | None = None,
    precision: Literal["double", "single"] | None = None,
    unjudged: Literal["zero", "condense"] | None = None,
    splits: int | None = None,
    trials: int | None = None,
    resamples: int | None = None,
    alpha: float | None = None,
    similar: float | None = None,
    seed: int | None = None,
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
        The order of documents with equal scores; by default docid-desc.
    precision : str
        How scores are compared: double (the default), or single as trec_eval 9 does.
    unjudged : str
        Documents without judgment count as not relevant (zero, the default), or are removed first.
    splits : int
        How many times the topics are split for consistency; by default 1000.
    trials : int
        How many permutations a randomised test draws; by default 2000.
    resamples : int
        How many times the topics are resampled for intervals; by default 400.
    alpha : float
        The level of significance; by default 0.05.
    similar : float
        From this tau on a metric counts as ranking systems like the canonical one; by default 0.9.
    seed : int
        The same seed gives the same results; by default 0.
    figures : bool
        Write charts as HTML, SVG and PDF files too.
    jobs : int
        How many threads; by default all cores. Results do not depend on it.
    """
    planned = inputs[0].endswith(".toml")
    if planned != (len(inputs) == 1):
        raise MetameterError("a study needs judgments and runs", fix="Give QRELS RUN..., or one TOML file alone.")
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
