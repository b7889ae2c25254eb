"""Judge metrics on your own collection: which are shown to be below others, which are not, how sure; with a report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import click
from click.core import ParameterSource

from metameter.arguments import unchecked
from metameter.errors import MetameterError
from metameter.parallel import Workers
from metameter.scoring.line_files import read_run_names
from metameter.studies.lock import LOCK_TIMEOUT
from metameter.studies.result import Study
from metameter.studies.score_tables import are_score_tables
from metameter.studies.study import checks_lock_timeout, study
from metameter.studies.study_options import takes_options
from metameter.view.result import CommandOutput


@dataclass(frozen=True, eq=False, repr=False)
class StudyForPeople(Study):
    """A study whose summary is printed even when piped, since its folder has the tables for programs."""

    @property
    def command_output(self) -> CommandOutput:
        """Text for people, even when piped."""
        return CommandOutput(piped_format="table")


@takes_options
@checks_lock_timeout
def command(
    inputs: list[str],
    *,
    metrics: Sequence[str] = (),
    preset: Sequence[str] = (),
    out: str = "study",
    name: str | None = None,
    figures: bool = False,
    missing: Literal["zero", "drop-topic"] | None = None,
    collection_from: Literal["file"] | None = None,
    iteration: int | None = None,
    serps: Sequence[str] = (),
    serps_input: Literal["tiangong"] | None = None,
    pairs: Sequence[str] = (),
    lock_timeout: float = LOCK_TIMEOUT,
    jobs: int | Workers | None = None,
    progress: Callable[..., None] | None = None,
    **options: Any,
) -> Study:
    """Judge metrics on your collections: which are shown to be below others, which are not, and how sure that is.

    Scores the runs, then measures how similarly the metrics rank the systems, how consistent each is over topics and
    how many pairs of systems it tells apart, and recommends metrics. Finished results are stored in the folder: an
    interrupted study resumes where it stopped, and a change repeats only what depends on it.

    Parameters
    ----------
    inputs : list of str
        QRELS RUN...; tables of scores (CSV, TSV, Parquet); or one TOML file with [[collection]] tables.
    metrics : list of str
        A metric to judge; may be repeated.
    preset : list of str
        Metrics of everyday use (everyday) or of a paper: chen-sakai-2023, moffat-2022, moffat-2022-preference, lu-2016;
        may be repeated. everyday if no metric is named.
    out : str
        The folder to write.
    name : str
        The collection's name; by default that of the qrels.
    figures : bool
        Write charts as HTML, SVG and PDF files too.
    missing : str
        For tables of scores: count a missing score as zero, or leave its topic out.
    collection_from : str
        For tables of scores: with file, every table is a collection of its own, named after its file.
    iteration : int
        For tables of scores of sessions: which iteration; by default the last. Procedures over sessions see all.
    serps : list of str
        A table of result pages with how satisfied users were: which metrics agree with them? May be repeated.
    serps_input : str
        With tiangong, read the pages as TianGong-QRef has them: four columns, no header; by default the first line
        says so.
    pairs : list of str
        A table of pairs of result pages with which one users prefer; may be repeated.
    lock_timeout : float
        The most seconds to wait for another process that works in the folder; 0 does not wait.
    **options
        The options of reading and of the procedures.
    """
    alone = inputs[0].endswith(".toml") or are_score_tables(inputs)
    if not alone and len(inputs) == 1:
        fix = "Give QRELS RUN..., tables of scores (CSV, TSV, Parquet), or one TOML file alone."
        raise MetameterError("a study needs judgments and runs, or scores", given=inputs[0], fix=fix)
    if inputs[0].endswith(".toml") and len(inputs) > 1:
        raise MetameterError("a study file takes no further inputs", given=inputs[1], fix="Give the TOML file alone.")
    if options.get("contributing") is not None:
        options["contributing"] = read_run_names(options["contributing"])
    tables_or_qrels: Any = inputs if alone and len(inputs) > 1 else inputs[0]
    result: Study = unchecked(study)(
        tables_or_qrels,
        None if alone else inputs[1:],
        metrics,
        preset=preset,
        out=out,
        name=name,
        figures=figures,
        missing=missing,
        collection_from=collection_from,
        iteration=iteration,
        serps=serps or None,
        serps_input=serps_input,
        pairs=pairs or None,
        lock_timeout=lock_timeout,
        jobs=jobs,
        progress=progress,
        **options,
    )
    return StudyForPeople(**vars(result)) if _out_was_given() else result


def _out_was_given() -> bool:
    """Whether the user typed ``--out``."""
    context = click.get_current_context(silent=True)
    return context is not None and context.get_parameter_source("out") is ParameterSource.COMMANDLINE
