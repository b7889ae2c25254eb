"""One study, one verdict, one report."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from metameter.errors import MetameterError, did_you_mean
from metameter.scoring.manifest import manifest_of
from metameter.studies.collection import preset_of
from metameter.studies.folder import Study, keep, write_study
from metameter.studies.plan import CollectionPlan, Options, Plan, name_of, plan_of_toml
from metameter.studies.stages import Finished, Stages
from metameter.studies.store import Store
from metameter.view.files import all_or_nothing

__all__ = ["study"]


def study(
    qrels: Any,
    runs: Any = None,
    *,
    metrics: Any = (),
    preset: str | None = None,
    out: str | Path = "study",
    name: str | None = None,
    max_grade: float | None = None,
    figures: bool = False,
    jobs: int | None = None,
    progress: Callable[..., None] | None = None,
    **further: Any,
) -> Study:
    """Judge metrics on a collection, or on several: which one to use, why, and how sure that is.

    Scores the runs, then asks how alike the metrics rank the systems, how consistently over topics, how many pairs
    of systems each tells apart, and what follows for the choice of a metric. Everything finished is kept in the
    folder: whoever is interrupted resumes where they were, and a change redoes only what depends on it.

    Parameters
    ----------
    qrels : object
        Judgments, as in `metameter.score`; or the path of a TOML file that plans a study of several collections.
    runs : object, optional
        Runs, as in `metameter.score`.
    metrics : list of str
        The metrics to judge; by default those of the preset.
    preset : str, optional
        The metrics of a paper; ``chen-sakai-2023`` if no metric is named.
    out : path
        The folder to write.
    name : str, optional
        The collection's name; by default that of the qrels.
    max_grade : float, optional
        The top of the grade scale.
    figures : bool
        Write charts as HTML, SVG and PDF files too.
    jobs : int, optional
        How many threads; by default all cores. Results do not depend on it.
    progress : callable, optional
        Is told ``(done, of, what)``.
    **further
        ``ties``, ``precision``, ``unjudged``, ``splits``, ``trials``, ``resamples``, ``alpha``, ``similar``, ``seed``.

    Returns
    -------
    Study
        ``.tables``, ``.report``, ``.folder``.
    """
    given = {"metrics": _named(metrics), "preset": preset, **further}
    plan = _plan(qrels, runs, name, max_grade, {key: value for key, value in given.items() if value is not None})
    folder = Path(out)
    _refuse_other(folder)
    stages = Stages(Store(folder / ".stages"), plan.options, jobs, progress)
    with _nothing_left(folder):
        parts = {each.name: stages.run(each) for each in plan.collections}
    stages.store.prune(stages.used)
    manifest = _manifest(plan, parts)
    with all_or_nothing():
        keep(folder, parts, manifest)
        result = write_study(folder, parts, manifest, figures=figures)
    return replace(result, made=tuple(stages.made), kept=tuple(stages.kept))


@contextmanager
def _nothing_left(folder: Path) -> Iterator[None]:
    """Input that cannot be studied leaves no folder behind; an interrupt leaves what is finished, to be resumed."""
    new = not folder.exists()
    try:
        yield
    except MetameterError:
        if new:
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _named(metrics: Any) -> tuple[str, ...] | None:
    named = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    return named or None


def _plan(qrels: Any, runs: Any, name: str | None, max_grade: float | None, given: dict[str, Any]) -> Plan:
    known = [each.name for each in fields(Options)]
    for key in given:
        if key not in known:
            raise MetameterError("unknown option of a study", given=key, fix=did_you_mean(key, known))
    if runs is not None:
        return Plan((CollectionPlan(name or name_of(qrels), qrels, runs, max_grade),), Options(**given))
    if not isinstance(qrels, str | Path) or not str(qrels).endswith(".toml"):
        raise MetameterError("a study needs judgments and runs", fix="Give QRELS RUN..., or a TOML file.")
    if name is not None or max_grade is not None:
        fix = "Write name and max_grade into its [[collection]] tables."
        raise MetameterError("a study file says itself what its collections are", where=str(qrels), fix=fix)
    planned = plan_of_toml(qrels)
    # What is said in the call stands above what the file says.
    return Plan(planned.collections, replace(planned.options, **given))


def _manifest(plan: Plan, parts: dict[str, Finished]) -> dict[str, Any]:
    """Everything that it takes to make the same study again, with what was taken for granted spelled out."""
    first = next(iter(parts.values())).scores
    options = {**asdict(plan.options), "preset": preset_of(plan.options), "metrics": list(first.metrics)}
    inputs = {name: {**part.scores.manifest["inputs"], "max_grade": part.max_grade} for name, part in parts.items()}
    return {**manifest_of(**options), "inputs": inputs}


def _refuse_other(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise MetameterError("the study's folder is a file", where=str(folder), fix="Choose another with --out.")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / ".stages").exists():
        raise MetameterError(
            "the folder holds something that is no study", where=str(folder), fix="Choose another with --out."
        )
